// A small share of `npm run bench -- compare-truth`: comparisons of simulated queues whose truth is known. Segments are short, so that
// pairs spread by more; a rate of false alarms does not depend on that, and differences are given in spreads of a pair.

import { describe, expect, test } from 'vitest';
import { lookAlpha } from '../../../src/core/statistics/look-levels.ts';
import { knownOr } from '../../../src/core/unknown.ts';
import { COMPARISON_CELLS } from '../../support/comparison-cells.ts';
import {
  type SimulatedComparison,
  type SimulatedPairs,
  simulateComparison,
} from '../../support/simulated-comparison.ts';

const [aA] = COMPARISON_CELLS;
if (aA === undefined) throw new Error('no cell');
const SHORT: SimulatedPairs = { ...aA.pairs, segmentMs: 1_500 };
/** Of pairs of such segments: root of the mean square over 200 comparisons. */
const SPREAD = 0.0893;

const compared = (pairs: SimulatedPairs, count: number): readonly SimulatedComparison[] =>
  Array.from({ length: count }, (_, index) => simulateComparison(pairs, 3_000 + index));

describe('comparisons of simulated servers', () => {
  test('that are the same raise a false alarm at any of three looks in 2 to 8 % of 200', () => {
    const all = compared(SHORT, 200);
    const alpha = lookAlpha([6, 8, 12]);
    const alarms = all.filter(({ looks }) => looks.some(({ p }) => knownOr(p, 1) <= alpha)).length;
    expect(alarms).toBeGreaterThanOrEqual(4);
    expect(alarms).toBeLessThanOrEqual(16);
    const wrong = all.filter(
      ({ ended }) => ended.verdict.kind === 'better' || ended.verdict.kind === 'worse',
    );
    expect(wrong.length).toBeLessThanOrEqual(16);
    const covered = all.filter(({ looks }) => {
      const ratio = looks.at(-1)?.ratio;
      return ratio !== undefined && 'low' in ratio && ratio.low <= 1 && ratio.high >= 1;
    });
    expect(covered.length / all.length).toBeGreaterThanOrEqual(0.93);
    const spread = Math.sqrt(
      all.reduce((sum, { looks }) => sum + knownOr(looks.at(-1)?.spread ?? 0, 0) ** 2, 0) / all.length,
    );
    expect(spread).toBeCloseTo(SPREAD, 3);
  });

  test('of which one is slower by 1.6 spreads of a pair are found to differ in nine of ten', () => {
    const stretch = Math.exp(1.6 * SPREAD);
    const margins = { 'ttft.p90': 0.4 * (stretch - 1) };
    const found = compared({ ...SHORT, stretch, margins }, 40).filter(
      ({ ended }) => ended.verdict.kind === 'worse',
    );
    expect(found.length).toBeGreaterThanOrEqual(36);
  });

  test('that differ by two fifths of the margin are called the same in four of five', () => {
    const stretch = Math.exp(0.66 * SPREAD);
    const margins = { 'ttft.p90': Math.expm1(1.65 * SPREAD) };
    const found = compared({ ...SHORT, stretch, margins }, 40).map(({ ended }) => ended.verdict.kind);
    expect(found.filter(kind => kind === 'same').length).toBeGreaterThanOrEqual(32);
  });

  test('whose times grow fourfold meanwhile are not taken for different, because each side goes first as often', () => {
    const found = compared({ ...SHORT, drift: 3 }, 40).map(({ ended }) => ended.verdict.kind);
    expect(found.filter(kind => kind === 'better' || kind === 'worse').length).toBeLessThanOrEqual(6);
  });
});
