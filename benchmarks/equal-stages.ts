// What a person does without a search: 12 stages of equal length, at loads evenly apart. How long they must be until the gap
// between the highest load that holds and the lowest that does not is as narrow as a given bracket.

import { type SimulatedEndpoint, simulateStage } from '../test/support/simulated-line.ts';
import { median } from './bench-row.ts';

export interface EqualStagesOptions {
  readonly endpoint: SimulatedEndpoint;
  readonly truth: number;
  /** fails ÷ holds − 1. */
  readonly width: number;
  /** Of the search they are compared with. */
  readonly searchSeconds: number;
}

/** Seconds of all 12; undefined: not even eight times the search is enough. */
export const equalStagesSeconds = (options: EqualStagesOptions): number | undefined => {
  const { searchSeconds, width } = options;
  const least = searchSeconds / 4 / STAGES;
  for (let seconds = least; STAGES * seconds <= LONGEST * searchSeconds; seconds *= LENGTH_STEP)
    // Loads as far apart as the bracket is wide, half and a third of it: whichever does best.
    for (const parts of [1, 2, 3]) {
      const widths = SEEDS.map(seed => widthOf(options, { seed, seconds, step: (1 + width) ** (1 / parts) }));
      if (median(widths) <= width * 1.02) return STAGES * seconds;
    }
  return undefined;
};

const widthOf = (
  { endpoint, truth }: EqualStagesOptions,
  { seed, seconds, step }: { readonly seed: number; readonly seconds: number; readonly step: number },
): number => {
  // They have the advantage that the line is in their middle. Its position between two of them differs by seed.
  const middle = (STAGES - 1) / 2 + (seed - (SEEDS.length + 1) / 2) / SEEDS.length;
  let [holds, fails] = [0, Number.POSITIVE_INFINITY];
  for (let at = 0; at < STAGES; at += 1) {
    const load = truth * step ** (at - middle);
    // Those far from the line are obvious; a wrong verdict there would only make the gap wider.
    if (load < holds || load > fails || Math.abs(at - middle) > STAGES_SEEN) continue;
    const { verdict } = simulateStage(
      endpoint,
      { kind: 'rate', requestsPerSecond: load, arrival: 'poisson' },
      { seed: 100 * seed + at, durationNs: seconds * 1e9, isFixed: true },
    );
    if (verdict === 'held') holds = Math.max(holds, load);
    else if (verdict === 'missed' || verdict === 'over-capacity') fails = Math.min(fails, load);
  }
  return holds === 0 || holds >= fails ? Number.POSITIVE_INFINITY : fails / holds - 1;
};

const STAGES = 12;
/** On either side of the line, as far as the width that is asked for goes. */
const STAGES_SEEN = 3.5;
const SEEDS = [1, 2, 3, 4, 5, 6, 7] as const;
const LENGTH_STEP = 1.25;
const LONGEST = 8;
