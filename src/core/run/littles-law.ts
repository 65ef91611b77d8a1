// Little's law as a check of the account: the mean number of requests in flight is their rate times their mean latency. One side
// is counted by the load threads while they load, the other by what was told of each request. Where they differ, records were
// lost, the window is wrong, or two clocks were used.

import { type Reported, unknown } from '../unknown.ts';

export type LittlesLaw = {
  /** Mean over the window, as the load threads counted. */
  readonly inFlight: number;
  /** Rate times mean latency, as the requests tell. */
  readonly expected: number;
  /** Of `expected`: how far the two may be apart, 2 % and three standard errors of counting now and then. */
  readonly allowance: number;
  readonly holds: boolean;
};

/** Over a window from the first request sent to the last end, so that nothing was in flight at its edges. */
export const littlesLaw = ({
  counted,
  latencyTotalNs,
  requests,
  windowNs,
}: {
  readonly counted: InFlightCount;
  readonly latencyTotalNs: number;
  readonly requests: number;
  readonly windowNs: number;
}): Reported<LittlesLaw> => {
  if (requests === 0 || windowNs <= 0 || counted.steps < STEPS_LEAST) return unknown('too short to say');
  if (windowNs < LATENCIES_LEAST * (latencyTotalNs / requests))
    return unknown(`the window is shorter than ${LATENCIES_LEAST} mean latencies`);
  const expected = latencyTotalNs / windowNs;
  const inFlight = counted.integralNs / windowNs;
  const step = Math.sqrt(counted.squaredChanges / 2 / counted.steps);
  const noise = (ERRORS * step) / Math.sqrt(counted.steps) / expected;
  const allowance = DIFFERENCE_ALLOWED + noise;
  if (noise > NOISE_ALLOWED) return unknown('requests are too short to be counted while they last');
  return { inFlight, expected, allowance, holds: Math.abs(inFlight / expected - 1) <= allowance };
};

export interface InFlightCount {
  /** Requests in flight, over time. */
  readonly integralNs: number;
  readonly steps: number;
  /** Sum of the squares of the changes from one count to the next. */
  readonly squaredChanges: number;
}

/** Counts now and then, and takes what is between two counts as their mean. */
export class InFlightCounter implements InFlightCount {
  integralNs = 0;
  steps = 0;
  squaredChanges = 0;
  #last: { readonly atNs: number; readonly inFlight: number } | undefined;

  add(atNs: number, inFlight: number): void {
    if (this.#last !== undefined) {
      this.integralNs += ((inFlight + this.#last.inFlight) / 2) * (atNs - this.#last.atNs);
      this.squaredChanges += (inFlight - this.#last.inFlight) ** 2;
      this.steps += 1;
    }
    this.#last = { atNs, inFlight };
  }
}

const DIFFERENCE_ALLOWED = 0.02;
const LATENCIES_LEAST = 20;
const STEPS_LEAST = 20;
const ERRORS = 3;
/** Past it the check could not fail. */
const NOISE_ALLOWED = 0.1;
