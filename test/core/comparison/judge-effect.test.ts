import { describe, expect, test } from 'vitest';
import { judgeEffect, pairsToDecide } from '../../../src/core/comparison/judge-effect.ts';
import { isKnown } from '../../../src/core/unknown.ts';

const QUESTION = { alpha: 0.05, marginShare: 0.05, better: 'lower' } as const;

const effect = (mean: number, spread = 0.03, count = 12) => ({
  mean,
  spread,
  count,
  standardError: spread / Math.sqrt(count),
  degreesOfFreedom: count - 1,
});

describe('a verdict', () => {
  test('is better or worse where the interval is clear of none and the estimate beyond the margin', () => {
    expect(judgeEffect(effect(-0.1), QUESTION)).toEqual({ kind: 'better' });
    expect(judgeEffect(effect(0.1), QUESTION)).toEqual({ kind: 'worse' });
    expect(judgeEffect(effect(0.1), { ...QUESTION, better: 'higher' })).toEqual({ kind: 'better' });
    expect(judgeEffect(effect(0.1), { ...QUESTION, better: 'none' })).toEqual({ kind: 'different' });
  });

  test('is not worse by a difference that is real and does not matter', () => {
    expect(judgeEffect(effect(0.02, 0.01), QUESTION)).toEqual({ kind: 'same' });
    expect(judgeEffect(effect(0.04, 0.03), QUESTION).kind).toBe('undecided');
  });

  test('is undecided where the correction for many tests takes the chance above the level', () => {
    expect(judgeEffect(effect(0.1), { ...QUESTION, chance: 0.2 }).kind).toBe('undecided');
  });

  test('is the same where two one-sided tests put it inside the margin, and not a hair before', () => {
    // t₀.₉₅ of 11 degrees of freedom is 1.7959; ln 1.05 is 0.04879.
    const spread = (0.04879 / 1.7959) * Math.sqrt(12);
    expect(judgeEffect(effect(0, spread * 0.999), QUESTION)).toEqual({ kind: 'same' });
    expect(judgeEffect(effect(0, spread * 1.001), QUESTION).kind).toBe('undecided');
  });
});

describe('pairs that would decide', () => {
  test('are never fewer than six, nor than those that did not decide', () => {
    expect(pairsToDecide(effect(0, 0.001, 2), QUESTION)).toBe(6);
    expect(pairsToDecide(effect(0, 0.001, 12), QUESTION)).toBe(13);
  });

  test('are at least (t·s/Δ)², with the t of so many pairs', () => {
    // 27 pairs: t₀.₉₇₅ of 26 is 2.0555, and 2.0555 · 0.12 / √27 = 0.0475 ≤ 0.0488; of 26 pairs 0.0485; of 25 0.0495.
    expect(pairsToDecide(effect(0, 0.12, 12), QUESTION)).toBe(26);
  });

  test('are those with which the very same estimate is decided', () => {
    for (const mean of [0, 0.01, 0.02, 0.03, 0.06, 0.09]) {
      const pairs = pairsToDecide(effect(mean, 0.05, 12), QUESTION);
      if (!isKnown(pairs)) throw new Error('unknown');
      expect(judgeEffect(effect(mean, 0.05, pairs), QUESTION).kind).not.toBe('undecided');
    }
  });

  test('are unknown where the estimate is at the margin', () => {
    expect(pairsToDecide(effect(Math.log(1.0499), 0.05, 12), QUESTION)).toMatchObject({ kind: 'unknown' });
  });
});
