// Bounds that hold however observations depend on each other: what they decide, and how often they are wrong on series that depend on
// themselves as latencies do.

import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../src/core/random.ts';
import { isMeanOver, sideOfBlocks } from '../../../src/core/statistics/worst-dependence.ts';
import { longCount } from '../../support/counts.ts';
import { QueueSimulator } from '../../support/queue-simulator.ts';

const ALPHA = 0.025;
/** Of 400 runs at 2.5 %, 10; more than 18 are seen once in 130 series. Of 100, 2.5 and 8. */
const RUNS = longCount(100, 400);
const WRONG_MOST = longCount(8, 18);

type Series = readonly number[];

const overOf = (values: Series, limit: number, largest: number | undefined): boolean =>
  isMeanOver({ batches: values.map(amount => ({ amount, size: 1 })), limit, largest, doubt: ALPHA });

/** Standard normal values, each like the one before it by `phi`. */
const correlated = (seed: number, count: number, phi: number): Series => {
  const random = seededRandom(seed);
  const normal = (): number =>
    Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
  let state = normal();
  return Array.from({ length: count }, () => {
    state = phi * state + Math.sqrt(1 - phi * phi) * normal();
    return state;
  });
};

/** Latencies behind an M/G/1 queue that begins empty, in service times. */
const queued = (seed: number, count: number, utilisation: number): Series => {
  const queue = new QueueSimulator({ servers: 1, serviceNs: 1, serviceVariation: 1 }, seed);
  const random = seededRandom(seed + 1e6);
  let atNs = 0;
  return Array.from({ length: count }, () => {
    atNs -= Math.log1p(-random.next()) / utilisation;
    queue.arrive(atNs);
    return queue.endedNs - atNs;
  });
};

const sorted = (values: Series): Series => values.toSorted((a, b) => a - b);
const meanOf = (values: Series): number => values.reduce((sum, value) => sum + value, 0) / values.length;

interface Source {
  readonly name: string;
  readonly draw: (seed: number, count: number) => Series;
}

const SOURCES: readonly Source[] = [
  ...[0, 0.9, 0.97].map(phi => ({
    name: `values with a correlation of ${phi}`,
    draw: (seed: number, count: number) => correlated(seed, count, phi),
  })),
  ...[0.7, 0.9, 0.95].map(utilisation => ({
    name: `a queue at ${utilisation} of its capacity`,
    draw: (seed: number, count: number) => queued(seed, count, utilisation),
  })),
];

describe.each(SOURCES)('of $name', ({ draw }) => {
  const whole = sorted(draw(1, 200_000));
  const mean = meanOf(whole);
  const wrongOf = (count: number, isWrong: (values: Series) => boolean): number =>
    Array.from({ length: RUNS }, (_, run) => draw(7 * run + 2, count)).filter(isWrong).length;

  test.each([0.5, 0.1, 0.05, 0.01])(
    'a share of %d beyond the limit is taken for more in hardly more runs than the doubt allows',
    share => {
      const limit = whole[Math.floor((1 - share) * whole.length)] ?? 0;
      const wrong = wrongOf(300, values =>
        overOf(
          values.map(value => Number(value > limit)),
          share,
          1,
        ),
      );
      expect(wrong).toBeLessThanOrEqual(WRONG_MOST);
    },
  );

  test('a mean at the limit is taken for more in hardly more runs than the doubt allows', () => {
    // A value below 0 is none of a latency.
    const wrong = wrongOf(300, values => mean > 0.1 && overOf(values, mean, undefined));
    expect(wrong).toBeLessThanOrEqual(WRONG_MOST);
  });

  test.each([0.1, 0.05])('a share of %d is on one side by its blocks in hardly more runs either', share => {
    const limit = whole[Math.floor((1 - share) * whole.length)] ?? 0;
    const sides = Array.from({ length: RUNS }, (_, run) => {
      const values = draw(7 * run + 2, 600);
      const good = values.filter(value => value <= limit).length;
      const at = { hits: good, of: values.length, share: 1 - share, confidence: 1 - 2 * ALPHA };
      return sideOfBlocks({ ...at, misses: runsOver(values, limit) });
    });
    for (const side of ['above', 'below'])
      expect(sides.filter(each => each === side).length).toBeLessThanOrEqual(WRONG_MOST);
  });
});

const runsOver = (values: Series, limit: number): { readonly count: number; readonly longest: number } => {
  let [count, longest, run] = [0, 0, 0];
  for (const value of values) {
    run = value > limit ? run + 1 : 0;
    if (run === 1) count += 1;
    longest = Math.max(longest, run);
  }
  return { count, longest };
};

describe('a clear case', () => {
  const ramp = (count: number, first: number): Series =>
    Array.from({ length: count }, (_, index) => Number(index >= first));

  test('of misses from the first moments on is over the limit, however they depend on each other', () => {
    expect(overOf(ramp(314, 11), 0.1, 1)).toBe(true);
    expect(overOf(ramp(115, 16), 0.1, 1)).toBe(true);
    // At one half it is the sign test: six blocks, each of which must miss.
    expect(overOf(ramp(720, 0), 0.5, 1)).toBe(true);
    expect(overOf(ramp(720, 120), 0.5, 1)).toBe(false);
  });

  test('is none of a few values, nor of a single burst', () => {
    expect(overOf(ramp(79, 0), 0.1, 1)).toBe(false);
    expect(overOf(ramp(314, 157), 0.1, 1)).toBe(false);
    expect(overOf([], 0.1, 1)).toBe(false);
    expect(overOf(ramp(314, 0), 0, 1)).toBe(false);
    expect(overOf(ramp(314, 0), 1, 1)).toBe(false);
  });

  test('by blocks needs several runs of misses, and counts each block once', () => {
    const at = { hits: 900, of: 1_000, share: 0.8, confidence: 0.95 };
    expect(sideOfBlocks({ ...at, misses: { count: 10, longest: 2 } })).toBe('above');
    expect(sideOfBlocks({ ...at, misses: { count: 7, longest: 2 } })).toBe('unsure');
    expect(sideOfBlocks({ ...at, misses: { count: 10, longest: 40 } })).toBe('unsure');
    expect(sideOfBlocks({ ...at, share: 0.97, misses: { count: 10, longest: 2 } })).toBe('below');
  });
});
