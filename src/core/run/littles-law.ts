// Little's law as a consistency check: the mean number of requests in flight is their rate times their mean
// latency. One side is counted by the load threads during the load, the other comes from the records of each
// request. If they differ, records were lost, the window is wrong, or two clocks were used.

import * as v from 'valibot';
import { figure, type Infer, openObject } from '../schema.ts';
import { type Reported, unknown } from '../unknown.ts';

export const littlesLawSchema = openObject({
  /** Mean over the window, as the load threads counted. */
  inFlight: figure,
  /** Rate times mean latency, from the requests' records. */
  expected: figure,
  /** Permitted difference, as part of `expected`: 2 % and three standard errors of the sampled count. */
  allowance: figure,
  holds: v.boolean(),
});

export type LittlesLaw = Infer<typeof littlesLawSchema>;

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
  if (requests === 0 || windowNs <= 0 || counted.steps < STEPS_LEAST)
    return unknown('too short for the check');
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
  /** Sum of the squares of the differences between consecutive counts. */
  readonly squaredChanges: number;
}

/** Samples the count, and takes the value between two samples as their mean. */
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
/** Above it the check could not fail. */
const NOISE_ALLOWED = 0.1;
