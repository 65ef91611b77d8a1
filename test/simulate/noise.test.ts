import fc from 'fast-check';
import { expect, test } from 'vitest';
import { smoothNoise, unrest } from '../../src/simulate/noise.ts';

test('noise is the same for the same seed and moment, and another for another seed', () => {
  expect(unrest(7, 123.4)).toBe(unrest(7, 123.4));
  expect(unrest(7, 123.4)).not.toBe(unrest(8, 123.4));
});

test('noise stays between -1 and 1, before the beginning too', () => {
  fc.assert(
    fc.property(fc.nat(1e9), fc.double({ min: -1e5, max: 1e5, noNaN: true }), (seed, x) => {
      expect(Math.abs(smoothNoise(seed, x))).toBeLessThanOrEqual(1);
      expect(Math.abs(unrest(seed, x))).toBeLessThanOrEqual(1.000_001);
    }),
  );
});

test('noise has no jumps: a hundredth of a step moves it by less than a tenth', () => {
  for (let x = -3; x < 3; x += 0.01)
    expect(Math.abs(smoothNoise(3, x + 0.01) - smoothNoise(3, x))).toBeLessThan(0.1);
});
