// How many arrivals a schedule plans for each agent, counted from the schedule alone, for comparison with what each
// one sent.

import { maximumOf } from '../../core/extremes.ts';
import { type Arrival, isOpenLoop } from '../../core/run/run-pattern.ts';
import { gammaMedian } from '../../core/statistics/gamma-distribution.ts';
import { type Reported, unknown } from '../../core/unknown.ts';
import type { LoadPlan } from '../load/load-plan.ts';
import { arrivals } from '../schedule/arrivals.ts';
import { OwnArrivals } from '../schedule/own-arrivals.ts';

/** Arrivals of each agent in the measured phase; unknown without a schedule of send times. */
export const plannedArrivals = (
  { pattern, course, seed, limits }: LoadPlan,
  agents: number,
): Reported<readonly number[]> => {
  if (!isOpenLoop(pattern)) return unknown('no schedule plans it');
  const measuredFromNs = course?.measuredFromNs ?? 0;
  const own = new OwnArrivals({
    arrivals: arrivals(pattern, seed, course),
    share: { index: 0, of: 1 },
    startNs: 0,
    endNs: measuredFromNs + (limits.durationNs ?? Number.POSITIVE_INFINITY),
    measuredFromNs,
    samplesMax: limits.samplesMax ?? Number.POSITIVE_INFINITY,
  });
  const counts = new Array<number>(agents).fill(0);
  for (; !own.hasEnded; own.advance())
    if (own.isMeasured) counts[own.index % agents] = (counts[own.index % agents] ?? 0) + 1;
  return counts;
};

/** Median gap between the arrivals of one agent, by its highest rate; undefined without a schedule. */
export const medianGapNs = ({ pattern, course }: LoadPlan, agents: number): number | undefined => {
  if (!isOpenLoop(pattern)) return undefined;
  const levels = course?.pieces.flatMap(({ from, to }) => [from, to]) ?? [];
  const rate = maximumOf([pattern.requestsPerSecond, ...levels]) / agents;
  return medianOfGaps(pattern, agents) * (1e9 / rate);
};

/** In means. Every n-th arrival of a gamma renewal process has gaps of n times its shape. */
const medianOfGaps = (arrival: Arrival, agents: number): number => {
  switch (arrival.kind) {
    case 'poisson':
      return Math.LN2;
    case 'constant':
      return 1;
    case 'gamma': {
      const shape = agents * arrival.burstiness;
      return gammaMedian(shape) / shape;
    }
    default:
      return arrival satisfies never;
  }
};
