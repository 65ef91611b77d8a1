// What a person does without prior knowledge of the line: sweeps of 12 equal stages, the first over loads that double
// from far below to far above what one request at a time reaches, each next one inside the gap that the previous one
// left, and both ends once more, as the search does. How long the stages must be until that gap is as narrow as a
// given bracket, and how long all of them take.

import { capacityOf } from '../test/support/queue-simulator.ts';
import { type SimulatedStage, simulateStage } from '../test/support/simulated-line.ts';
import { median } from './bench-row.ts';
import type { EqualStagesOptions } from './equal-stages.ts';

export interface ZoomingSweeps {
  /** Of all stages, in the median. */
  readonly seconds: number;
  /** Of the people that were tried, those whose gap holds the true line. */
  readonly inside: number;
  readonly tried: number;
}

/** undefined: not even stages that take eight times the search are enough. */
export const zoomingSweeps = (options: EqualStagesOptions): ZoomingSweeps | undefined => {
  const { searchSeconds, width, truth } = options;
  for (let seconds = searchSeconds / LEAST; STAGES * seconds <= LONGEST * searchSeconds; seconds *= STEP) {
    const people = SEEDS.map(seed => zoomed(options, { seed, seconds }));
    if (median(people.map(gapOf)) <= width * 1.02)
      return {
        seconds: median(people.map(({ spentSeconds }) => spentSeconds)),
        inside: people.filter(
          ({ holds, fails }) => holds <= truth * (1 + TOLERANCE) && fails >= truth * (1 - TOLERANCE),
        ).length,
        tried: people.length,
      };
  }
  return undefined;
};

/** Both ends had the same verdict twice. */
interface Zoomed {
  readonly holds: number;
  readonly fails: number;
  readonly spentSeconds: number;
}

/** fails ÷ holds − 1. */
const gapOf = ({ holds, fails }: Zoomed): number =>
  holds > 0 && holds < fails ? fails / holds - 1 : Number.POSITIVE_INFINITY;

const zoomed = (
  { endpoint, width }: EqualStagesOptions,
  { seed, seconds }: { readonly seed: number; readonly seconds: number },
): Zoomed => {
  let [stages, spentSeconds] = [0, 0];
  const measured = (load: number): SimulatedStage['verdict'] => {
    stages += 1;
    const { verdict, elapsedNs } = simulateStage(
      endpoint,
      { kind: 'rate', requestsPerSecond: load, arrival: 'poisson' },
      { seed: 1_000 * seed + stages, durationNs: seconds * 1e9, isFixed: true },
    );
    spentSeconds += elapsedNs / 1e9;
    return verdict;
  };
  const oneAtATime = capacityOf({ ...endpoint.model, servers: 1 });
  // Where in a doubling the line is, is random.
  let low = oneAtATime * 2 ** (-FIRST_DOWN - seed / SEEDS.length);
  let high = low * 2 ** (STAGES + 1);
  let [holds, fails] = [0, Number.POSITIVE_INFINITY];
  const heldLoads: number[] = [];
  const failedLoads: number[] = [];
  for (let sweep = 0; sweep < SWEEPS_MAX; sweep += 1) {
    const step = (high / low) ** (1 / (STAGES + 1));
    for (let at = 1; at <= STAGES; at += 1) {
      const load = low * step ** at;
      const verdict = measured(load);
      if (verdict === 'held') heldLoads.push(load);
      else if (isFailed(verdict)) failedLoads.push(load);
      // As `plimsoll sweep` does: loads beyond a queue that grows are not tried.
      if (verdict === 'over-capacity') break;
    }
    holds = Math.max(0, ...heldLoads);
    fails = Math.min(...failedLoads);
    const isOpen = holds === 0 || !Number.isFinite(fails);
    const isNothingNew = holds <= low && fails >= high;
    if (isOpen || isNothingNew || holds >= fails || fails / holds - 1 <= width) break;
    [low, high] = [holds, fails];
  }
  // An end with another verdict the second time is replaced by the next load beyond, as in the search.
  const heldLoad = heldLoads.toSorted((a, b) => b - a).find(load => measured(load) === 'held');
  const failed = failedLoads.toSorted((a, b) => a - b).find(load => isFailed(measured(load)));
  return { holds: heldLoad ?? 0, fails: failed ?? Number.POSITIVE_INFINITY, spentSeconds };
};

const isFailed = (verdict: SimulatedStage['verdict']): boolean =>
  verdict === 'missed' || verdict === 'over-capacity';

const STAGES = 12;
/** Doublings below one request at a time that the first sweep begins at. */
const FIRST_DOWN = 4;
const SWEEPS_MAX = 4;
const SEEDS: readonly number[] = Array.from({ length: 15 }, (_, index) => index + 1);
/** Parts of the search's time that the shortest stage takes. */
const LEAST = 60;
const STEP = 1.25;
const LONGEST = 8;
/** The truth is itself known to about so much. */
const TOLERANCE = 0.005;
