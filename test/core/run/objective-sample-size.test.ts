import { describe, expect, test } from 'vitest';
import { objectiveSampleSize } from '../../../src/core/run/objective-sample-size.ts';

describe('the number of requests that an objective needs', () => {
  test('is at least ln(0.025) / ln(share) if none misses it', () => {
    const p95 = objectiveSampleSize({ kind: 'percentile', name: 'ttft', percentile: 95, limitNs: 1 });
    expect(p95?.least).toBe(Math.ceil(Math.log(0.025) / Math.log(0.95)));
    const p99 = objectiveSampleSize({ kind: 'percentile', name: 'ttft', percentile: 99, limitNs: 1 });
    expect(p99?.least).toBe(Math.ceil(Math.log(0.025) / Math.log(0.99)));
  });

  test('is some hundreds for a p95 that half as many miss as may', () => {
    const p95 = objectiveSampleSize({ kind: 'percentile', name: 'ttft', percentile: 95, limitNs: 1 });
    expect(p95?.usual).toBeGreaterThan(200);
    expect(p95?.usual).toBeLessThan(400);
  });

  test('is the same for an error rate and an attainment of the same share', () => {
    const rate = objectiveSampleSize({ kind: 'error-rate', limitShare: 0.05 });
    const attainment = objectiveSampleSize({ kind: 'attainment', share: 0.95, limits: [] });
    expect(rate).toEqual(attainment);
  });

  test('is unknown for a mean, and for what must hold of every request', () => {
    expect(objectiveSampleSize({ kind: 'mean', name: 'ttft', limitNs: 1 })).toBeUndefined();
    expect(objectiveSampleSize({ kind: 'attainment', share: 1, limits: [] })).toBeUndefined();
    expect(objectiveSampleSize({ kind: 'error-rate', limitShare: 0 })).toBeUndefined();
  });
});
