// The mock's own log: requests, what it sent and when, and how a correct client must report it. Tests compare a
// client's report with it.

import type { Clock } from '../clock/clock.ts';
import { monotonicNs } from '../clock/system-clock.ts';
import { Histogram } from '../core/statistics/histogram.ts';
import { encodeTruthStream, NO_SAMPLE } from '../wire/truth-stamps.ts';
import type { Expected } from './failure.ts';

/** One request. Times are ms of the mock's own clock until they are output. */
export interface ServedRequest {
  /** The client's number for it, else the mock's. */
  readonly id: string;
  readonly model: string;
  readonly isStreaming: boolean;
  readonly readMs: number;
  /** Of the first byte of the reply; undefined while there is none. */
  firstByteMs: number | undefined;
  firstContentMs: number | undefined;
  lastContentMs: number | undefined;
  lastMs: number | undefined;
  /** With content. */
  chunks: number;
  outputTokens: number;
  readonly promptTokens: number;
  /** Cached tokens of these, as the reply reports them. */
  readonly cachedTokens: number;
  bytes: number;
  readonly failure: string | undefined;
  readonly expected: Expected;
  /** Before the reply was done. */
  isClientGone: boolean;
  /** Sample number from the nonce in its prompt. */
  readonly sample: number;
  /** Times of each chunk with content; only if stamps are kept. */
  readonly writtenMs: number[] | undefined;
}

export interface MockLogSummary {
  readonly schema: 'plimsoll.mock-log/1';
  /** Read since the start or the last reset, done or not. */
  readonly requests: number;
  readonly running: number;
  readonly waiting: number;
  /**
   * By the outcome a correct client reports: `completed`, a failure's kind, or `cancelled` if the client left a reply
   * that would have been healthy.
   */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly outputTokens: number;
  readonly promptTokens: number;
  /** Of those, from a cache of prefixes. */
  readonly cachedTokens: number;
  readonly chunks: number;
  readonly bytes: number;
  readonly clientsGone: number;
  /** Finished requests that are no longer in `entries`, and lines that the log file did not accept. */
  readonly entriesForgotten: number;
  readonly linesDropped: number;
  readonly connections: { readonly opened: number; readonly open: number; readonly refused: number };
  /** Invalid requests, answered with 4xx or 501 and not counted above. */
  readonly refusedRequests: number;
  /** How late chunks with content were written; null if there were none. */
  readonly latenessNs: {
    readonly count: number;
    readonly p50: number | null;
    readonly p99: number | null;
    readonly max: number | null;
  };
}

export class MockLog {
  readonly #time: HostTime;
  readonly #onLine: ((line: string) => void) | undefined;
  #entries: ServedRequest[] = [];
  /** Where the next entry goes once all slots are used. */
  #oldest = 0;
  #requests = 0;
  #done = 0;
  #outcomes = new Map<string, number>();
  #sums = { outputTokens: 0, promptTokens: 0, cachedTokens: 0, chunks: 0, bytes: 0, clientsGone: 0 };
  #lateness = new Histogram(LATENESS_BOUNDS_NS);
  #latenessMaxNs = 0;

  constructor(time: HostTime, onLine: ((line: string) => void) | undefined) {
    this.#time = time;
    this.#onLine = onLine;
  }

  /** The number of the request being read, from 1. */
  nextNumber(): number {
    this.#requests += 1;
    return this.#requests;
  }

  readonly wroteLate = (lateMs: number): void => {
    const lateNs = Math.max(1, Math.round(lateMs * 1e6));
    this.#lateness.record(lateNs);
    if (lateNs > this.#latenessMaxNs) this.#latenessMaxNs = lateNs;
  };

  add(served: ServedRequest): void {
    this.#done += 1;
    if (this.#entries.length < ENTRIES_MAX) this.#entries.push(served);
    else {
      this.#entries[this.#oldest] = served;
      this.#oldest = (this.#oldest + 1) % ENTRIES_MAX;
    }
    const outcome = outcomeOf(served);
    this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1);
    this.#sums.outputTokens += served.outputTokens;
    this.#sums.promptTokens += served.promptTokens;
    this.#sums.cachedTokens += served.cachedTokens;
    this.#sums.chunks += served.chunks;
    this.#sums.bytes += served.bytes;
    if (served.isClientGone) this.#sums.clientsGone += 1;
    this.#onLine?.(`${this.#line(served)}\n`);
  }

  reset(): void {
    this.#entries = [];
    this.#oldest = 0;
    this.#requests = 0;
    this.#done = 0;
    this.#outcomes = new Map();
    this.#sums = { outputTokens: 0, promptTokens: 0, cachedTokens: 0, chunks: 0, bytes: 0, clientsGone: 0 };
    this.#lateness = new Histogram(LATENESS_BOUNDS_NS);
    this.#latenessMaxNs = 0;
  }

  summary(
    server: Pick<MockLogSummary, 'running' | 'waiting' | 'connections' | 'refusedRequests' | 'linesDropped'>,
  ): MockLogSummary {
    const [p50, p99] = this.#lateness.percentiles([50, 99]);
    return {
      schema: 'plimsoll.mock-log/1',
      requests: this.#requests,
      ...server,
      outcomes: Object.fromEntries(this.#outcomes),
      ...this.#sums,
      entriesForgotten: this.#done - this.#entries.length,
      latenessNs: {
        count: this.#lateness.count,
        p50: p50 ?? null,
        p99: p99 ?? null,
        max: this.#latenessMaxNs === 0 ? null : this.#latenessMaxNs,
      },
    };
  }

  /** The newest entries as a JSON array, oldest first. */
  entriesJson(count: number): string {
    const ordered = [...this.#entries.slice(this.#oldest), ...this.#entries.slice(0, this.#oldest)];
    return `[${ordered
      .slice(Math.max(0, ordered.length - count))
      .map(served => this.#line(served))
      .join(',\n')}]`;
  }

  /** Times are CLOCK_MONOTONIC in nanoseconds, exact in a double for 104 days after the machine's start. */
  #line(served: ServedRequest): string {
    return JSON.stringify({
      id: served.id,
      model: served.model,
      isStreaming: served.isStreaming,
      readNs: this.#ns(served.readMs),
      firstByteNs: this.#ns(served.firstByteMs),
      firstContentNs: this.#ns(served.firstContentMs),
      lastContentNs: this.#ns(served.lastContentMs),
      lastNs: this.#ns(served.lastMs),
      chunks: served.chunks,
      outputTokens: served.outputTokens,
      promptTokens: served.promptTokens,
      cachedTokens: served.cachedTokens,
      bytes: served.bytes,
      failure: served.failure ?? null,
      outcome: outcomeOf(served),
      expected: served.expected,
      isClientGone: served.isClientGone,
    });
  }

  /** null: it never happened. */
  #ns(atMs: number | undefined): number | null {
    return atMs === undefined ? null : Number(this.#time.nsAt(atMs));
  }
}

/** Leaving a failing reply is correct; leaving a healthy reply is a cancellation. */
const outcomeOf = ({ expected, isClientGone }: ServedRequest): string => {
  if (expected.outcome === 'failed') return expected.kind;
  return isClientGone ? 'cancelled' : 'completed';
};

/** About 25 MB of JSON at most. */
export const ENTRIES_MAX = 50_000;
/** 1 ns to an hour. */
const LATENESS_BOUNDS_NS = { low: 1, high: 3.6e12 };

// Two readings of one clock: cheap milliseconds to schedule by, and the nanoseconds of CLOCK_MONOTONIC that other
// processes of this machine can compare with their own.
export interface HostTime {
  nowMs(): number;
  /** What CLOCK_MONOTONIC showed at `nowMs`, to about 0.1 µs. */
  nsAt(atMs: number): bigint;
}

/** Both clocks run at one rate, so one measured offset stays valid. */
export const hostTime = (clock: Clock): HostTime => {
  let zeroNs = 0n;
  let narrowestMs = Number.POSITIVE_INFINITY;
  // The first call of either is slow, so a single pair would be wrong by a millisecond.
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const beforeMs = clock.nowMs();
    const middleNs = monotonicNs();
    const afterMs = clock.nowMs();
    if (afterMs - beforeMs >= narrowestMs) continue;
    narrowestMs = afterMs - beforeMs;
    zeroNs = middleNs - nanoseconds((beforeMs + afterMs) / 2);
  }
  return { nowMs: clock.nowMs, nsAt: atMs => zeroNs + nanoseconds(atMs) };
};

const nanoseconds = (ms: number): bigint => BigInt(Math.round(ms * 1e6));

const ATTEMPTS = 200;

// What the mock wrote and when, for each stream, for a client that requests it afterwards (`mock --stamp`, GET
// /mock/stamps): in bytes, because a calibration has a hundred thousand of them.
export class StampLog {
  readonly #time: HostTime;
  #streams: Buffer[] = [];
  #bytes = 0;

  constructor(time: HostTime) {
    this.#time = time;
  }

  add({ sample, readMs, writtenMs }: ServedRequest): void {
    if (writtenMs === undefined || sample === NO_SAMPLE) return;
    const stream = encodeTruthStream(sample, {
      readNs: this.#time.nsAt(readMs),
      writeNs: writtenMs.map(ms => this.#time.nsAt(ms)),
    });
    if (this.#bytes + stream.length > STAMP_BYTES_MAX) return;
    this.#streams.push(stream);
    this.#bytes += stream.length;
  }

  /** Those since the last call. */
  take(): Buffer {
    const bytes = Buffer.concat(this.#streams);
    this.#streams = [];
    this.#bytes = 0;
    return bytes;
  }

  /** "4345784570780", for a client that compares clocks. */
  get nowNs(): string {
    return String(this.#time.nsAt(this.#time.nowMs()));
  }
}

/** Eight million chunks; later streams are not kept. */
const STAMP_BYTES_MAX = 67_108_864;
