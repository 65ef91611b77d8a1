import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { binaryBytes, ExpansionBudget } from '../../../src/core/input/expansion-budget.ts';
import { INPUT_LIMITS } from '../../../src/core/input/input-limits.ts';
import { jsonFootprint, NESTING_MAX, valueFootprint } from '../../../src/core/input/json-footprint.ts';

const refuse = ({ problem, advice }: { problem: string; advice: string }): Error =>
  new Error(`${problem} / ${advice}`);

describe('what an input expands to', () => {
  test('is refused at its limit, with the limit and what to do', () => {
    const budget = new ExpansionBudget('modelConfig', refuse);
    budget.add(INPUT_LIMITS.modelConfig.expandedBytesMax);
    expect(() => budget.add(1)).toThrow(
      `it expands to more than 128 MiB / ${INPUT_LIMITS.modelConfig.advice}`,
    );
  });

  test('counts over all its parts', () => {
    const budget = new ExpansionBudget('lengths', refuse);
    const text = `[${'[],'.repeat(100_000)}[]]`;
    expect(() => {
      for (let part = 0; part < 100; part += 1) budget.addJson(text);
    }).toThrow('expands to more than');
  });

  test('is not nested deeper than can be walked', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    const budget = new ExpansionBudget('dataset', refuse);
    budget.addJson(nested(NESTING_MAX));
    expect(() => budget.addJson(nested(NESTING_MAX + 1))).toThrow(
      `nested ${NESTING_MAX + 1} deep; at most ${NESTING_MAX} levels are read`,
    );
  });

  test('names a limit as the page of limits writes it', () => {
    expect([100, 65_536, 16 * 2 ** 20, 2 ** 30].map(binaryBytes)).toEqual([
      '100 bytes',
      '64 KiB',
      '16 MiB',
      '1 GiB',
    ]);
  });
});

describe('the footprint of JSON', () => {
  test('sees neither brackets nor marks within strings', () => {
    const text = String.raw`{"a [{\" ,:": "]}\\", "b": [1, 2]}`;
    expect(jsonFootprint(text)).toEqual({
      depth: 2,
      bytes: text.length + 3 * 20 + 2 * 56 + 2 * 48 + 2 * 12,
    });
  });

  test('is about that of the value at least, and of as many levels', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), value => {
        const text = JSON.stringify(value);
        const { bytes, depth } = jsonFootprint(text);
        expect(bytes).toBeGreaterThanOrEqual(valueFootprint(value) * 0.8);
        expect(depth).toBe(levelsOf(value));
      }),
    );
  });

  test('of a text that breaks off is estimated all the same', () => {
    expect(jsonFootprint('{"a": "never closed').depth).toBe(1);
  });
});

const levelsOf = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Object.values(value).reduce<number>((most, item) => Math.max(most, levelsOf(item)), 0);
};
