// A recorded trace of requests, in a form that is independent of the tool that wrote it: when each came, how long it
// and its answer were, and which blocks of its prompt it shares. It contains no original text.

export interface TraceEntry {
  /** Line on which it begins, from 1. */
  readonly line: number;
  /** Fields that a replay by times does not use. */
  readonly unused?: readonly string[];
  /** The conversation of its requests, if the trace names one; entries of one key are one session. */
  readonly key: string | undefined;
  /** ms since a zero that all entries share; undefined: the trace only has times within each conversation. */
  readonly startMs: number | undefined;
  /** At least one, each after those that it waits for. */
  readonly requests: readonly TraceRequest[];
}

export interface TraceRequest {
  /** ms since the entry's start, as recorded. */
  readonly atMs: number;
  /** How long its answer took, as recorded, ms; 0: not recorded. */
  readonly tookMs: number;
  /** Earlier requests of the entry that had ended by then, by index. */
  readonly after: readonly number[];
  /** ms from the end of the last of them; from the entry's start where there are none. */
  readonly delayMs: number;
  readonly inputTokens: number;
  /** At least 1. */
  readonly outputTokens: number;
  /** The start of its prompt, in full blocks of `blockTokens`: equal numbers are equal prefixes up to there. */
  readonly blocks: readonly number[];
  /** Tokens of each block; 0: the trace contains no blocks. */
  readonly blockTokens: number;
  /** Tokens of each block, where they differ. */
  readonly blockSizes?: readonly number[];
  /** How many of the first of them other conversations have too: tools and system prompt. Absent: unknown. */
  readonly commonBlocks?: number;
  /** The agent of the entry that it belongs to: 0 is the main one, others are subagents. */
  readonly agent: number;
}

export type TraceFormat = keyof typeof TRACE_FORMATS;

/** How each is called for people. */
export const TRACE_FORMATS = {
  mooncake: 'Mooncake trace',
  azure: 'Azure trace',
  burstgpt: 'BurstGPT trace',
  agentic: 'agentic trace',
  capture: 'captured trace',
} as const;

/** What is read of one line or object. */
export const TRACE_ENTRY_BYTES_MAX: number = 64 * 1024 * 1024;
/** Longest prompt or answer, in tokens. */
export const TRACE_TOKENS_MAX = 16_000_000;

/** @returns undefined for what no request can have. */
export const traceTokens = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= TRACE_TOKENS_MAX
    ? value
    : undefined;

// A number for a block of a prompt and all blocks before it: equal numbers mean equal prefixes, independent of how a
// trace names its blocks. 53 bits, so that it is a safe integer of JavaScript; among a million different blocks two
// collide once in 20,000 traces.

/** The start of a conversation, or of any other scope with its own block names. */
export const chainStart = (scope: string): number => {
  let high = 0x9e3779b9;
  let low = 0x85ebca6b;
  for (let at = 0; at < scope.length; at += 1) {
    const code = scope.charCodeAt(at);
    high = Math.imul(high ^ code, 0x01000193);
    low = Math.imul(low ^ code, 0x85ebca77);
  }
  return joined(mixed(high), mixed(low ^ high));
};

/** The block `id` after the prefix that `chain` represents. @param id a whole number of at most 53 bits */
export const chained = (chain: number, id: number): number => {
  const idLow = id >>> 0;
  const idHigh = Math.floor(id / 2 ** 32) >>> 0;
  const chainLow = chain >>> 0;
  const chainHigh = Math.floor(chain / 2 ** 32) >>> 0;
  const low = mixed(
    mixed(chainLow ^ 0x27d4eb2f) + Math.imul(idLow, 0x9e3779b1) + Math.imul(idHigh, 0x85ebca77),
  );
  const high = mixed(mixed(chainHigh ^ low) + Math.imul(idLow, 0xc2b2ae3d) + mixed(idHigh + 0x165667b1));
  return joined(high, low);
};

const joined = (high: number, low: number): number => (high & 0x1f_ff_ff) * 2 ** 32 + (low >>> 0);

/** The finalizer of MurmurHash3 (A. Appleby, public domain): each bit in changes each bit out half of the time. */
const mixed = (bits: number): number => {
  let hash = bits | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
};
