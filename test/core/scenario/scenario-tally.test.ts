import { expect, test } from 'vitest';
import type { EndedSample } from '../../../src/core/run/ended-sample.ts';
import { NO_FIGURE } from '../../../src/core/run/event-record.ts';
import { ScenarioTally } from '../../../src/core/scenario/scenario-tally.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { sampleOf } from '../../support/sample-of.ts';

const SECOND = 1e9;

const tallied = (...samples: readonly Partial<EndedSample>[]): ReturnType<ScenarioTally['figures']> => {
  const tally = new ScenarioTally();
  for (const sample of samples) tally.ended(sampleOf(sample));
  return tally.figures();
};

/** Its last content comes `tookS` after it was sent, and its stream ends a second later. */
const answered = (tookS: number, outputTokens: number, sentS = 0): Partial<EndedSample> => ({
  sentNs: sentS * SECOND,
  firstByteNs: sentS * SECOND + 1,
  firstContentNs: sentS * SECOND + 1,
  chunkGapsNs: [tookS * SECOND - 1],
  chunkCount: 2,
  endNs: (sentS + tookS + 1) * SECOND,
  outputTokens,
});

test('normalized interactivity is 1 over the interpolated p90 of latency per output token', () => {
  // 0.1 s to 1.1 s for each token: p90 of eleven values is the tenth.
  const requests = Array.from({ length: 11 }, (_, index) => answered(index + 1, 10));
  expect(tallied(...requests).normalizedInteractivity).toBeCloseTo(1, 9);
  // Between the ninth and the tenth of ten, 0.91 s: as NumPy interpolates.
  expect(tallied(...requests.slice(0, 10)).normalizedInteractivity).toBeCloseTo(1 / 0.91, 9);
});

test('warm-up is left out, and what has no tokens is in no figure of tokens', () => {
  const uncounted = { ...answered(2, NO_FIGURE) };
  const figures = tallied({ ...answered(9, 1), window: -1 }, uncounted, answered(1, 10), {
    firstContentNs: NO_FIGURE,
    outputTokens: 5,
  });
  expect(figures).toMatchObject({ completed: 3, counted: 1 });
  expect(tallied(uncounted).normalizedInteractivity).toEqual(unknown('the server reported no output tokens'));
});

test('content of a request that was cancelled counts for how long content arrived, and its end does not', () => {
  const cancelled = { ...answered(8, NO_FIGURE, 3), outcome: 'cancelled' as const };
  expect(tallied(answered(2, 10, 1), cancelled).lastContentMs).toBe(10_000);
  expect(tallied({ firstContentNs: NO_FIGURE, endNs: 5 * SECOND }).lastContentMs).toEqual(
    unknown('no content arrived'),
  );
});
