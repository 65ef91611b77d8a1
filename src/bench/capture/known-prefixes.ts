// Which prompts share a prefix, and which continue a conversation: their pieces as chains of keyed hashes. The key is
// drawn for each capture and stored nowhere, and files contain no hash, only numbers in the order of first sight: who
// guesses a text cannot check the guess against a file.

import { createHash, randomBytes } from 'node:crypto';
import { tokenPieces } from './token-pieces.ts';

export interface PromptPiece {
  /** The piece with everything before it, 53 bits. */
  readonly chain: number;
  /** By rule of thumb. */
  readonly weight: number;
  /** Of a message. */
  readonly isEnd: boolean;
}

interface KnownBlock {
  readonly id: number;
  readonly tokens: number;
}

export class KnownPrefixes {
  readonly #key: Buffer = randomBytes(32);
  readonly #blocks: RecentMap<number, KnownBlock> = new RecentMap(KNOWN_BLOCKS_MAX);
  /** The session whose latest prompt ended with that piece. */
  readonly #ends: RecentMap<number, number> = new RecentMap(KNOWN_SESSIONS_MAX);
  /** By the digest of the name: its length is the client's. */
  readonly #named: RecentMap<number, number> = new RecentMap(KNOWN_SESSIONS_MAX);
  #blockIds = 0;
  #sessions = 0;

  /** Conversations so far. */
  get sessions(): number {
    return this.#sessions;
  }

  piecesOf(parts: readonly string[]): readonly PromptPiece[] {
    const pieces: PromptPiece[] = [];
    let before: Buffer = Buffer.alloc(0);
    for (const part of parts) {
      const bytes = Buffer.from(part, 'utf8');
      let start = 0;
      for (const { end, tokens } of tokenPieces(bytes)) {
        const isEnd = end === bytes.length;
        before = this.#digest(before, isEnd ? MESSAGE_END : MESSAGE_GOES_ON, bytes.subarray(start, end));
        pieces.push({ chain: chainOf(before), weight: tokens, isEnd });
        start = end;
      }
    }
    return pieces;
  }

  /**
   * The number of the conversation that a prompt belongs to: of the same name, else of the longest earlier prompt that
   * it continues, else a new one.
   */
  sessionOf(pieces: readonly PromptPiece[], name: string | undefined): number {
    const named = name === undefined ? undefined : chainOf(this.#digest(name));
    const earlier = named === undefined ? this.#continued(pieces) : this.#named.get(named);
    const session = earlier ?? this.#sessions;
    if (earlier === undefined) this.#sessions += 1;
    if (named !== undefined) this.#named.set(named, session);
    const last = pieces.at(-1);
    if (last !== undefined) this.#ends.set(last.chain, session);
    return session;
  }

  /** A prompt in blocks: a block that is known has the size that it had first, and new ones share the rest. */
  blocksOf(pieces: readonly PromptPiece[], inputTokens: number): readonly KnownBlock[] {
    const blocks: KnownBlock[] = [];
    let left = inputTokens;
    let at = 0;
    for (; at < pieces.length; at += 1) {
      const known = this.#blocks.get(pieces[at]?.chain ?? 0);
      if (known === undefined) break;
      // A server that counts the same prefix differently each time: the rest is not in blocks.
      if (known.tokens > left) return blocks;
      blocks.push(known);
      left -= known.tokens;
    }
    const added = pieces.slice(at);
    const weights = added.reduce((sum, { weight }) => sum + weight, 0);
    let [weighed, given] = [0, 0];
    for (const { chain, weight } of added) {
      weighed += weight;
      const until = weights === 0 ? 0 : Math.round((left * weighed) / weights);
      const block = { id: this.#blockIds, tokens: until - given };
      this.#blockIds += 1;
      given = until;
      this.#blocks.set(chain, block);
      blocks.push(block);
    }
    return blocks;
  }

  #digest(...parts: readonly (string | Buffer)[]): Buffer {
    const hash = createHash('sha256').update(this.#key);
    for (const part of parts) hash.update(part);
    return hash.digest();
  }

  /** Not the whole prompt: the same once more is a conversation of its own. */
  #continued(pieces: readonly PromptPiece[]): number | undefined {
    for (let at = pieces.length - 2; at >= 0; at -= 1) {
      const piece = pieces[at];
      if (piece?.isEnd !== true) continue;
      const session = this.#ends.get(piece.chain);
      if (session !== undefined) return session;
    }
    return undefined;
  }
}

const chainOf = (digest: Buffer): number => digest.readUIntBE(0, 6) * 32 + (digest.readUInt8(6) % 32);

/** The entries that were last used, in two generations: at least half of the maximum. */
class RecentMap<Key, Value> {
  readonly #entriesMax: number;
  #young: Map<Key, Value> = new Map();
  #old: Map<Key, Value> = new Map();

  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax;
  }

  get(key: Key): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: Key, value: Value): void {
    if (this.#young.size >= this.#entriesMax / 2) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }
}

const MESSAGE_END = '\u0001';
const MESSAGE_GOES_ON = '\u0000';
/** Some 64 million tokens of different text; some 100 MB. */
const KNOWN_BLOCKS_MAX = 1_000_000;
const KNOWN_SESSIONS_MAX = 100_000;
