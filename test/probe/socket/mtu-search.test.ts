import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FIRST_SIZES, nextSizes } from '../../../src/probe/socket/mtu-search.ts';

const search = (mtu: number): { readonly found: number; readonly rounds: number } => {
  const tried: number[] = [];
  const passed: number[] = [];
  let rounds = 0;
  for (let sizes = FIRST_SIZES; sizes.length > 0; sizes = nextSizes(tried, passed)) {
    rounds += 1;
    tried.push(...sizes);
    passed.push(...sizes.filter(size => size <= mtu));
  }
  return { found: Math.max(0, ...passed), rounds };
};

test.each([1_500, 9_000, 65_535])('an MTU of %d is exact after one round', mtu => {
  expect(search(mtu)).toEqual({ found: mtu, rounds: 1 });
});

test('any MTU is exact after five rounds at most', () => {
  fc.assert(
    fc.property(fc.integer({ min: 576, max: 65_535 }), mtu => {
      const { found, rounds } = search(mtu);
      expect(found).toBe(mtu);
      expect(rounds).toBeLessThanOrEqual(5);
    }),
  );
});

test('a path that passes nothing is not searched', () => {
  expect(search(100)).toEqual({ found: 0, rounds: 1 });
});
