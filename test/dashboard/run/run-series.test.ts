import { expect, test } from 'vitest';
import {
  bandSentence,
  listedIndexes,
  noDataText,
  outputSentence,
  secondsOf,
} from '../../../dashboard/src/run/run-series.ts';
import { madeUpSeries } from '../../support/made-up-series.ts';

const column = [null, 1, 2];

test('points are named by the time they end, and pictures by what they show', () => {
  const series = madeUpSeries({
    stepMs: 2_000,
    requestsPerSecond: [null, 8, 9],
    outputTokensPerSecond: [null, 1_000, 1_200],
    inFlight: [null, 29, 31],
    percentilesNs: {
      1: column,
      10: column,
      25: column,
      50: [null, 184e6, 262e6],
      75: column,
      90: column,
      99: [null, 640e6, 500e6],
    },
  });
  expect(secondsOf(series)).toEqual([2, 4, 6]);
  expect(bandSentence(series)).toBe(
    'Time to first token over time: the median lies between 184\u00a0ms and 262\u00a0ms, p99 at most 640\u00a0ms, at 0:04',
  );
  expect(outputSentence(series)).toBe(
    'Output over time: 1\u00a0100 tokens a second on average, at most 1\u00a0200, at most 31 requests in flight',
  );
});

test('a run without a completed sample reports it, and expects none once it has ended', () => {
  const empty = madeUpSeries({ isLive: true });
  expect(bandSentence(empty)).toBe('Time to first token over time: nothing has completed yet');
  expect(outputSentence(empty)).toBe('Output over time: nothing has completed yet');
  const ended = madeUpSeries({ isLive: false });
  expect(bandSentence(ended)).toBe('Time to first token over time: nothing completed');
  expect(outputSentence(ended)).toBe('Output over time: nothing completed');
  expect(noDataText(true)).toBe('Nothing has completed yet');
  expect(noDataText(false)).toBe('Nothing completed');
});

test('a long run is listed in a bounded number of rows, the newest among them', () => {
  const series = madeUpSeries({ requestsPerSecond: Array.from({ length: 100 }, () => 1) });
  const rows = listedIndexes(series, 24);
  expect(rows.length).toBeLessThanOrEqual(24);
  expect(rows.at(-1)).toBe(99);
});
