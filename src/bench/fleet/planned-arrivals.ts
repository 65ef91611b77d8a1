// What a schedule plans for each agent, counted from the schedule alone, so that it can be held against what each has sent.

import { maximumOf } from '../../core/extremes.ts';
import { isOpenLoop } from '../../core/run/run-pattern.ts';
import { type Reported, unknown } from '../../core/unknown.ts';
import type { LoadPlan } from '../load/load-plan.ts';
import { arrivals } from '../schedule/arrivals.ts';
import { OwnArrivals } from '../schedule/own-arrivals.ts';

/** Arrivals of each agent in the measured phase; unknown where no schedule says when requests are sent. */
export const plannedArrivals = (
  { pattern, course, seed, limits }: LoadPlan,
  agents: number,
): Reported<readonly number[]> => {
  if (pattern.kind === 'concurrency' || pattern.kind === 'max-throughput')
    return unknown('no schedule plans it');
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

/** Between the arrivals of one agent, by its highest rate; undefined where there is no schedule. */
export const medianGapNs = ({ pattern, course }: LoadPlan, agents: number): number | undefined => {
  if (!isOpenLoop(pattern) || !('requestsPerSecond' in pattern)) return undefined;
  const levels = course?.pieces.flatMap(({ from, to }) => [from, to]) ?? [];
  const rate = maximumOf([pattern.requestsPerSecond, ...levels]) / agents;
  // Of exponential gaps the median is ln 2 of the mean.
  return (pattern.kind === 'poisson' ? Math.LN2 : 1) * (1e9 / rate);
};
