import { describe, expect, test } from 'vitest';
import { pastPoints, pastScale, summaryText, untilNow } from '../../../dashboard/src/link/link-past.ts';

const measured = [
  { atMs: 0, upload: 9.4e9, download: 9.1e9, roundTripNs: 200_000 },
  { atMs: 10, upload: 9.2e9, download: undefined, roundTripNs: 180_000 },
];

const RATES = { measure: 'bandwidth', isFromSource: true, delay: 'half' } as const;

describe('the past of a link on its page', () => {
  test('has the direction from the first end first, measured by either end', () => {
    expect(pastPoints(measured, RATES)[0]?.values).toEqual([9.4e9, 9.1e9]);
    expect(pastPoints(measured, { ...RATES, isFromSource: false })[0]?.values).toEqual([9.1e9, 9.4e9]);
  });

  test('a delay has no direction, and is half a round trip or all of it, as the reader prefers', () => {
    const delays = (delay: 'half' | 'round') =>
      pastPoints(measured, { ...RATES, measure: 'delay', delay }).map(({ values }) => values);
    expect(delays('half')).toEqual([[100_000], [90_000]]);
    expect(delays('round')).toEqual([[200_000], [180_000]]);
  });

  test('ends at now, so that a line which was not measured of late ends before it', () => {
    const points = pastPoints(measured, RATES);
    expect(untilNow(points, 50).at(-1)).toEqual({ atMs: 50, values: [undefined, undefined] });
    expect(untilNow([], 50)).toEqual([]);
  });

  test('is summed up in words, in the unit of the largest figure', () => {
    const points = pastPoints(measured, RATES);
    expect(pastScale(points, 'bandwidth', 'bits')).toEqual({ of: 1e9, unit: 'Gb/s' });
    expect(pastScale(points, 'bandwidth', 'bytes')).toEqual({ of: 8e9, unit: 'GB/s' });
    expect(pastScale(pastPoints(measured, { ...RATES, measure: 'delay' }), 'delay', 'bits').unit).toBe('µs');
    expect(summaryText(points, 0, 'bandwidth', 'bits')).toBe(
      'lowest 9.20\u00a0Gb/s, median 9.40\u00a0Gb/s, highest 9.40\u00a0Gb/s',
    );
    expect(summaryText([], 0, 'bandwidth', 'bits')).toBe('');
  });
});
