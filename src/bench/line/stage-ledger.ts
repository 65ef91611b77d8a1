// What is known of one stage, a row a request in the order of the schedule: when it was due, when it ended, how, and what
// each criterion says of it. Columns, because a decider goes through all of them at each look.

import type { Outcome } from '../../core/run/outcome.ts';
import { InFlight } from './in-flight.ts';

/** An objective as the decider sees it: the mean of one number of each request must not be over the limit. */
export interface Criterion {
  readonly kind: /**
   * A percentile, an attainment, an error rate. Its number is a reach: the request's own figure ÷ its limit, the largest where there
   * are several, so that a request over 1 misses; Infinity of one that failed, 0 where times do not matter.
   */
    | 'share'
    /** A figure itself: the mean of a latency. */
    | 'mean';
  readonly limit: number;
  /** Its misses are slow requests, which come together as slow requests do, and not failures. */
  readonly isOfTimes: boolean;
  /** A request still open after so long misses, whatever comes: Infinity where only its end tells. */
  readonly overdueNs: number;
  /** The same of a request whose first content has not come. */
  readonly firstOverdueNs: number;
}

interface EndedRequest {
  readonly index: number;
  readonly endedNs: number;
  readonly outcome: Outcome;
  /** One for each criterion; NaN where the request has no such figure, so that the criterion does not ask for it. */
  readonly values: readonly number[];
}

export class StageLedger {
  readonly criteria: readonly Criterion[];
  /** When it was due (open loop) or sent (closed loop), ns since the stage's start; NaN where it was not told yet. */
  #issuedNs = new Float64Array(FIRST_ROOM);
  /** NaN while it is open. */
  #endedNs = new Float64Array(FIRST_ROOM).fill(Number.NaN);
  #isRequested = new Uint8Array(FIRST_ROOM);
  /** Its first content has come. */
  #isBegun = new Uint8Array(FIRST_ROOM);
  readonly #values: Float64Array<ArrayBuffer>[];
  #ends = new Float64Array(FIRST_ROOM);
  #areEndsSorted = true;
  /** Past the last row that was told: those sent before the measured window, and those not told yet, leave holes. */
  #rows = 0;
  issued = 0;
  completed = 0;
  failed = 0;
  cancelled = 0;

  constructor(criteria: readonly Criterion[]) {
    this.criteria = criteria;
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

  /** What a criterion says before the request has ended, by when its first content came. */
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
    // Whoever was cut off by us says nothing of the endpoint.
    this.#isRequested[index] = outcome === 'cancelled' ? 0 : 1;
    for (const [criterion, value] of values.entries()) this.report(index, criterion, value);
  }

  /** The stage's requests that count for a criterion, in their order; see CriterionColumn. */
  column(at: number, nowNs: number): CriterionColumn {
    const criterion = this.criteria[at];
    const source = this.#values[at] ?? NOTHING;
    const values = new Float64Array(this.issued);
    const times = new Float64Array(this.issued);
    let count = 0;
    let open = 0;
    if (criterion === undefined) return { values, times, count, open };
    const { kind, isOfTimes, overdueNs, firstOverdueNs } = criterion;
    const limitNs = Math.min(overdueNs, firstOverdueNs);
    const scaleNs = kind === 'share' && Number.isFinite(limitNs) ? limitNs : 1;
    for (let index = 0; index < this.#rows; index += 1) {
      const issuedNs = this.#issuedNs[index] ?? Number.NaN;
      if (Number.isNaN(issuedNs) || this.#isRequested[index] === 0) continue;
      const reported = source[index] ?? Number.NaN;
      const endedNs = this.#endedNs[index] ?? Number.NaN;
      const isOpen = Number.isNaN(endedNs);
      const elapsedNs = (isOpen ? nowNs : endedNs) - issuedNs;
      let value = kind === 'mean' ? reported : Number(reported > 1);
      if (Number.isNaN(reported)) {
        // Ended without the figure: nothing was asked of it.
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
      count += 1;
    }
    return { values, times, count, open };
  }

  /** Of those that were told, in their order, from 0; undefined past the last. */
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
    return new InFlight(
      this.#issuedNs.subarray(0, this.#rows).filter(issuedNs => !Number.isNaN(issuedNs)),
      this.#ends.subarray(0, this.ended),
    );
  }

  /** Median latency of the first requests to end: how long a request takes before any queue; undefined before it is known. */
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

/** In the order of the schedule, up to where more than a thousandth is still open: a tail of fast ones would flatter. */
export interface CriterionColumn {
  /** Of a share 1 for a request that misses and 0 for one that does not; OPEN where nothing is known yet. */
  readonly values: Float64Array;
  /**
   * How slow each was, by the criterion's own figure: its reach where that is of times, a figure where the criterion is the mean of
   * it, else ns until its end, or until now.
   */
  readonly times: Float64Array;
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
