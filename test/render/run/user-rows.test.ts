// The speed that one user gets.

import { expect, test } from 'vitest';
import { userSection } from '../../../src/render/run/user-rows.ts';
import { sectionCellText } from '../../../src/render/section.ts';
import { MadeUpRun } from '../../support/made-up-run.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const report = (() => {
  using folder = temporaryDirectory();
  const run = new MadeUpRun({ directory: folder.path });
  run.samples(300, { fromMs: 0, untilMs: 60_000 });
  return run.report();
})();

const rowsOf = (
  percentiles: Readonly<Record<string, number>>,
  estimates: Readonly<Record<string, number | null>>,
) => {
  const { tpotNs } = report.series;
  if (tpotNs === undefined) throw new Error('the run has no time per token');
  const { intervals: _, ...series } = tpotNs;
  return userSection({ series: { tpotNs: { ...series, percentiles, estimates } } })?.tables?.[0]?.rows.map(
    row => row.map(cell => sectionCellText(cell).replaceAll('\u00a0', ' ')),
  );
};

test('the floor of the speed is that of the slowest of so many requests', () => {
  const ms = 1e6;
  expect(rowsOf({ 50: 20 * ms, 90: 25 * ms, 99: 50 * ms }, { 90: 26 * ms, 99: 60 * ms })).toEqual([
    ['half', '50.0 tok/s'],
    ['90 of 100', '40.0 tok/s'],
    ['99 of 100', '20.0 tok/s'],
  ]);
});

test('a tail of too few requests has no floor', () => {
  expect(rowsOf({ 50: 2e7, 90: 2e7, 99: 2e7 }, { 90: 2e7, 99: null })?.at(-1)).toEqual([
    '99 of 100',
    '– too few',
  ]);
});

test('an endpoint that does not stream has no such section', () => {
  expect(userSection({ series: {} })).toBeUndefined();
});
