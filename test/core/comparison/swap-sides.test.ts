import { expect, test } from 'vitest';
import { swapSides } from '../../../src/core/comparison/swap-sides.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
import { madeUpComparison } from '../../support/made-up-comparison.ts';

test('a comparison the other way round has its ratios inverted and its verdicts turned, and twice is what it was', () => {
  const document = madeUpComparison(
    [318, 322, 310, 325, 315, 321].map((a, index) => [a, 280 + 3 * (index % 3)] as const),
  );
  const swapped = swapSides(document);
  expect(swapped.verdict).toEqual({ kind: 'worse' });
  expect(swapped.sentence).toMatch(/^B is worse: TTFT p90 \+12\.\d % \(\+9\.\d to \+16\.\d %\)/);
  expect(swapped.b.label).toBe(document.a.label);
  const [ratio, before] = [swapped.metrics[0]?.ratio, document.metrics[0]?.ratio];
  if (ratio === undefined || before === undefined || isUnknown(ratio) || isUnknown(before))
    throw new Error('no ratio');
  expect(ratio.low).toBeCloseTo(1 / before.high, 12);
  expect(ratio.low).toBeLessThan(ratio.value);
  expect(ratio.value).toBeLessThan(ratio.high);
  expect(swapSides(swapped).sentence).toBe(document.sentence);
});
