import { describe, expect, test } from 'vitest';
import { unboundedReason } from '../../../src/core/run/figure-verdict.ts';
import { rateBounds, rateBoundText } from '../../../src/core/run/rate-bounds.ts';
import type { ReportRates } from '../../../src/core/run/run-rates.ts';
import { unknown } from '../../../src/core/unknown.ts';

const NONE = unknown('not of this run');

const rates: ReportRates = {
  windowNs: 10e9,
  requestsPerSecond: 100,
  outputTokensPerSecond: 5_000,
  inputTokensPerSecond: unknown("the server's usage was missing"),
  totalTokensPerSecond: NONE,
  perUserTokensPerSecond: { p50: 50, p90: 40 },
  steadyStateWindowNs: NONE,
  steadyStateRequestsPerSecond: NONE,
  steadyStateOutputTokensPerSecond: NONE,
};

const bounds = { windowNs: { above: 100e6, below: 0 } };
const tpot = (above: number) => ({
  percentiles: { 50: 20e6 },
  errorBound: { mean: { above, below: 0 }, percentiles: { 50: { above, below: 5e6 } } },
});

describe('rates', () => {
  test('may be higher by as much as the window may be shorter, and no lower', () => {
    const reported = rateBounds({ rates, bounds, tpot: tpot(4e6) });
    expect(reported).toMatchObject({
      windowNs: { above: 100e6, below: 0 },
      requestsPerSecond: { above: 0, below: expect.closeTo(100 / 0.99 - 100, 9) },
      outputTokensPerSecond: { above: 0, below: expect.closeTo(5_000 / 0.99 - 5_000, 9) },
      perUserTokensPerSecond: { above: expect.closeTo(10, 9), below: expect.closeTo(12.5, 9) },
    });
    expect(rateBoundText(reported, 'requestsPerSecond')).toBe('±1.01');
  });

  test('that are not known have no bound, and report why', () => {
    const reported = rateBounds({ rates, bounds, tpot: tpot(20e6) });
    expect(reported).toMatchObject({
      inputTokensPerSecond: { reason: "the server's usage was missing" },
      perUserTokensPerSecond: { reason: 'the time per output token may be nothing but its error bound' },
      goodput: { reason: 'a request near a limit may have missed it by its error bound' },
    });
    expect(rateBoundText(reported, 'goodput')).toBe('');
  });

  test('of a window that may be nothing but its bound may be anything', () => {
    const reported = rateBounds({ rates, bounds: { windowNs: { above: 10e9, below: 0 } }, tpot: undefined });
    expect(reported).toMatchObject({
      requestsPerSecond: { reason: 'the window may be shorter than its own error bound' },
    });
  });

  test('of a run without bounds have none, for the reason of the run', () => {
    const reason = unknown('no mark reached the load threads over loopback');
    expect(rateBounds({ rates, bounds: reason, tpot: undefined })).toEqual(reason);
  });
});

describe('why figures have no error bound', () => {
  const ttftNs = { count: 3, percentiles: { 50: 1 } };

  test('is that of the run', () => {
    expect(unboundedReason({ ttftNs }, unknown('the run was too short'))).toBe('the run was too short');
  });

  test('is asked where nothing was measured, or where one has a bound, by nobody', () => {
    expect(unboundedReason({ ttftNs: { ...ttftNs, count: 0 } }, unknown('x'))).toBeUndefined();
    expect(unboundedReason({ ttftNs: { ...ttftNs, errorBound: tpot(1).errorBound } }, {})).toBeUndefined();
  });
});
