import { describe, expect, test } from 'vitest';
import { ClockDoubt } from '../../../src/probe/socket/upload-check.ts';

/** Whether a clock is still believed after these samples: its stated time, and when that arrived. */
const isBelieved = (samples: readonly (readonly [theirsMs: number, oursMs: number])[]): boolean => {
  const doubt = new ClockDoubt();
  return samples.every(([theirsMs, oursMs]) => doubt.believes(theirsMs, oursMs));
};
const samples = (count: number, of: (index: number) => readonly [number, number]) =>
  Array.from({ length: count }, (_, index) => of(index));

describe('the clock of the other end', () => {
  test('that keeps time is believed', () => {
    expect(isBelieved(samples(60, index => [index * 50, index * 50 + 20]))).toBe(true);
  });

  test('is not doubted for samples that waited half a second and then came together', () => {
    const late = samples(11, index => [index * 50, 520]);
    const after = samples(10, index => [550 + index * 50, 570 + index * 50]);
    expect(isBelieved([[0, 0], ...late, ...after])).toBe(true);
  });

  test('that runs at half our speed is not, once it has stayed so', () => {
    expect(isBelieved(samples(60, index => [index * 25, index * 50]))).toBe(false);
    expect(isBelieved(samples(10, index => [index * 25, index * 50]))).toBe(true);
  });
});
