import { describe, expect, test } from 'vitest';
import { NO_FIGURE } from '../../src/core/run/event-record.ts';
import { POINTS_MAX, RunTimeSeries } from '../../src/metrics/run-time-series.ts';
import type { SampleTimes } from '../../src/wire/sample-times.ts';

const SECOND = 1e9;

describe('a run over time', () => {
  test('counts samples and tokens by the second in which they ended', () => {
    const series = new RunTimeSeries(true);
    series.add(sample({ sentNs: 0, endNs: 0.5 * SECOND, outputTokens: 10 }));
    series.add(sample({ sentNs: 0.1 * SECOND, endNs: 1.5 * SECOND, outputTokens: 30 }));
    series.add(sample({ sentNs: 0.2 * SECOND, endNs: 1.9 * SECOND, outputTokens: 30 }));
    series.add(sample({ sentNs: 1 * SECOND, endNs: 2.999 * SECOND, outcome: 'failed' }));
    const picture = series.series();
    expect(picture.requestsPerSecond.slice(0, 2)).toEqual([1, 2]);
    expect(picture.outputTokensPerSecond.slice(0, 2)).toEqual([10, 60]);
    expect(picture.failed).toEqual([0, 0, 1]);
    expect(picture.inFlight).toEqual([2, 1, 0]);
  });

  test('knows nothing of the time before the first measured sample', () => {
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

const sample = (more: Pick<SampleTimes, 'sentNs' | 'endNs'> & Partial<SampleTimes>): SampleTimes => ({
  isTracked: true,
  firstContentNs: more.sentNs + 100e6,
  outcome: 'completed',
  outputTokens: NO_FIGURE,
  failure: undefined,
  ...more,
});
