import { expect, test } from 'vitest';
import { seededRandom } from '../../../src/core/random.ts';
import { gammaMedian, gammaSampler } from '../../../src/core/statistics/gamma-distribution.ts';

const COUNT = 100_000;
const drawn = (shape: number, seed = 11): Float64Array => {
  const next = gammaSampler(shape, seededRandom(seed));
  return Float64Array.from({ length: COUNT }, next);
};

test.each([0.05, 0.25, 0.5, 1, 4, 100])('numbers of shape %d have its mean, variance and skewness', shape => {
  const numbers = drawn(shape);
  const mean = numbers.reduce((sum, number) => sum + number, 0) / COUNT;
  const moment = (power: number): number =>
    numbers.reduce((sum, number) => sum + (number - shape) ** power, 0) / COUNT;
  // Four standard errors; central moments of the gamma distribution are shape, 2 shape and 3 shape² + 6 shape.
  expect(Math.abs(mean - shape)).toBeLessThan(4 * Math.sqrt(shape / COUNT));
  expect(Math.abs(moment(2) - shape)).toBeLessThan(4 * Math.sqrt((2 * shape ** 2 + 6 * shape) / COUNT));
  const sixth = 15 * shape ** 3 + 130 * shape ** 2 + 120 * shape;
  expect(Math.abs(moment(3) - 2 * shape)).toBeLessThan(4 * Math.sqrt((sixth - 4 * shape ** 2) / COUNT));
});

test('numbers of shape 1 are exponential at every tenth of their distribution', () => {
  const sorted = drawn(1).sort();
  for (const share of [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]) {
    const below = sorted.findIndex(number => number > -Math.log1p(-share)) / COUNT;
    expect(Math.abs(below - share)).toBeLessThan(4 * Math.sqrt((share * (1 - share)) / COUNT));
  }
});

test.each([0.1, 0.25, 1, 4, 16])(
  'nearly half of the numbers are below the median given for shape %d',
  shape => {
    const median = gammaMedian(shape);
    const below = drawn(shape).filter(number => number < median).length / COUNT;
    expect(below).toBeGreaterThan(0.475);
    expect(below).toBeLessThan(0.505);
  },
);
