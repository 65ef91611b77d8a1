import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseLength } from '../../../src/core/figure/parse-length.ts';
import { seededRandom } from '../../../src/core/random.ts';
import {
  distributionText,
  LENGTH_MAX,
  type LengthDistribution,
  lengthSampler,
} from '../../../src/core/statistics/length-distribution.ts';

const drawn = (
  distribution: LengthDistribution,
  { seed, count }: { seed: number; count: number },
): number[] => {
  const draw = lengthSampler(distribution, seededRandom(seed));
  return Array.from({ length: count }, draw);
};

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

const deviationOf = (values: readonly number[]): number => {
  const mean = meanOf(values);
  return Math.sqrt(meanOf(values.map(value => (value - mean) ** 2)));
};

const length = fc.integer({ min: 1, max: 20_000 });
const range = fc.tuple(length, length).map(([a, b]) => ({ min: Math.min(a, b), max: Math.max(a, b) }));
const weight = fc.integer({ min: 0, max: 1_000 });
const anyDistribution: fc.Arbitrary<LengthDistribution> = fc.oneof(
  length.map(value => ({ kind: 'fixed' as const, value })),
  range.filter(({ min, max }) => min < max).map(bounds => ({ kind: 'uniform' as const, ...bounds })),
  fc.record({
    kind: fc.constantFrom('normal' as const, 'lognormal' as const),
    mean: length,
    deviation: fc.integer({ min: 0, max: 40_000 }),
  }),
  fc.record({
    kind: fc.constant('zipf' as const),
    exponent: fc.integer({ min: 1, max: 40 }).map(tenths => tenths / 10),
    max: fc.integer({ min: 1, max: 5_000 }),
  }),
  fc
    .array(
      fc.tuple(range, weight).map(([bounds, share]) => ({ ...bounds, weight: share })),
      { minLength: 1, maxLength: 6 },
    )
    .filter(bins => bins.some(bin => bin.weight > 0))
    .map(bins => ({ kind: 'weighted' as const, bins })),
);

describe('lengths drawn from a distribution', () => {
  test('are whole numbers of tokens, and the same for the same seed', () => {
    fc.assert(
      fc.property(anyDistribution, fc.nat(), (distribution, seed) => {
        const lengths = drawn(distribution, { seed, count: 40 });
        for (const drawnLength of lengths) {
          expect(Number.isSafeInteger(drawnLength)).toBe(true);
          expect(drawnLength).toBeGreaterThanOrEqual(1);
          expect(drawnLength).toBeLessThanOrEqual(LENGTH_MAX);
        }
        expect(drawn(distribution, { seed, count: 40 })).toEqual(lengths);
      }),
    );
  });

  test('stay inside the range or the bins that were given, and never come from one of weight 0', () => {
    fc.assert(
      fc.property(anyDistribution, fc.nat(), (distribution, seed) => {
        const lengths = drawn(distribution, { seed, count: 60 });
        const bins =
          distribution.kind === 'weighted'
            ? distribution.bins.filter(bin => bin.weight > 0)
            : distribution.kind === 'uniform'
              ? [distribution]
              : distribution.kind === 'zipf'
                ? [{ min: 1, max: distribution.max }]
                : [{ min: 1, max: LENGTH_MAX }];
        for (const value of lengths)
          expect(bins.some(({ min, max }) => value >= min && value <= max)).toBe(true);
      }),
    );
  });

  test.each([
    [{ kind: 'uniform', min: 100, max: 300 }, 200, 58],
    [{ kind: 'normal', mean: 1_024, deviation: 200 }, 1_024, 200],
    [{ kind: 'lognormal', mean: 1_024, deviation: 500 }, 1_024, 500],
    [
      {
        kind: 'weighted',
        bins: [
          { min: 128, max: 128, weight: 60 },
          { min: 1_000, max: 1_000, weight: 20 },
        ],
      },
      346,
      377.6,
    ],
  ] satisfies [LengthDistribution, number, number][])(
    '%o has the mean and deviation it states',
    (distribution, mean, deviation) => {
      const lengths = drawn(distribution, { seed: 7, count: 40_000 });
      expect(Math.abs(meanOf(lengths) / mean - 1)).toBeLessThan(0.01);
      expect(Math.abs(deviationOf(lengths) / deviation - 1)).toBeLessThan(0.03);
    },
  );

  test('of a zipf fall off by the exponent', () => {
    const lengths = drawn({ kind: 'zipf', exponent: 1.5, max: 1_000 }, { seed: 3, count: 100_000 });
    const countOf = (value: number) => lengths.filter(other => other === value).length;
    expect(countOf(1) / countOf(2)).toBeCloseTo(2 ** 1.5, 0);
    expect(countOf(1) / countOf(4)).toBeCloseTo(4 ** 1.5, 0);
  });

  test('of a normal that reaches below 1 are cut off there, not piled up', () => {
    const lengths = drawn({ kind: 'normal', mean: 10, deviation: 20 }, { seed: 5, count: 20_000 });
    const ones = lengths.filter(value => value === 1).length;
    const tens = lengths.filter(value => value === 10).length;
    expect(ones).toBeLessThan(tens * 1.2);
  });
});

describe('a distribution on the command line', () => {
  test('is read back from what it is shown as', () => {
    fc.assert(
      fc.property(anyDistribution, distribution => {
        const text = distributionText(distribution);
        if (distribution.kind === 'weighted' && distribution.bins.length > 6) return;
        expect(parseLength(text)).toEqual({ kind: 'ok', value: distribution });
      }),
    );
  });

  test.each([
    ['256', { kind: 'fixed', value: 256 }],
    ['50..200', { kind: 'uniform', min: 50, max: 200 }],
    ['normal(1024,200)', { kind: 'normal', mean: 1_024, deviation: 200 }],
    ['lognormal( 1024 , 500.5 )', { kind: 'lognormal', mean: 1_024, deviation: 500.5 }],
    ['zipf(1.1,4096)', { kind: 'zipf', exponent: 1.1, max: 4_096 }],
    [
      '128:60, 500..600:30',
      {
        kind: 'weighted',
        bins: [
          { min: 128, max: 128, weight: 60 },
          { min: 500, max: 600, weight: 30 },
        ],
      },
    ],
    ['file:a/hist.json', { kind: 'file', path: 'a/hist.json' }],
  ])('%s is understood', (text, value) => {
    expect(parseLength(text)).toEqual({ kind: 'ok', value });
  });

  test.each([
    ['many', 'is not a number of tokens', 'normal(1024,200)'],
    ['0', 'out of range', 'from 1 to 1000000'],
    ['200..50', 'ends before it begins', 'Did you mean 50..200?'],
    ['norml(1024,200)', 'no distribution "norml"', 'Did you mean normal(1024,200)?'],
    ['pareto(1,2)', 'no distribution "pareto"', 'normal, lognormal, zipf'],
    ['normal(1024)', 'a mean', 'normal(1024,200)'],
    ['normal(0,1)', 'a mean', 'normal(1024,200)'],
    ['zipf(0,5)', 'an exponent', 'zipf(1.1,4096)'],
    ['zipf(1,0)', 'a greatest length', 'zipf(1.1,4096)'],
    ['128:', 'a length and its weight', '128:60'],
    ['128:0', 'no length has a weight', '128:1'],
    ['file:', 'names no file', 'file:HIST.json'],
  ])('%s is refused with what to write instead', (text, problem, advice) => {
    const result = parseLength(text);
    expect(result.kind).toBe('wrong');
    if (result.kind !== 'wrong') return;
    expect(result.problem).toContain(problem);
    expect(result.advice).toContain(advice);
  });
});
