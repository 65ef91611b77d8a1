// Detects that an endpoint's capacity changed during a search: stages that contradict any single capacity. Verdicts
// near the line are wrong now and then, so loads must contradict each other by more than that, or three times.

import { loadOf, type SearchedStage, type SearchOptions } from './line-search.ts';

export interface CapacityChange {
  readonly kind: 'less' | 'more';
  /** The load that was met, and the one that was not. The one measured first comes first. */
  readonly held: number;
  readonly failed: number;
}

/** undefined: there is no evidence of a change. */
export const capacityChange = (
  stages: readonly SearchedStage[],
  { by }: Pick<SearchOptions, 'by'>,
): CapacityChange | undefined => {
  const judged = stages.flatMap(({ load, purpose, verdict }) =>
    load.kind === by && purpose !== 'estimate' && purpose !== 'alone' && VERDICTS.has(verdict)
      ? [{ load: loadOf(load), isHeld: verdict === 'held' }]
      : [],
  );
  for (const kind of ['less', 'more'] as const) {
    const first = kind === 'less';
    for (const [at, early] of judged.entries()) {
      if (early.isHeld !== first) continue;
      const against = judged
        .slice(at + 1)
        .filter(({ load, isHeld }) => isHeld !== first && (first ? load <= early.load : load >= early.load));
      const [farthest] = against.toSorted((a, b) => (first ? a.load - b.load : b.load - a.load));
      if (farthest === undefined) continue;
      const distance = Math.abs(Math.log(early.load / farthest.load));
      if (distance < DISTANCE_LEAST && against.length < AGAINST_LEAST) continue;
      return first
        ? { kind, held: early.load, failed: farthest.load }
        : { kind, held: farthest.load, failed: early.load };
    }
  }
  return undefined;
};

const VERDICTS: ReadonlySet<SearchedStage['verdict']> = new Set(['held', 'missed', 'over-capacity']);
/**
 * Distance of logarithms. Both verdicts would have to be wrong by half of it, and at 5 % that happens once in a
 * hundred.
 */
const DISTANCE_LEAST = 0.1;
const AGAINST_LEAST = 3;
