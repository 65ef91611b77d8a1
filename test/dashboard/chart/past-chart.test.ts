import { describe, expect, test } from 'vitest';
import { DOTS_MAX, pastPicture } from '../../../dashboard/src/chart/past-chart.ts';

const SIZE = { width: 100, height: 100 };

describe('a chart of the past', () => {
  test('begins with the second measurement', () => {
    expect(pastPicture([], SIZE)).toBeUndefined();
    expect(pastPicture([{ atMs: 1, values: [3] }], SIZE)).toBeUndefined();
  });

  test('is drawn from zero, with ticks that a person reads, and in the time that passed', () => {
    const picture = pastPicture(
      [0, 10, 40].map(atMs => ({ atMs, values: [25, undefined] })),
      SIZE,
    );
    expect(picture?.ticks.map(({ value }) => value)).toEqual([0, 10, 20, 30]);
    expect(picture?.x(10)).toBe(25);
    expect(picture?.lines[0]?.d).toBe('M0 16.7L25 16.7L100 16.7');
    expect(picture?.lines[1]).toBeUndefined();
  });

  test('keeps the names of two lines apart and within the picture', () => {
    const picture = pastPicture(
      [0, 1].map(atMs => ({ atMs, values: [0.1, 0.2, 100] })),
      SIZE,
    );
    const [first, second] = [picture?.lines[0]?.nameY ?? 0, picture?.lines[1]?.nameY ?? 0];
    expect(Math.abs(first - second)).toBeGreaterThanOrEqual(16);
    expect(Math.max(first, second)).toBeLessThanOrEqual(100);
  });

  test('shows only its newest dot where there are too many', () => {
    const points = Array.from({ length: DOTS_MAX + 1 }, (_, atMs) => ({ atMs, values: [1] }));
    expect(pastPicture(points, SIZE)?.lines[0]?.dots).toHaveLength(1);
  });
});
