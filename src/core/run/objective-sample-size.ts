// How many requests an objective needs to be decided, before any has been sent: as if requests were independent, which they are
// at best. The result of a run is judged by judge-objective.ts.

import { sideOfShare } from '../statistics/share-interval.ts';
import type { JudgedObjective } from './objective.ts';

export interface ObjectiveSampleSize {
  /** If no request misses the limit. */
  readonly least: number;
  /** If half as many miss it as may. */
  readonly usual: number;
}

/** undefined: the number depends on the figures (a mean), or none is enough (a share of 100 % or an error rate of 0 %). */
export const objectiveSampleSize = (objective: JudgedObjective): ObjectiveSampleSize | undefined => {
  const share = shareOf(objective);
  if (share === undefined || share <= 0 || share >= 1) return undefined;
  return { least: leastCount(share, 1), usual: leastCount(share, 1 - (1 - share) / 2) };
};

/** The share of requests that must be within the limit. */
const shareOf = (objective: JudgedObjective): number | undefined => {
  switch (objective.kind) {
    case 'attainment':
      return objective.share;
    case 'percentile':
      return objective.percentile / 100;
    case 'error-rate':
      return 1 - objective.limitShare;
    case 'mean':
      return undefined;
    default:
      return objective satisfies never;
  }
};

/** The least count at which the interval is on the good side, found by doubling and halving. */
const leastCount = (share: number, good: number): number => {
  const isDecided = (of: number): boolean =>
    sideOfShare({ hits: of * good, of, share, confidence: CONFIDENCE }) === 'above';
  let above = 1;
  while (above < COUNT_MAX && !isDecided(above)) above *= 2;
  let below = above / 2;
  while (above - below > 1) {
    const middle = Math.floor((above + below) / 2);
    if (isDecided(middle)) above = middle;
    else below = middle;
  }
  return above;
};

/** As judge-objective.ts judges. */
const CONFIDENCE = 0.95;
const COUNT_MAX = 2 ** 30;
