# A model of random weights that real servers load: FOLDER/hf (config, tokenizer, safetensors) and FOLDER/tiny.gguf, with the same
# weights. FOLDER/deep.gguf computes the same with more layers, which add nothing: tiny.gguf guesses every token of it, noisy.gguf some,
# other.gguf hardly any. Needs numpy and gguf. Byte-level BPE without learned words, so that a character of prose is one token; a chat template
# (ChatML); rows of tokens that are not printable are 0, so that answers are text. Usage: python3 tiny-model.py FOLDER
import json
import os
import struct
import sys

import gguf
import numpy as np

HIDDEN, LAYERS, HEADS, KV_HEADS, FFN, CONTEXT = 128, 2, 4, 2, 256, 4096
HEAD_SIZE = HIDDEN // HEADS
DEEP_LAYERS, NOISE = 64, 0.1
CHAT_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def byte_characters():
    """The characters by which GPT-2's byte-level BPE writes the 256 bytes: printable ones as themselves, others from 256 on."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = (byte for byte in range(256) if byte not in printable)
    characters = {byte: chr(byte) for byte in printable}
    characters.update({byte: chr(256 + at) for at, byte in enumerate(others)})
    return [characters[byte] for byte in range(256)]


BYTES = byte_characters()
MERGES = [("t", "h"), ("th", "e"), ("i", "n"), ("a", "n"), ("e", "r"), ("\u0120", "the")]
TOKENS = [*BYTES, *("".join(pair) for pair in MERGES)]
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
VOCABULARY = [*TOKENS, *SPECIAL]
END, START, STOP = (VOCABULARY.index(token) for token in SPECIAL)


def weights(seed):
    random = np.random.default_rng(seed)

    def matrix(rows, columns):
        return (random.standard_normal((rows, columns)) / np.sqrt(columns)).astype(np.float32)

    ones = np.ones(HIDDEN, dtype=np.float32)
    kv = KV_HEADS * HEAD_SIZE
    head = matrix(len(VOCABULARY), HIDDEN) * 3
    for token, text in enumerate(VOCABULARY):
        is_printable = token < len(TOKENS) and (text.startswith("\u0120") or all(33 <= ord(character) < 127 for character in text))
        if not is_printable:
            head[token] = 0
    named = {"model.embed_tokens.weight": matrix(len(VOCABULARY), HIDDEN) * 4, "model.norm.weight": ones, "lm_head.weight": head}
    for layer in range(LAYERS):
        at = f"model.layers.{layer}."
        named[at + "self_attn.q_proj.weight"] = matrix(HIDDEN, HIDDEN)
        named[at + "self_attn.k_proj.weight"] = matrix(kv, HIDDEN)
        named[at + "self_attn.v_proj.weight"] = matrix(kv, HIDDEN)
        named[at + "self_attn.o_proj.weight"] = matrix(HIDDEN, HIDDEN)
        named[at + "mlp.gate_proj.weight"] = matrix(FFN, HIDDEN)
        named[at + "mlp.up_proj.weight"] = matrix(FFN, HIDDEN)
        named[at + "mlp.down_proj.weight"] = matrix(HIDDEN, FFN)
        named[at + "input_layernorm.weight"] = ones
        named[at + "post_attention_layernorm.weight"] = ones
    return named


def deepened(named):
    """More layers whose two outputs are 0: the sum that passes through a layer is unchanged."""
    deep = dict(named)
    for layer in range(LAYERS, DEEP_LAYERS):
        for name, array in named.items():
            if name.startswith("model.layers.0."):
                is_output = name.endswith(("o_proj.weight", "down_proj.weight"))
                deep[name.replace(".0.", f".{layer}.")] = array * 0 if is_output else array
    return deep


def noisy(named):
    noise = np.random.default_rng(8)
    return {name: array + (NOISE * array.std() * noise.standard_normal(array.shape)).astype(np.float32) for name, array in named.items()}


def write_json(path, value):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file, indent=1)


def write_safetensors(path, named):
    header, at = {}, 0
    for name, array in named.items():
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [at, at + array.nbytes]}
        at += array.nbytes
    text = json.dumps({"__metadata__": {"format": "pt"}, **header}).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)))
        file.write(text)
        for array in named.values():
            file.write(array.tobytes())


def write_hugging_face(folder, named):
    os.makedirs(folder, exist_ok=True)
    write_json(
        f"{folder}/config.json",
        {
            "architectures": ["LlamaForCausalLM"],
            "model_type": "llama",
            "hidden_size": HIDDEN,
            "intermediate_size": FFN,
            "num_hidden_layers": LAYERS,
            "num_attention_heads": HEADS,
            "num_key_value_heads": KV_HEADS,
            "max_position_embeddings": CONTEXT,
            "rms_norm_eps": 1e-5,
            "rope_theta": 10000.0,
            "hidden_act": "silu",
            "tie_word_embeddings": False,
            "vocab_size": len(VOCABULARY),
            "bos_token_id": END,
            "eos_token_id": STOP,
            "torch_dtype": "float32",
        },
    )
    write_json(f"{folder}/generation_config.json", {"bos_token_id": END, "eos_token_id": STOP})
    added = [
        {"id": token, "content": VOCABULARY[token], "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
        for token in (END, START, STOP)
    ]
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    write_json(
        f"{folder}/tokenizer.json",
        {
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": added,
            "normalizer": None,
            "pre_tokenizer": byte_level,
            "post_processor": None,
            "decoder": byte_level,
            "model": {
                "type": "BPE",
                "dropout": None,
                "unk_token": None,
                "continuing_subword_prefix": None,
                "end_of_word_suffix": None,
                "fuse_unk": False,
                "byte_fallback": False,
                "vocab": {text: token for token, text in enumerate(VOCABULARY)},
                "merges": [list(pair) for pair in MERGES],
            },
        },
    )
    write_json(
        f"{folder}/tokenizer_config.json",
        {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "bos_token": SPECIAL[0],
            "eos_token": SPECIAL[2],
            "model_max_length": CONTEXT,
            "chat_template": CHAT_TEMPLATE,
        },
    )
    write_safetensors(f"{folder}/model.safetensors", named)


def interleaved(array, heads):
    """llama.cpp rotates pairs that lie side by side, Hugging Face halves of a head: rows of Q and K change places."""
    return array.reshape(heads, 2, array.shape[0] // heads // 2, array.shape[1]).swapaxes(1, 2).reshape(array.shape)


def write_gguf(path, named):
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("tiny")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(HIDDEN)
    layers = sum(name.endswith("q_proj.weight") for name in named)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(FFN)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10000.0)
    writer.add_rope_dimension_count(HEAD_SIZE)
    writer.add_vocab_size(len(VOCABULARY))
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(VOCABULARY)
    writer.add_token_types([gguf.TokenType.NORMAL] * len(TOKENS) + [gguf.TokenType.CONTROL] * len(SPECIAL))
    writer.add_token_merges([" ".join(pair) for pair in MERGES])
    writer.add_bos_token_id(END)
    writer.add_eos_token_id(STOP)
    writer.add_add_bos_token(False)
    writer.add_chat_template(CHAT_TEMPLATE)
    writer.add_tensor("token_embd.weight", named["model.embed_tokens.weight"])
    writer.add_tensor("output_norm.weight", named["model.norm.weight"])
    writer.add_tensor("output.weight", named["lm_head.weight"])
    for layer in range(layers):
        of, to = f"model.layers.{layer}.", f"blk.{layer}."
        writer.add_tensor(to + "attn_q.weight", interleaved(named[of + "self_attn.q_proj.weight"], HEADS))
        writer.add_tensor(to + "attn_k.weight", interleaved(named[of + "self_attn.k_proj.weight"], KV_HEADS))
        writer.add_tensor(to + "attn_v.weight", named[of + "self_attn.v_proj.weight"])
        writer.add_tensor(to + "attn_output.weight", named[of + "self_attn.o_proj.weight"])
        writer.add_tensor(to + "ffn_gate.weight", named[of + "mlp.gate_proj.weight"])
        writer.add_tensor(to + "ffn_up.weight", named[of + "mlp.up_proj.weight"])
        writer.add_tensor(to + "ffn_down.weight", named[of + "mlp.down_proj.weight"])
        writer.add_tensor(to + "attn_norm.weight", named[of + "input_layernorm.weight"])
        writer.add_tensor(to + "ffn_norm.weight", named[of + "post_attention_layernorm.weight"])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
made = weights(7)
write_hugging_face(f"{folder}/hf", made)
write_gguf(f"{folder}/tiny.gguf", made)
write_gguf(f"{folder}/deep.gguf", deepened(made))
write_gguf(f"{folder}/noisy.gguf", noisy(made))
write_gguf(f"{folder}/other.gguf", weights(8))
