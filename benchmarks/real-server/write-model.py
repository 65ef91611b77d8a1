# Writes a tiny model in GGUF: llama's architecture with random weights, and a byte-pair tokenizer learnt from a few
# sentences, so that a real server counts tokens by rules of its own. What it says makes no sense; how much it says is what
# is asked about. The same seed writes the same bytes.
import sys
from collections import Counter

import gguf
import numpy

# Tiny, or as many layers and as wide as the command line says; then weights have 16 bits, as files of that size do.
LAYERS, WIDTH = (int(size) for size in sys.argv[2:4]) if len(sys.argv) > 3 else (2, 64)
HEADS = 4 if WIDTH == 64 else WIDTH // 64
INNER = 128 if WIDTH == 64 else WIDTH * 3
NUMBER = "float32" if WIDTH == 64 else "float16"
CONTEXT, MERGES = 32_768, 500

TEXT = (
    "Write a short story that uses all of these words: the anchor of a ship lies in the harbor, and the captain "
    "drinks coffee while rain falls on the roof of the old house by the river. A lantern burns in the window, the "
    "garden is quiet, and the winter wind brings snow over the mountain, the forest and the valley. Bread and honey "
    "stand on the table; the cat looks at the mirror, and the clock in the kitchen goes on. "
)

CHAT_TEMPLATE = (
    "{% for message in messages %}<|{{ message['role'] }}|>\n{{ message['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>\n{% endif %}"
)


def byte_characters():
    """GPT-2's printable stand-in for each byte."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    shown = dict(zip(printable, printable))
    spare = 256
    for byte in range(256):
        if byte not in shown:
            shown[byte] = spare
            spare += 1
    return [chr(shown[byte]) for byte in range(256)]


def learnt_merges(characters):
    """The most frequent neighbours first, as byte-pair encodings learn them; words begin with their space."""
    words = Counter()
    for word in TEXT.split(" "):
        words[tuple(characters[byte] for byte in (" " + word).encode())] += 1
    merges = []
    while len(merges) < MERGES:
        pairs = Counter()
        for word, count in words.items():
            for pair in zip(word, word[1:]):
                pairs[pair] += count
        if not pairs:
            break
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        merges.append(best)
        merged = Counter()
        for word, count in words.items():
            parts, at = [], 0
            while at < len(word):
                if word[at : at + 2] == best:
                    parts.append(best[0] + best[1])
                    at += 2
                else:
                    parts.append(word[at])
                    at += 1
            merged[tuple(parts)] += count
        words = merged
    return merges


def main(path):
    characters = byte_characters()
    merges = learnt_merges(characters)
    special = ["<|begin|>", "<|end|>"]
    tokens = list(dict.fromkeys(special + characters + [first + second for first, second in merges]))
    types = [gguf.TokenType.CONTROL] * len(special) + [gguf.TokenType.NORMAL] * (len(tokens) - len(special))
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("tiny-random")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types(types)
    writer.add_token_merges([f"{first} {second}" for first, second in merges])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(1)
    writer.add_add_bos_token(True)
    writer.add_chat_template(CHAT_TEMPLATE)

    random = numpy.random.default_rng(1)

    def weights(*shape):
        return (random.standard_normal(shape) * 0.05).astype(NUMBER)

    ones = numpy.ones(WIDTH, dtype=numpy.float32)
    writer.add_tensor("token_embd.weight", weights(len(tokens), WIDTH))
    writer.add_tensor("output_norm.weight", ones)
    writer.add_tensor("output.weight", weights(len(tokens), WIDTH))
    for layer in range(LAYERS):
        for name, shape in (
            ("attn_q", (WIDTH, WIDTH)),
            ("attn_k", (WIDTH, WIDTH)),
            ("attn_v", (WIDTH, WIDTH)),
            ("attn_output", (WIDTH, WIDTH)),
            ("ffn_gate", (INNER, WIDTH)),
            ("ffn_up", (INNER, WIDTH)),
            ("ffn_down", (WIDTH, INNER)),
        ):
            writer.add_tensor(f"blk.{layer}.{name}.weight", weights(*shape))
        writer.add_tensor(f"blk.{layer}.attn_norm.weight", ones)
        writer.add_tensor(f"blk.{layer}.ffn_norm.weight", ones)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    print(f"{len(tokens)} tokens, {len(merges)} merges")


main(sys.argv[1])
