import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NO_FIGURE } from '../../src/core/run/event-record.ts';
import type { RunProgress } from '../../src/core/run/run.ts';
import { type Reported, unknown } from '../../src/core/unknown.ts';
import { POINTS_MAX, RunTimeSeries } from '../../src/metrics/run-time-series.ts';
import type { SampleTimes } from '../../src/wire/sample-times.ts';
import { madeUpFigures, runIdOf } from '../support/run-entry.ts';

const SECOND = 1e9;

describe('a run over time', () => {
  test('counts samples by the second in which they ended', () => {
    const series = new RunTimeSeries(true);
    series.add(sample({ sentNs: 0, endNs: 0.5 * SECOND, outputTokens: 10 }));
    series.add(sample({ sentNs: 0.1 * SECOND, endNs: 1.5 * SECOND, outputTokens: 30 }));
    series.add(sample({ sentNs: 0.2 * SECOND, endNs: 1.9 * SECOND, outputTokens: 30 }));
    series.add(sample({ sentNs: 1 * SECOND, endNs: 2.999 * SECOND, outcome: 'failed' }));
    const picture = series.series();
    expect(picture.requestsPerSecond.slice(0, 2)).toEqual([1, 2]);
    expect(picture.failed).toEqual([0, 0, 1]);
    expect(picture.inFlight).toEqual([2, 1, 0]);
  });

  test('counts output tokens in the second in which their chunks arrived', () => {
    const series = new RunTimeSeries(true);
    const second = Array.from({ length: 3 }, () => SECOND);
    series.add(
      sample({
        sentNs: 0,
        firstContentNs: 0.5 * SECOND,
        chunkCount: 4,
        chunkGapsNs: second,
        endNs: 3.9 * SECOND,
        outputTokens: 40,
      }),
    );
    // All of a short answer lie in one second, and a plain reply comes as a whole.
    series.add(sample({ sentNs: 0, endNs: 0.5 * SECOND, chunkCount: 3, outputTokens: 7 }));
    series.add(
      sample({ sentNs: 0, firstContentNs: NO_FIGURE, chunkCount: 0, endNs: 2.5 * SECOND, outputTokens: 5 }),
    );
    expect(series.series().outputTokensPerSecond.slice(0, 3)).toEqual([17, 10, 15]);
  });

  test('loses no token and makes up none, however chunks lie and points are joined', () => {
    const answer = fc.record({
      sentMs: fc.integer({ min: 0, max: 4_000_000 }),
      gapsMs: fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 40 }),
      outputTokens: fc.integer({ min: 0, max: 1_000 }),
    });
    fc.assert(
      fc.property(fc.array(answer, { minLength: 1, maxLength: 20 }), answers => {
        const series = new RunTimeSeries(true);
        let total = 0;
        let lastMs = 0;
        for (const { sentMs, gapsMs, outputTokens } of answers) {
          const firstContentNs = (sentMs + 100) * 1e6;
          const endNs = firstContentNs + gapsMs.reduce((sum, gap) => sum + gap, 0) * 1e6;
          const chunkGapsNs = gapsMs.map(gap => gap * 1e6);
          const chunkCount = gapsMs.length + 1;
          series.add(
            sample({ sentNs: sentMs * 1e6, firstContentNs, endNs, chunkGapsNs, chunkCount, outputTokens }),
          );
          total += outputTokens;
          lastMs = Math.max(lastMs, endNs / 1e6);
        }
        // Live up to a moment past the end: each point is whole.
        const { stepMs, outputTokensPerSecond } = series.series(lastMs + 10_000_000);
        const sum = outputTokensPerSecond.reduce<number>(
          (all, rate) => all + ((rate ?? 0) * stepMs) / 1_000,
          0,
        );
        expect(sum).toBeCloseTo(total, 6);
      }),
    );
  });

  test('of a live run counts chunks of answers that go on, at as many tokens as a chunk has had', () => {
    const series = new RunTimeSeries(true);
    const reported = (elapsedMs: number, chunks: number, tokensPerChunk: Reported<number>): void =>
      series.addProgress({ ...madeUpProgress, elapsedMs, contentArrived: { chunks, tokensPerChunk } });
    reported(0, 0, unknown('no request has completed'));
    reported(1_000, 10, unknown('no request has completed'));
    reported(2_000, 20, unknown('no request has completed'));
    expect(series.series(2_000).outputTokensPerSecond).toEqual([null, null]);
    // Half of the chunks so far were of this one, with two tokens each.
    const chunkGapsNs = Array.from({ length: 9 }, () => 0.2 * SECOND);
    series.add(
      sample({
        sentNs: 0,
        firstContentNs: 0.1 * SECOND,
        chunkCount: 10,
        chunkGapsNs,
        endNs: 1.95 * SECOND,
        outputTokens: 20,
      }),
    );
    reported(3_000, 25, 2);
    expect(series.series(3_000).outputTokensPerSecond).toEqual([20, 20, 10]);
    // Once all have ended the samples alone count.
    expect(series.series().outputTokensPerSecond.slice(0, 2)).toEqual([10, 10 / 0.95]);
  });

  test('of a live run invents no tokens if chunks were reported a moment before or after they came', () => {
    const series = new RunTimeSeries(true);
    const reported = (elapsedMs: number, chunks: number): void =>
      series.addProgress({ ...madeUpProgress, elapsedMs, contentArrived: { chunks, tokensPerChunk: 100 } });
    const burst = (atNs: number): void => {
      for (let index = 0; index < 6; index += 1)
        series.add(sample({ sentNs: 0, firstContentNs: atNs, endNs: atNs, outputTokens: 100 }));
    };
    reported(900, 0);
    burst(1.05 * SECOND);
    reported(1_100, 6);
    burst(2.95 * SECOND);
    reported(2_999, 6);
    reported(3_100, 12);
    reported(4_000, 12);
    expect(series.series(4_000).outputTokensPerSecond).toEqual([0, 600, 600, 0]);
  });

  test('has nothing of the time before the first measured sample', () => {
    const series = new RunTimeSeries(true);
    series.add({ ...sample({ sentNs: 0, endNs: SECOND }), isTracked: false });
    series.add(sample({ sentNs: 2 * SECOND, endNs: 3.9 * SECOND }));
    const { requestsPerSecond, inFlight, percentilesNs } = series.series();
    expect(requestsPerSecond.slice(0, 3)).toEqual([null, null, 0]);
    expect(inFlight).toEqual([null, null, 1, 0]);
    expect(percentilesNs['50']).toEqual([null, null, null, 100e6]);
  });

  test('gives percentiles of the time to the first token, or of the latency where nothing streams', () => {
    for (const [isStreaming, expected] of [
      [true, 100e6],
      [false, 900e6],
    ] as const) {
      const series = new RunTimeSeries(isStreaming);
      series.add(sample({ sentNs: 0, endNs: 0.9 * SECOND }));
      expect(series.series().percentilesNs['99']).toEqual([expected]);
    }
  });

  test('joins neighbours when a run grows past the bound, and loses nothing', () => {
    const series = new RunTimeSeries(true);
    const seconds = 3 * POINTS_MAX;
    for (let second = 0; second < seconds; second += 1) {
      for (let index = 0; index < 30; index += 1) {
        const endNs = (second + 0.5) * SECOND;
        series.add(sample({ sentNs: endNs - 0.2 * SECOND, endNs, outputTokens: 2 }));
      }
    }
    const { stepMs, requestsPerSecond, outputTokensPerSecond, percentilesNs } = series.series();
    expect(stepMs).toBe(4_000);
    expect(requestsPerSecond.length).toBeLessThanOrEqual(POINTS_MAX);
    expect(requestsPerSecond.slice(0, -1).every(rate => rate === 30)).toBe(true);
    expect(outputTokensPerSecond.slice(0, -1).every(rate => rate === 60)).toBe(true);
    expect(percentilesNs['50'].every(value => value === 100e6)).toBe(true);
  });

  test('of a live run the newest samples, which are not all on disk, are left out', () => {
    const series = new RunTimeSeries(true);
    series.add(sample({ sentNs: 0, endNs: 0.5 * SECOND }));
    series.add(sample({ sentNs: 0, endNs: 2.5 * SECOND }));
    expect(series.series(2_500).requestsPerSecond).toEqual([1, 0]);
    expect(series.series(-5).requestsPerSecond).toEqual([]);
  });

  test('a stamp that no run can have is left out', () => {
    const series = new RunTimeSeries(true);
    series.add(sample({ sentNs: 0, endNs: Number.MAX_SAFE_INTEGER * 4 }));
    series.add(sample({ sentNs: 0, endNs: -1 }));
    expect(series.series().requestsPerSecond).toEqual([]);
  });
});

const madeUpProgress: RunProgress = {
  runId: runIdOf('r'),
  phase: 'measuring',
  elapsedMs: 0,
  measuredMs: 0,
  figures: madeUpFigures(),
  recent: { requestsPerSecond: 1, outputTokensPerSecond: 1 },
  contentArrived: unknown('not streamed'),
  agents: unknown('one machine makes the load'),
  updatesDropped: 0,
};

const sample = (more: Pick<SampleTimes, 'sentNs' | 'endNs'> & Partial<SampleTimes>): SampleTimes => ({
  isTracked: true,
  intendedNs: more.sentNs,
  firstContentNs: more.sentNs + 100e6,
  promptNs: NO_FIGURE,
  outcome: 'completed',
  outputTokens: NO_FIGURE,
  chunkCount: 1,
  chunkGapsNs: [],
  failure: undefined,
  ...more,
});
