import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { holmAdjusted } from '../../../src/core/statistics/holm.ts';
import { lookAlpha } from '../../../src/core/statistics/look-levels.ts';
import { signFlipChance } from '../../../src/core/statistics/sign-flip.ts';
import { effectChance, pairedEffect, ratioInterval } from '../../../src/core/statistics/student-quantile.ts';

/** Student's own ten patients (Biometrika 6, 1908): hours of sleep that a second drug gave beyond the first. */
const SLEEP = [1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, 0.8, 4.6, 1.4];

describe('pairs on logarithms', () => {
  test("Student's ten patients have the t test that he published: t = 4.06, p = 0.0028", () => {
    const effect = pairedEffect(SLEEP);
    if (effect === undefined) throw new Error('no effect');
    expect(effect.mean / effect.standardError).toBeCloseTo(4.0621, 4);
    expect(effectChance(effect)).toBeCloseTo(0.002833, 6);
    const { low, high } = ratioInterval(effect, 0.05);
    expect([Math.log(low), Math.log(high)]).toEqual([expect.closeTo(0.70011, 4), expect.closeTo(2.45989, 4)]);
  });

  test('pairs that are all equal have an interval without width and no chance of another answer', () => {
    const effect = pairedEffect([0.1, 0.1, 0.1].map(() => 0.125));
    if (effect === undefined) throw new Error('no effect');
    const { value, low, high } = ratioInterval(effect, 0.05);
    expect([low, high]).toEqual([value, value]);
    expect(effectChance(effect)).toBe(0);
    expect(effectChance({ ...effect, mean: 0 })).toBe(1);
  });

  test('one pair has no effect', () => {
    expect(pairedEffect([0.1])).toBeUndefined();
  });
});

describe('the exact sign flip', () => {
  test('six pairs that all agree have 2 of 64 ways, which decides no look', () => {
    const chance = signFlipChance([0.1, 0.2, 0.3, 0.1, 0.2, 0.3]);
    expect(chance).toBe(2 / 64);
    expect(chance).toBeGreaterThan(lookAlpha([6, 8, 12]));
  });

  test('it counts what going through all ways one by one counts', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 9 }), pairs => {
        const seen = Math.abs(pairs.reduce((sum, value) => sum + value, 0));
        let extreme = 0;
        for (let way = 0; way < 2 ** pairs.length; way += 1) {
          const sum = pairs.reduce((total, value, index) => total + (way & (1 << index) ? value : -value), 0);
          if (Math.abs(sum) >= seen) extreme += 1;
        }
        expect(signFlipChance(pairs)).toBe(extreme / 2 ** pairs.length);
      }),
    );
  });

  test('more than 20 pairs are not gone through', () => {
    expect(signFlipChance(Array.from({ length: 21 }, () => 1))).toBeUndefined();
  });
});

test("Holm's adjusted chances are those of his procedure, in the order given, and never above 1", () => {
  expect(holmAdjusted([0.01, 0.04, 0.03, 0.005])).toEqual([0.03, 0.06, 0.06, 0.02]);
  expect(holmAdjusted([0.5, 0.9])).toEqual([1, 1]);
  expect(holmAdjusted([])).toEqual([]);
});

test('one look is taken at 5 %, the usual three at what keeps their whole at 5 %, others at no more than that', () => {
  expect(lookAlpha([12])).toBe(0.05);
  expect(lookAlpha([6, 8, 12])).toBe(0.0227);
  expect(lookAlpha([10, 20])).toBe(0.025);
});
