// What is known of one stage, a row a request in the order of the schedule: when it was due, when it ended, how, and what
// each criterion says of it. Columns, because a decider goes through all of them at each look.

import type { Outcome } from '../../core/run/outcome.ts';
import { InFlight } from './in-flight.ts';

/** An objective as the decider sees it: the mean of one number of each request must not be over the limit. */
export interface Criterion {
  readonly kind: /** 1 for a request that misses, 0 for one that does not: a percentile, an attainment, an error rate. */
    | 'share'
    /** A figure itself: the mean of a latency. */
    | 'mean';
  readonly limit: number;
  /** Its misses are slow requests, which come together as slow requests do, and not failures. */
  readonly isOfTimes: boolean;
  /** A request still open after so long misses, whatever comes: Infinity where only its end tells. */
  readonly overdueNs: number;
}

export interface EndedRequest {
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
  #isAsked = new Uint8Array(FIRST_ROOM);
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
    this.#isAsked[index] = 1;
    this.#rows = Math.max(this.#rows, index + 1);
    this.issued += 1;
  }

  /** What a criterion says before the request has ended: a first token came in time. */
  tell(index: number, criterion: number, value: number): void {
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
    this.#isAsked[index] = outcome === 'cancelled' ? 0 : 1;
    for (const [criterion, value] of values.entries()) this.tell(index, criterion, value);
  }

  /** The stage's requests that count for a criterion, in their order; see CriterionColumn. */
  column(criterion: number, nowNs: number): CriterionColumn {
    const { overdueNs = Number.POSITIVE_INFINITY } = this.criteria[criterion] ?? {};
    const source = this.#values[criterion] ?? NOTHING;
    const values = new Float64Array(this.issued);
    const latencies = new Float64Array(this.issued);
    let count = 0;
    let open = 0;
    for (let index = 0; index < this.#rows; index += 1) {
      const issuedNs = this.#issuedNs[index] ?? Number.NaN;
      if (Number.isNaN(issuedNs) || this.#isAsked[index] === 0) continue;
      let value = source[index] ?? Number.NaN;
      const endedNs = this.#endedNs[index] ?? Number.NaN;
      const isOpen = Number.isNaN(endedNs);
      if (Number.isNaN(value)) {
        // Ended without the figure: nothing was asked of it.
        if (!isOpen) continue;
        if (nowNs - issuedNs > overdueNs) value = 1;
        else if (open + 1 > OPEN_SHARE_MAX * (count + 1)) break;
        else open += 1;
      }
      values[count] = Number.isNaN(value) ? OPEN : value;
      latencies[count] = (isOpen ? nowNs : endedNs) - issuedNs;
      count += 1;
    }
    return { values, latencies, count, open };
  }

  /** Of those that were told, in their order, from 0; undefined past the last. */
  issuedNsAt(told: number): number | undefined {
    let left = told;
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
    const asked = new Uint8Array(room);
    asked.set(this.#isAsked);
    this.#isAsked = asked;
  }
}

/** In the order of the schedule, up to where more than a thousandth is still open: a tail of fast ones would flatter. */
export interface CriterionColumn {
  /** OPEN where nothing is known yet. */
  readonly values: Float64Array;
  readonly latencies: Float64Array;
  readonly count: number;
  readonly open: number;
}

const grown = (column: Float64Array, room: number, rest: number): Float64Array<ArrayBuffer> => {
  const larger = new Float64Array(room).fill(rest);
  larger.set(column);
  return larger;
};

/** No value of a criterion is negative. */
export const OPEN = -1;
const OPEN_SHARE_MAX = 0.001;
const FIRST_ROOM = 256;
const FIRST_LATENCIES = 20;
const NOTHING: Float64Array = new Float64Array(0);
