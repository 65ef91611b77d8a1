// The gamma distribution of scale 1. Numbers from a seed by the method of Marsaglia and Tsang ("A simple method for
// generating gamma variables", ACM Transactions on Mathematical Software 26 (3), 2000): a cubed normal number, accepted
// or drawn again; over 95 % are accepted. The polar method (Marsaglia and Bray 1964) draws the normal numbers.

import type { SeededRandom } from '../random.ts';

/** @param shape above 0; it is also the mean and the variance */
export const gammaSampler = (shape: number, random: SeededRandom): (() => number) => {
  if (shape >= 1) return atLeastOne(shape, random);
  // Section 6 of the paper: a number of shape + 1 times U^(1/shape) has the shape.
  const raised = atLeastOne(shape + 1, random);
  return () => raised() * (1 - random.next()) ** (1 / shape);
};

/** A lower bound between the 48th and the 50th percentile, for every shape (Lyon, PLOS ONE 18 (9), 2023). */
export const gammaMedian = (shape: number): number => 2 ** (-1 / shape) * (Math.LN2 - 1 / 3 + shape);

const atLeastOne = (shape: number, random: SeededRandom): (() => number) => {
  const nextNormal = normalSampler(random);
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  return () => {
    for (;;) {
      const normal = nextNormal();
      const root = 1 + c * normal;
      if (root <= 0) continue;
      const cube = root ** 3;
      if (Math.log(1 - random.next()) < normal ** 2 / 2 + d * (1 - cube + Math.log(cube))) return d * cube;
    }
  };
};

/** Two numbers are drawn at a time; the second is returned next. */
const normalSampler = (random: SeededRandom): (() => number) => {
  let spare = Number.NaN;
  return () => {
    if (!Number.isNaN(spare)) {
      const next = spare;
      spare = Number.NaN;
      return next;
    }
    for (;;) {
      const x = 2 * random.next() - 1;
      const y = 2 * random.next() - 1;
      const square = x * x + y * y;
      if (square >= 1 || square === 0) continue;
      const factor = Math.sqrt((-2 * Math.log(square)) / square);
      spare = y * factor;
      return x * factor;
    }
  };
};
