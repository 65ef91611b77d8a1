import { describe, expect, test } from 'vitest';
import { ringOrder, starCentre } from '../../../src/core/wiring/node-order.ts';

/** Rates by pair of letters, in either direction. */
const ratesOf =
  (rates: Readonly<Record<string, number>>) =>
  (from: string, to: string): number =>
    rates[[from, to].sort().join('')] ?? 0;

describe('the order of a ring', () => {
  test('avoids the slow cable', () => {
    const rate = ratesOf({ AB: 1, AC: 70, AD: 70, BC: 70, BD: 70, CD: 1 });
    expect(ringOrder(['A', 'B', 'C', 'D'], rate)).toEqual(['A', 'C', 'B', 'D']);
  });

  test('with one slow hop that no order avoids still takes the fast cables', () => {
    const rate = ratesOf({ AB: 1, AC: 40, AD: 1, BC: 1, BD: 1, CD: 10 });
    expect(ringOrder(['A', 'B', 'C', 'D'], rate)).toEqual(['A', 'B', 'D', 'C']);
  });

  test('stays as it was requested if none is faster', () => {
    const rate = (): number => 10;
    expect(ringOrder(['C', 'A', 'B'], rate)).toEqual(['C', 'A', 'B']);
    expect(ringOrder(['A'], rate)).toEqual(['A']);
    expect(ringOrder([], rate)).toEqual([]);
  });

  test('of more nodes than can be searched continues with the nearest one', () => {
    const nodes = Array.from({ length: 12 }, (_, at) => (at * 5) % 12);
    const rate = (from: number, to: number): number => 100 - Math.abs(from - to);
    expect(ringOrder(nodes, rate)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });
});

describe('the centre of a star', () => {
  test('is the node whose slowest way is fastest', () => {
    const rate = ratesOf({ AB: 100, AC: 1, BC: 20 });
    expect(starCentre(['A', 'B', 'C'], rate)).toBe('B');
    expect(starCentre(['C', 'A'], () => 0)).toBe('C');
    expect(starCentre([], () => 0)).toBeUndefined();
  });
});
