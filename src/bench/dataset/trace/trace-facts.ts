// Statistics of a trace of any size: read once from beginning to end, in bounded memory.

import * as v from 'valibot';
import { maximumOf } from '../../../core/extremes.ts';
import { count, figure, type Infer, nonNegative } from '../../../core/schema.ts';
import { Histogram } from '../../../core/statistics/histogram.ts';
import { type LengthFacts, lengthFactsSchema } from '../dataset-facts.ts';
import { TRACE_TOKENS_MAX, type TraceEntry, type TraceRequest } from './trace.ts';

const sharingSchema = v.object({
  blockTokens: count,
  blocks: count,
  differentBlocks: count,
  sharedTokens: v.pipe(
    count,
    v.description(
      'Input tokens in leading blocks of an earlier request: what an unlimited cache could serve.',
    ),
  ),
  unkept: v.pipe(
    count,
    v.description('Blocks beyond the limit were not stored: sharing is at least the reported value.'),
  ),
});

export type TraceSharing = Infer<typeof sharingSchema>;

const facts = {
  requests: count,
  sessions: v.optional(
    v.pipe(
      count,
      v.description('Missing: the trace names no conversations, and each request is independent.'),
    ),
  ),
  sessionsUnreported: v.pipe(
    count,
    v.description('Conversations beyond the limit of different names, which are not distinguished.'),
  ),
  turns: v.optional(
    v.pipe(
      lengthFactsSchema,
      v.description('Of each conversation. Also missing if requests of one are spread over the file.'),
    ),
  ),
  subagents: count,
  inputTokens: lengthFactsSchema,
  outputTokens: lengthFactsSchema,
  time: v.optional(
    v.pipe(
      v.object({
        spanMs: nonNegative,
        requestsPerSecond: figure,
        busiestPerSecond: v.optional(
          v.pipe(figure, v.description('In the busiest minute. Missing: it is shorter than one.')),
        ),
      }),
      v.description('Missing: it only has times within each conversation.'),
    ),
  ),
  pausesMs: v.optional(v.pipe(lengthFactsSchema, v.description('Recorded pauses within conversations.'))),
  sharing: v.optional(v.pipe(sharingSchema, v.description('Missing: it contains no blocks.'))),
} as const;

const factsSchema = v.object(facts);
export type TraceFacts = Infer<typeof factsSchema>;

/** What `plimsoll dataset show --json` prints of a trace. */
export const traceDocumentSchema = v.object({
  schema: v.literal('plimsoll.trace/1'),
  file: v.string(),
  format: v.string(),
  sha256: v.string(),
  bytes: count,
  leftOut: v.pipe(count, v.description('Requests without an answer.')),
  cutLines: v.optional(v.pipe(count, v.description('Last lines that a capture had not finished writing.'))),
  lost: v.optional(v.pipe(count, v.description('Requests that a capture could not record.'))),
  ...facts,
});

export type TraceDocument = Infer<typeof traceDocumentSchema>;

export class TraceFactCounter {
  readonly #input: Lengths = new Lengths();
  readonly #output: Lengths = new Lengths();
  readonly #turns: Lengths = new Lengths();
  readonly #pauses: Lengths = new Lengths();
  readonly #known: KnownBlocks = new KnownBlocks();
  readonly #keys: Set<string> = new Set();
  readonly #minutes: Map<number, number> = new Map();
  #unreported = 0;
  #hasKeys = false;
  #isSpread = false;
  #subagents = 0;
  #blocks = 0;
  #blockTokens = 0;
  #sharedTokens = 0;
  #firstMs = Number.POSITIVE_INFINITY;
  #lastMs = Number.NEGATIVE_INFINITY;

  add(entry: TraceEntry): void {
    const { key, startMs, requests } = entry;
    if (key !== undefined) this.#takeKey(key);
    if (startMs === undefined) this.#turns.add(requests.length);
    else {
      this.#isSpread = true;
      this.#takeTime(startMs);
    }
    this.#subagents += requests.reduce((most, { agent }) => Math.max(most, agent), 0);
    for (const request of requests) {
      this.#input.add(request.inputTokens);
      this.#output.add(request.outputTokens);
      if (request.after.length > 0) this.#pauses.add(Math.round(request.delayMs));
      this.#takeBlocks(request);
    }
  }

  facts(): TraceFacts {
    const input = this.#input.facts();
    const spanMs = Math.max(0, this.#lastMs - this.#firstMs);
    return {
      requests: this.#input.count,
      sessions: this.#hasKeys ? this.#keys.size : undefined,
      sessionsUnreported: this.#unreported,
      turns: this.#hasKeys && !this.#isSpread ? this.#turns.facts() : undefined,
      subagents: this.#subagents,
      inputTokens: input,
      outputTokens: this.#output.facts(),
      time: this.#isSpread
        ? {
            spanMs,
            requestsPerSecond: spanMs === 0 ? 0 : (this.#input.count * 1_000) / spanMs,
            busiestPerSecond: spanMs < MINUTE_MS ? undefined : maximumOf(this.#minutes.values()) / 60,
          }
        : undefined,
      pausesMs: this.#pauses.count === 0 ? undefined : this.#pauses.facts(),
      sharing:
        this.#blockTokens === 0
          ? undefined
          : {
              blockTokens: this.#blockTokens,
              blocks: this.#blocks,
              differentBlocks: this.#known.count,
              sharedTokens: this.#sharedTokens,
              unkept: this.#known.unkept,
            },
    };
  }

  #takeKey(key: string): void {
    this.#hasKeys = true;
    if (this.#keys.has(key)) return;
    if (this.#keys.size < SESSION_NAMES_MAX) this.#keys.add(key);
    else this.#unreported += 1;
  }

  #takeTime(startMs: number): void {
    this.#firstMs = Math.min(this.#firstMs, startMs);
    this.#lastMs = Math.max(this.#lastMs, startMs);
    const minute = Math.floor(startMs / MINUTE_MS);
    const known = this.#minutes.get(minute);
    // Beyond the limit, the busiest minute is that of the part before.
    if (known !== undefined || this.#minutes.size < MINUTES_MAX) this.#minutes.set(minute, (known ?? 0) + 1);
  }

  /** A prefix is known up to its first unknown block: each number also identifies all blocks before it. */
  #takeBlocks({ blocks, blockTokens, blockSizes }: TraceRequest): void {
    if (blockTokens === 0) return;
    this.#blockTokens = blockTokens;
    this.#blocks += blocks.length;
    let isKnown = true;
    for (const [index, block] of blocks.entries()) {
      isKnown = this.#known.take(block) && isKnown;
      if (isKnown) this.#sharedTokens += blockSizes?.[index] ?? blockTokens;
    }
  }
}

/** Exact sums and ends, percentiles to 0.1 %. */
class Lengths {
  readonly #values: Histogram = new Histogram({ low: 1, high: LENGTH_HIGH });
  #zeros = 0;
  #total = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = 0;

  get count(): number {
    return this.#values.count;
  }

  add(value: number): void {
    if (value < 1) this.#zeros += 1;
    this.#values.record(Math.max(1, value));
    this.#total += value;
    this.#min = Math.min(this.#min, value);
    this.#max = Math.max(this.#max, value);
  }

  facts(): LengthFacts {
    return {
      total: this.#total,
      min: this.count === 0 ? 0 : this.#min,
      p50: this.#percentile(50),
      p90: this.#percentile(90),
      p99: this.#percentile(99),
      max: this.#max,
    };
  }

  #percentile(percent: number): number {
    if (this.count * (percent / 100) <= this.#zeros) return 0;
    return Math.min(this.#max, Math.round(this.#values.percentiles([percent])[0] ?? 0));
  }
}

/** For tokens, and for pauses up to ten years. */
const LENGTH_HIGH: number = Math.max(TRACE_TOKENS_MAX, 3.2e11);
const SESSION_NAMES_MAX = 1_000_000;
/** A year and 330 days. */
const MINUTE_MS = 60_000;
const MINUTES_MAX = 1_000_000;

// Which blocks of prompts have been seen, in a bounded table: 8 bytes each, open addressing. Blocks that no longer
// fit are not recognized later; they are counted and reported.
class KnownBlocks {
  #cells: Float64Array = new Float64Array(FIRST_CELLS);
  #count = 0;
  /** Blocks that found no room. */
  unkept = 0;

  get count(): number {
    return this.#count;
  }

  /** @returns whether it was known; from now on it is. */
  take(block: number): boolean {
    // 0 is an empty cell.
    const key = block + 1;
    let at = this.#slotOf(key);
    if (this.#cells[at] === key) return true;
    if (this.#count * 2 >= this.#cells.length) {
      if (this.#cells.length >= KNOWN_CELLS_MAX) {
        this.unkept += 1;
        return false;
      }
      this.#grow();
      at = this.#slotOf(key);
    }
    this.#cells[at] = key;
    this.#count += 1;
    return false;
  }

  #slotOf(key: number): number {
    const mask = this.#cells.length - 1;
    let at = (Math.imul(key >>> 0, 0x9e3779b1) ^ Math.floor(key / 2 ** 32)) & mask;
    while (this.#cells[at] !== 0 && this.#cells[at] !== key) at = (at + 1) & mask;
    return at;
  }

  #grow(): void {
    const before = this.#cells;
    this.#cells = new Float64Array(before.length * 4);
    for (const key of before) if (key !== 0) this.#cells[this.#slotOf(key)] = key;
  }
}

const FIRST_CELLS = 4_096;
/** 128 MiB; half of them are used. */
const KNOWN_CELLS_MAX = 16_777_216;
