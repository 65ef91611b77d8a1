// The verdict for an effect at one look: better or worse if the interval excludes no change and the estimate
// is beyond the margin; the same if two one-sided tests put it inside the margin; else undecided, with the
// number of pairs that would decide.

import * as v from 'valibot';
import type { BetterDirection } from '../run/series-row.ts';
import { count, type Infer, longText, openObject, reported } from '../schema.ts';
import { effectChance, type LogEffect, upperStudent } from '../statistics/student-quantile.ts';
import { type Reported, unknown } from '../unknown.ts';

export const comparisonVerdictSchema = v.variant('kind', [
  openObject({ kind: v.literal('better') }),
  openObject({ kind: v.literal('worse') }),
  openObject({ kind: v.literal('same') }),
  openObject({ kind: v.literal('different') }),
  openObject({
    kind: v.literal('undecided') /** Total number, if mean and spread stay as they are. */,
    pairsToDecide: reported(count),
  }),
  openObject({ kind: v.literal('not-comparable'), reason: longText }),
]);

export type ComparisonVerdict = Infer<typeof comparisonVerdictSchema>;

interface EffectQuestion {
  /** Level of this look: the interval is one of 1 − alpha. */
  readonly alpha: number;
  readonly marginShare: number;
  readonly better: BetterDirection;
  /** Corrected for the number of tests; default: the effect's own. */
  readonly chance?: number;
}

export const judgeEffect = (effect: LogEffect, question: EffectQuestion): ComparisonVerdict => {
  const { alpha, marginShare, better, chance = effectChance(effect) } = question;
  const margin = Math.log1p(marginShare);
  if (chance <= alpha && Math.abs(effect.mean) > margin) {
    if (better === 'none') return { kind: 'different' };
    return { kind: effect.mean > 0 === (better === 'higher') ? 'better' : 'worse' };
  }
  const { standardError, degreesOfFreedom } = effect;
  const half = standardError === 0 ? 0 : upperStudent(alpha, degreesOfFreedom) * standardError;
  if (Math.abs(effect.mean) + half < margin) return { kind: 'same' };
  return { kind: 'undecided', pairsToDecide: pairsToDecide(effect, question) };
};

/**
 * At least ⌈(t·s/Δ)²⌉, for which the interval is as wide as the margin; more if the estimate is near the
 * margin, because it would stay undecided. Student's t is taken for the resulting number of pairs.
 */
export const pairsToDecide = (
  { mean, spread, count }: Pick<LogEffect, 'mean' | 'spread' | 'count'>,
  { alpha, marginShare }: Pick<EffectQuestion, 'alpha' | 'marginShare'>,
): Reported<number> => {
  const margin = Math.log1p(marginShare);
  const off = Math.abs(mean);
  const isInside = off < margin;
  const room = isInside ? margin - off : off;
  for (let pairs = Math.max(PAIRS_MIN, count + 1); pairs <= DECIDING_PAIRS_MAX; pairs += 1) {
    const error = spread / Math.sqrt(pairs);
    const isNarrow = upperStudent(alpha / 2, pairs - 1) * error <= margin;
    if (isNarrow && upperStudent(isInside ? alpha : alpha / 2, pairs - 1) * error < room) return pairs;
  }
  return unknown(`more than ${DECIDING_PAIRS_MAX} pairs would be needed`);
};

/** With fewer pairs, even full agreement is not significant. */
export const PAIRS_MIN = 6;
const DECIDING_PAIRS_MAX = 200;
