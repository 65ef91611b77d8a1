// What is updated at every count, and what in turn.

import { describe, expect, test } from 'vitest';
import { InTurn, type InTurnOptions, TURNS } from '../../../dashboard/src/figure/in-turn.ts';

const ITEMS = Array.from({ length: 40 }, (_, index) => `row ${index}`);

const reporting = (
  count: number,
  more: Partial<InTurnOptions<string, { readonly key: string; readonly count: number }>> = {},
): InTurnOptions<string, { readonly key: string; readonly count: number }> => ({
  keyOf: item => item,
  report: key => ({ key, count }),
  isSeen: index => index < 4,
  basis: ['bits'],
  ...more,
});

describe('words that are updated in turn', () => {
  test('are updated at every count if they are visible', () => {
    const turns = new InTurn<string, { readonly key: string; readonly count: number }>();
    for (let count = 0; count < 30; count += 1) {
      const reported = turns.read(ITEMS, reporting(count));
      expect(reported.slice(0, 4).map(row => row.count)).toEqual([count, count, count, count]);
    }
  });

  test('are each updated once in so many counts if they are not, a tenth at a time', () => {
    const turns = new InTurn<string, { readonly key: string; readonly count: number }>();
    turns.read(ITEMS, reporting(0));
    for (let count = 1; count <= TURNS; count += 1) {
      const reported = turns.read(ITEMS, reporting(count));
      expect(reported.slice(4).filter(row => row.count === count).length).toBeLessThanOrEqual(4);
    }
    expect(turns.read(ITEMS, reporting(TURNS + 1)).every(row => row.count > 0)).toBe(true);
  });

  test('are the same objects while they are not updated', () => {
    const turns = new InTurn<string, { readonly key: string; readonly count: number }>();
    const before = turns.read(ITEMS, reporting(0));
    const after = turns.read(ITEMS, reporting(1));
    expect(after.filter((row, index) => row === before[index]).length).toBeGreaterThanOrEqual(32);
  });

  test('are all updated at once when what they depend on changes, and a new one when it comes', () => {
    const turns = new InTurn<string, { readonly key: string; readonly count: number }>();
    turns.read(ITEMS, reporting(0));
    expect(turns.read(ITEMS, reporting(1, { basis: ['bytes'] })).every(row => row.count === 1)).toBe(true);
    const reported = turns.read([...ITEMS, 'new'], reporting(2, { basis: ['bytes'] }));
    expect(reported.at(-1)).toEqual({ key: 'new', count: 2 });
  });
});
