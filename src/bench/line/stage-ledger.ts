// The data of one stage, one row for each request in the order of the schedule: when it was due, when and how it
// ended, and its value for each criterion. Columns, because a decider reads all of them at each look.

import type { Outcome } from '../../core/run/outcome.ts';
import { InFlight } from './in-flight.ts';

/** An objective in the decider's form: the mean of one number of each request must not exceed the limit. */
export interface Criterion {
  readonly kind: /**
   * A percentile, an attainment, an error rate. Its number is a reach: the request's own figure ÷ its limit, the largest where there
   * are several, so that a request over 1 misses; Infinity of one that failed, 0 where times do not matter.
   */
    | 'share'
    /** A figure itself: the mean of a latency. */
    | 'mean';
  readonly limit: number;
  /** Its misses are slow requests, which cluster as slow requests do, and not failures. */
  readonly isOfTimes: boolean;
  /** A request still open after this time misses in any case; Infinity if only its end decides. */
  readonly overdueNs: number;
  /** The same for a request whose first content has not arrived. */
  readonly firstOverdueNs: number;
  /** Only turns from this one of their session on count, from 1; default: every request. */
  readonly fromTurn?: number | undefined;
}

interface EndedRequest {
  readonly index: number;
  readonly endedNs: number;
  readonly outcome: Outcome;
  /** One for each criterion; NaN if the request has no such figure, so that the criterion ignores it. */
  readonly values: readonly number[];
}

interface LedgerOptions {
  /** Rows from this one on do not count yet; default: all do. */
  readonly countedRows?: () => number;
  /** Of a row; default: rows are no turns of sessions. */
  readonly sessionOf?: (row: number) => number;
  /** Number of a row in its session, from 1. */
  readonly turnOf?: (row: number) => number;
  /**
   * A row counts for a share once the limit has passed since it was issued, whenever it ends: of rows that take as long
   * as the stage does, those that ended are the short ones.
   */
  readonly isKnownAtLimit?: boolean;
}

export class StageLedger {
  readonly criteria: readonly Criterion[];
  readonly #options: LedgerOptions;
  /** When it was due (open loop) or sent (closed loop), ns since the stage's start; NaN until it is reported. */
  #issuedNs = new Float64Array(FIRST_ROOM);
  /** NaN while it is open. */
  #endedNs = new Float64Array(FIRST_ROOM).fill(Number.NaN);
  #isRequested = new Uint8Array(FIRST_ROOM);
  /** 1 once its first content has arrived. */
  #isBegun = new Uint8Array(FIRST_ROOM);
  readonly #values: Float64Array<ArrayBuffer>[];
  #ends = new Float64Array(FIRST_ROOM);
  #areEndsSorted = true;
  /**
   * One past the last reported row: requests sent before the measured window, and those not reported yet, leave gaps.
   */
  #rows = 0;
  issued = 0;
  completed = 0;
  failed = 0;
  cancelled = 0;

  constructor(criteria: readonly Criterion[], options: LedgerOptions = {}) {
    this.criteria = criteria;
    this.#options = options;
    this.#values = criteria.map(() => new Float64Array(FIRST_ROOM).fill(Number.NaN));
  }

  get ended(): number {
    return this.completed + this.failed + this.cancelled;
  }

  addIssued(index: number, issuedNs: number): void {
    this.#makeRoom(index + 1);
    for (let hole = this.#rows; hole < index; hole += 1) this.#issuedNs[hole] = Number.NaN;
    this.#issuedNs[index] = issuedNs;
    this.#isRequested[index] = 1;
    this.#isBegun[index] = 0;
    this.#rows = Math.max(this.#rows, index + 1);
    this.issued += 1;
  }

  firstContent(index: number): void {
    if (index < this.#rows) this.#isBegun[index] = 1;
  }

  /** Value of a criterion before the request has ended, known when its first content arrived. */
  report(index: number, criterion: number, value: number): void {
    const column = this.#values[criterion];
    if (column !== undefined && index < this.#rows) column[index] = value;
  }

  addEnded({ index, endedNs, outcome, values }: EndedRequest): void {
    if (index >= this.#rows || !Number.isNaN(this.#endedNs[index])) return;
    if (endedNs < (this.#ends[this.ended - 1] ?? 0)) this.#areEndsSorted = false;
    this.#ends[this.ended] = endedNs;
    this.#endedNs[index] = endedNs;
    this[outcome] += 1;
    // Requests that we cut off are no evidence about the endpoint.
    this.#isRequested[index] = outcome === 'cancelled' ? 0 : 1;
    for (const [criterion, value] of values.entries()) this.report(index, criterion, value);
  }

  /** The stage's requests that count for a criterion, in order; see CriterionColumn. */
  column(at: number, nowNs: number): CriterionColumn {
    const criterion = this.criteria[at];
    const source = this.#values[at] ?? NOTHING;
    const values = new Float64Array(this.issued);
    const times = new Float64Array(this.issued);
    const { sessionOf, turnOf } = this.#options;
    const sessions = sessionOf === undefined ? undefined : new Float64Array(this.issued);
    let count = 0;
    let open = 0;
    if (criterion === undefined) return { values, times, sessions, count, open };
    const { kind, isOfTimes, overdueNs, firstOverdueNs, fromTurn = 1 } = criterion;
    const limitNs = Math.min(overdueNs, firstOverdueNs);
    const knownByNs =
      this.#options.isKnownAtLimit === true && kind === 'share' && Number.isFinite(limitNs)
        ? nowNs - limitNs
        : Number.POSITIVE_INFINITY;
    const rows = Math.min(this.#rows, this.#options.countedRows?.() ?? this.#rows);
    const scaleNs = kind === 'share' && Number.isFinite(limitNs) ? limitNs : 1;
    for (let index = 0; index < rows; index += 1) {
      const issuedNs = this.#issuedNs[index] ?? Number.NaN;
      if (Number.isNaN(issuedNs) || this.#isRequested[index] === 0) continue;
      if (issuedNs > knownByNs) break;
      if (fromTurn > 1 && (turnOf?.(index) ?? 1) < fromTurn) continue;
      const reported = source[index] ?? Number.NaN;
      const endedNs = this.#endedNs[index] ?? Number.NaN;
      const isOpen = Number.isNaN(endedNs);
      const elapsedNs = (isOpen ? nowNs : endedNs) - issuedNs;
      let value = kind === 'mean' ? reported : Number(reported > 1);
      if (Number.isNaN(reported)) {
        // Ended without the figure: the criterion does not apply to it.
        if (!isOpen) continue;
        if (elapsedNs > (this.#isBegun[index] === 1 ? overdueNs : limitNs)) value = 1;
        else if (open + 1 > OPEN_SHARE_MAX * (count + 1)) break;
        else {
          value = OPEN;
          open += 1;
        }
      }
      values[count] = value;
      times[count] = isOfTimes && Number.isFinite(reported) ? reported : elapsedNs / scaleNs;
      if (sessions !== undefined) sessions[count] = sessionOf?.(index) ?? 0;
      count += 1;
    }
    return { values, times, sessions, count, open };
  }

  /** Issue time of the n-th reported request, from 0; undefined past the last. */
  issuedNsAt(reported: number): number | undefined {
    let left = reported;
    for (const atNs of this.#issuedNs.subarray(0, this.#rows)) {
      if (Number.isNaN(atNs)) continue;
      if (left === 0) return atNs;
      left -= 1;
    }
    return undefined;
  }

  /** Requests in flight over the stage so far. */
  inFlight(): InFlight {
    if (!this.#areEndsSorted) this.#ends.subarray(0, this.ended).sort();
    this.#areEndsSorted = true;
    const issued = this.#issuedNs.subarray(0, this.#rows).filter(issuedNs => !Number.isNaN(issuedNs));
    // Turns of one session follow each other here, and in time others are between them.
    if (this.#options.sessionOf !== undefined) issued.sort();
    return new InFlight(issued, this.#ends.subarray(0, this.ended));
  }

  /**
   * Median latency of the first requests to end: the duration of a request before any queue; undefined before it is
   * known.
   */
  firstLatencyNs(): number | undefined {
    const latencies: number[] = [];
    for (let index = 0; index < this.#rows && latencies.length < FIRST_LATENCIES; index += 1) {
      const latency = (this.#endedNs[index] ?? Number.NaN) - (this.#issuedNs[index] ?? Number.NaN);
      if (!Number.isNaN(latency)) latencies.push(latency);
    }
    return latencies.toSorted((a, b) => a - b)[Math.floor(latencies.length / 2)];
  }

  #makeRoom(count: number): void {
    if (count <= this.#issuedNs.length) return;
    const room = Math.max(count, 2 * this.#issuedNs.length);
    this.#issuedNs = grown(this.#issuedNs, room, 0);
    this.#endedNs = grown(this.#endedNs, room, Number.NaN);
    this.#ends = grown(this.#ends, room, 0);
    for (const [at, column] of this.#values.entries()) this.#values[at] = grown(column, room, Number.NaN);
    this.#isRequested = grownFlags(this.#isRequested, room);
    this.#isBegun = grownFlags(this.#isBegun, room);
  }
}

/**
 * In the order of the schedule, up to where more than a thousandth is still open: a tail of fast ones would bias the
 * result.
 */
export interface CriterionColumn {
  /** For a share, 1 if the request misses and 0 if not; OPEN if it is not known yet. */
  readonly values: Float64Array;
  /**
   * Duration of each by the criterion's own figure: its reach if it is a matter of time, a figure if the criterion is
   * its mean, else ns until its end, or until now.
   */
  readonly times: Float64Array;
  /** The session of each; undefined: requests are independent. Turns of one follow each other. */
  readonly sessions?: Float64Array | undefined;
  readonly count: number;
  readonly open: number;
}

const grown = (column: Float64Array, room: number, rest: number): Float64Array<ArrayBuffer> => {
  const larger = new Float64Array(room).fill(rest);
  larger.set(column);
  return larger;
};

const grownFlags = (column: Uint8Array, room: number): Uint8Array<ArrayBuffer> => {
  const larger = new Uint8Array(room);
  larger.set(column);
  return larger;
};

/** No value of a criterion is negative. */
export const OPEN = -1;
const OPEN_SHARE_MAX = 0.001;
const FIRST_ROOM = 256;
const FIRST_LATENCIES = 20;
const NOTHING: Float64Array = new Float64Array(0);
