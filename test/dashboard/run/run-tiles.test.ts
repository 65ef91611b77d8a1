import { expect, test } from 'vitest';
import { runTiles } from '../../../dashboard/src/run/run-tiles.ts';
import { madeUpFigures, madeUpRunEntry } from '../../support/run-entry.ts';

const remarkOf = (count: number): string | undefined => {
  const percentiles = { 50: 2e6, 90: 4e6, 99: 9e6 };
  const figures = madeUpFigures({ series: { ttftNs: { count, percentiles } } });
  return runTiles(madeUpRunEntry('r1'), figures, undefined).find(({ name }) => name === 'TTFT p50')?.remark;
};

test('a tile shows a tail only with enough requests for it, as the report does', () => {
  expect(remarkOf(29)).toBe('p90: too few · p99: too few');
  expect(remarkOf(100)).toBe('p90 4.00\u00a0ms · p99: too few');
  expect(remarkOf(1_000)).toBe('p90 4.00\u00a0ms · p99 9.00\u00a0ms');
});
