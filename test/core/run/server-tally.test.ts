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
  const { figures, restarts, severalProcesses } = evidenceOf([
    { moment: 'start', generatedTokens: 900, promptTokens: 100, rejected: 0 },
    { moment: 'load', generatedTokens: 950, promptTokens: 110, rejected: 0 },
    { moment: 'load', generatedTokens: 30, promptTokens: 20, rejected: 1 },
    { moment: 'end', generatedTokens: 50, promptTokens: 60, rejected: 1 },
  ]);
  expect(restarts).toBe(1);
  expect(severalProcesses).toBe(false);
  expect(figures.generatedTokens?.rose).toBe(50 + 50);
  expect(figures.rejected?.rose).toBe(1);
});

test('a counter that falls alone begins again alone: the others keep what they rose by', () => {
  const { figures, restarts } = evidenceOf([
    { moment: 'start', finished: 3, promptTokens: 9_000, generatedTokens: 7_000 },
    { moment: 'load', finished: 22, promptTokens: 9_200, generatedTokens: 7_100 },
    { moment: 'load', finished: 1, promptTokens: 9_210, generatedTokens: 7_105 },
    { moment: 'end', finished: 40, promptTokens: 9_600, generatedTokens: 7_300 },
  ]);
  expect(restarts).toBe(1);
  expect(figures.promptTokens?.rose).toBe(600);
  expect(figures.generatedTokens?.rose).toBe(300);
});

test('another start of the process is a restart although a counter is where it was', () => {
  const { figures, restarts } = evidenceOf([
    { moment: 'start', generatedTokens: 100, promptTokens: 40, processStart: 1_790_000_000.25 },
    { moment: 'load', generatedTokens: 60, promptTokens: 40, processStart: 1_790_000_060.5 },
    { moment: 'end', generatedTokens: 90, promptTokens: 50, processStart: 1_790_000_060.5 },
  ]);
  expect(restarts).toBe(1);
  expect(figures.generatedTokens?.rose).toBe(90);
  expect(figures.promptTokens?.rose).toBe(50);
});

test.each([
  {
    what: 'the start of the process goes back',
    readings: [
      { promptTokens: 9_000, processStart: 1_700_000_000 },
      { promptTokens: 300, processStart: 1_700_009_999 },
      { promptTokens: 9_010, processStart: 1_700_000_000 },
    ],
  },
  {
    what: 'a later process has counted more',
    readings: [
      { promptTokens: 9_000, processStart: 1_700_000_000 },
      { promptTokens: 99_000, processStart: 1_700_009_999 },
    ],
  },
  {
    what: 'a counter that fell is back at once',
    readings: [
      { promptTokens: 9_000 },
      { promptTokens: 300 },
      { promptTokens: 310 },
      { promptTokens: 9_020 },
    ],
  },
])('totals are unknown where several processes answer at one URL: $what', ({ readings }) => {
  const { figures, severalProcesses } = evidenceOf(readings.map(one => ({ ...one, running: 2 })));
  expect(severalProcesses).toBe(true);
  expect(figures.promptTokens).toBeUndefined();
  expect(figures.running?.max).toBe(2);
});

test('a counter that grows past its old value after a restart is that of one process', () => {
  const values = [1_000, 100, 500, 900, 1_100, 2_000];
  const { figures, severalProcesses } = evidenceOf(values.map(generatedTokens => ({ generatedTokens })));
  expect(severalProcesses).toBe(false);
  expect(figures.generatedTokens?.rose).toBe(2_000);
});
