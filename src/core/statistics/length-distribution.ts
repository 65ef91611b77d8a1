// A length as a distribution over whole numbers: the token counts that a run requests. Pure and seeded: equal
// seeds draw equal lengths, independent of the caller and the number of threads.

import * as v from 'valibot';
import type { SeededRandom } from '../random.ts';
import { count, type Infer, nonNegative, openObject, type Schema } from '../schema.ts';

/** Tokens of one request, prompt or answer: above any model's context. */
export const LENGTH_MAX = 1_000_000;

const length: Schema<number> = v.pipe(count, v.maxValue(LENGTH_MAX));

/** Limit for a histogram file. */
const LENGTH_BINS_MAX = 100_000;

export const lengthDistributionSchema = v.variant('kind', [
  openObject({ kind: v.literal('fixed'), value: length }),
  openObject({ kind: v.literal('uniform'), min: length, max: length }),
  openObject({ kind: v.literal('normal'), mean: nonNegative, deviation: nonNegative }),
  openObject({ kind: v.literal('lognormal'), mean: nonNegative, deviation: nonNegative }),
  openObject({ kind: v.literal('zipf'), exponent: nonNegative, max: length }),
  openObject({
    kind: v.literal('weighted'),
    bins: v.pipe(
      v.array(openObject({ min: length, max: length, weight: nonNegative })),
      v.maxLength(LENGTH_BINS_MAX),
    ),
  }),
]);

export type LengthDistribution = Infer<typeof lengthDistributionSchema>;

/** Lengths from min to max, both included, equally likely among themselves. */
export interface LengthBin {
  readonly min: number;
  readonly max: number;
  readonly weight: number;
}

/** A function that draws one length after another: whole numbers from 1 to LENGTH_MAX. */
export const lengthSampler = (distribution: LengthDistribution, random: SeededRandom): (() => number) => {
  switch (distribution.kind) {
    case 'fixed':
      return () => distribution.value;
    case 'uniform':
      return () => between(distribution.min, distribution.max, random);
    case 'normal': {
      const { mean, deviation } = distribution;
      return () => drawnWithin(() => mean + deviation * standardNormal(random));
    }
    case 'lognormal': {
      const { mu, sigma } = lognormalParameters(distribution);
      return () => drawnWithin(() => Math.exp(mu + sigma * standardNormal(random)));
    }
    case 'zipf': {
      const { exponent, max } = distribution;
      const heights = cumulated(Array.from({ length: max }, (_, index) => (index + 1) ** -exponent));
      return () => 1 + drawnIndex(heights, random);
    }
    case 'weighted': {
      const { bins } = distribution;
      const heights = cumulated(bins.map(({ weight }) => weight));
      return () => {
        const bin = bins[drawnIndex(heights, random)];
        if (bin === undefined) throw new RangeError('a weighted distribution without a bin');
        return between(bin.min, bin.max, random);
      };
    }
    default:
      return distribution satisfies never;
  }
};

/** As written on the command line. */
export const distributionText = (distribution: LengthDistribution): string => {
  switch (distribution.kind) {
    case 'fixed':
      return String(distribution.value);
    case 'uniform':
      return `${distribution.min}..${distribution.max}`;
    case 'normal':
    case 'lognormal':
      return `${distribution.kind}(${distribution.mean},${distribution.deviation})`;
    case 'zipf':
      return `zipf(${distribution.exponent},${distribution.max})`;
    case 'weighted': {
      const { bins } = distribution;
      const shown = bins.slice(0, BINS_SHOWN).map(binText).join(',');
      return bins.length > BINS_SHOWN ? `${shown},… (${bins.length} weights)` : shown;
    }
    default:
      return distribution satisfies never;
  }
};

const binText = ({ min, max, weight }: LengthBin): string =>
  `${min === max ? min : `${min}..${max}`}:${weight}`;

const between = (min: number, max: number, random: SeededRandom): number => min + random.below(max - min + 1);

/** Parameters of the logarithm, for a given mean and deviation of the values themselves. */
const lognormalParameters = ({
  mean,
  deviation,
}: {
  readonly mean: number;
  readonly deviation: number;
}): { readonly mu: number; readonly sigma: number } => {
  const variance = Math.log(1 + (deviation / mean) ** 2);
  return { mu: Math.log(mean) - variance / 2, sigma: Math.sqrt(variance) };
};

/** Box and Muller (1958), one of the two values. */
const standardNormal = (random: SeededRandom): number =>
  Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());

/**
 * Drawn again until it is a length: truncated, not accumulated at 1. A distribution with almost nothing above
 * 1 finally gives the nearest bound.
 */
const drawnWithin = (draw: () => number): number => {
  let value = 0;
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    value = Math.round(draw());
    if (value >= 1 && value <= LENGTH_MAX) return value;
  }
  return Math.min(LENGTH_MAX, Math.max(1, value));
};

const cumulated = (weights: readonly number[]): Float64Array => {
  const sums = new Float64Array(weights.length);
  let sum = 0;
  for (const [index, weight] of weights.entries()) {
    sum += weight;
    sums[index] = sum;
  }
  return sums;
};

/** The first index whose sum is above the draw: an item of weight 0 is never drawn. */
const drawnIndex = (sums: Float64Array, random: SeededRandom): number => {
  const target = random.next() * (sums.at(-1) ?? 0);
  let low = 0;
  let high = sums.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sums[middle] ?? 0) > target) high = middle;
    else low = middle + 1;
  }
  return low;
};

const ATTEMPTS_MAX = 1_000;
const BINS_SHOWN = 6;
