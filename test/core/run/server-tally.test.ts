// What a server counted over a run, from readings before, during and after it.

import { expect, test } from 'vitest';
import { knownOr } from '../../../src/core/unknown.ts';
import { serverOf } from '../../support/spoiled-run.ts';

const evidenceOf = (readings: Parameters<typeof serverOf>[0]) => {
  const evidence = knownOr(serverOf(readings), undefined);
  if (evidence === undefined) throw new Error('there is no evidence');
  return evidence;
};

test('a total is what a counter rose by from before the first request until after the last reply', () => {
  const { figures, countedOver } = evidenceOf([
    { moment: 'start', generatedTokens: 1_000 },
    { moment: 'load', generatedTokens: 1_100 },
    { moment: 'load', generatedTokens: 1_180 },
    { moment: 'end', generatedTokens: 1_256 },
  ]);
  expect(figures.generatedTokens?.rose).toBe(256);
  expect(countedOver).toBe('whole');
});

test('a run that is too short for a reading while it lasts has its totals', () => {
  const { figures } = evidenceOf([
    { moment: 'start', generatedTokens: 7 },
    { moment: 'end', generatedTokens: 71 },
  ]);
  expect(figures.generatedTokens?.rose).toBe(64);
});

test('without a reading before and one after the load, totals are marked as partial', () => {
  expect(evidenceOf([{ generatedTokens: 5 }, { generatedTokens: 9 }])).toMatchObject({
    figures: { generatedTokens: { rose: 4 } },
    countedOver: 'within',
  });
});

test('a counter that appears only once it has counted something began with 0', () => {
  const { figures } = evidenceOf([
    { moment: 'start', generatedTokens: 1 },
    { moment: 'load', generatedTokens: 2, rejected: 3 },
    { moment: 'end', generatedTokens: 2, rejected: 5 },
  ]);
  expect(figures.rejected?.rose).toBe(5);
});

test('gauges are those of the load, not of the idle server before and after it', () => {
  const { figures } = evidenceOf([
    { moment: 'start', running: 0 },
    { moment: 'load', running: 4 },
    { moment: 'end', running: 0 },
  ]);
  expect(figures.running).toMatchObject({ min: 4, max: 4, mean: 4 });
});

test('a server that restarted counts from 0 again, and the restart is reported', () => {
  const { figures, restarts } = evidenceOf([
    { moment: 'start', generatedTokens: 900, promptTokens: 100 },
    { moment: 'load', generatedTokens: 950, promptTokens: 110 },
    { moment: 'load', generatedTokens: 30, promptTokens: 120 },
    { moment: 'end', generatedTokens: 50, promptTokens: 130 },
  ]);
  expect(restarts).toBe(1);
  // Of a restarted process every counter began with 0, also one that is already higher than before.
  expect(figures.generatedTokens?.rose).toBe(50 + 50);
  expect(figures.promptTokens?.rose).toBe(10 + 130);
});

test('another start of the process is a restart although every counter is higher than before', () => {
  const { figures, restarts } = evidenceOf([
    { moment: 'start', generatedTokens: 10, processStart: 1_790_000_000.25 },
    { moment: 'load', generatedTokens: 500, processStart: 1_790_000_060.5 },
    { moment: 'end', generatedTokens: 600, processStart: 1_790_000_060.5 },
  ]);
  expect(restarts).toBe(1);
  expect(figures.generatedTokens?.rose).toBe(600);
});
