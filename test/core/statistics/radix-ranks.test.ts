import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RadixRanks } from '../../../src/core/statistics/raw-values.ts';
import { longCount } from '../../support/counts.ts';

const ranksOf = (blocks: readonly Float64Array[]): RadixRanks =>
  new RadixRanks(
    blocks.reduce((sum, block) => sum + block.length, 0),
    visit => blocks.forEach(visit),
  );

const sortedOf = (blocks: readonly Float64Array[]): Float64Array =>
  Float64Array.from(blocks.flatMap(block => [...block])).sort();

describe('ranks by leading bits', () => {
  test('are those of sorted values, for any values and any order of the requests', () => {
    const value = fc.oneof(
      fc.constantFrom(0, 1, Number.MIN_VALUE, Number.MAX_VALUE, 2 ** 53),
      fc.nat(20),
      fc.integer({ min: 50_000_000, max: 50_001_000 }),
      fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
    );
    fc.assert(
      fc.property(
        fc.array(fc.array(value, { maxLength: 40 }), { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat(200)),
        fc.array(value),
        (lists, requested, others) => {
          const blocks = lists.map(list => Float64Array.from(list, number => number + 0));
          const [sorted, ranks] = [sortedOf(blocks), ranksOf(blocks)];
          ranks.prepare({ ranks: requested, values: others });
          for (const rank of [...requested, -1, 0, sorted.length - 1, sorted.length])
            expect(ranks.at(rank)).toBe(rank < 0 ? undefined : sorted[rank]);
          for (const other of [...others, ...sorted, 0, Number.POSITIVE_INFINITY])
            expect(ranks.countBelow(other)).toBe(sorted.filter(each => each < other).length);
        },
      ),
      { numRuns: longCount(5, 60) },
    );
  });

  test('are found where a cell has more values than are sorted: equal ones, close ones, one far away', () => {
    const block = (of: (at: number) => number): Float64Array =>
      Float64Array.from({ length: 70_000 }, (_, at) => of(at));
    const blocks = [
      block(() => 128),
      block(at => 50_000_000 + ((at * 7_919) % 30_011)),
      block(at => 50_000_000 + ((at * 7_919) % 30_011) / 1_024),
      Float64Array.of(3.6e12, 0),
    ];
    const [sorted, ranks] = [sortedOf(blocks), ranksOf(blocks)];
    for (let rank = 0; rank < sorted.length; rank += 13_331) expect(ranks.at(rank)).toBe(sorted[rank]);
    expect(ranks.at(sorted.length - 1)).toBe(3.6e12);
    expect(ranks.countBelow(128)).toBe(1);
    expect(ranks.countBelow(128.5)).toBe(70_001);
    expect(ranks.countBelow(50_000_000)).toBe(70_001);
    expect(ranks.countBelow(50_030_011)).toBe(210_001);
  });

  test('are found among many zeros and the least of numbers, whose cell is narrower than any factor can express', () => {
    const values = Float64Array.from({ length: 70_000 }, (_, at) => (at % 7) * Number.MIN_VALUE);
    const ranks = ranksOf([values]);
    expect([0, 9_999, 10_000, 35_000, 69_999].map(rank => ranks.at(rank))).toEqual(
      [0, 0, 1, 3, 6].map(least => least * Number.MIN_VALUE),
    );
    expect(ranks.countBelow(3 * Number.MIN_VALUE)).toBe(30_000);
    expect(ranks.countBelow(1)).toBe(70_000);
  });

  test('read the values as often as levels are asked for, however many ranks', () => {
    let readings = 0;
    const block = Float64Array.from({ length: 50_000 }, (_, at) => at * 1_000);
    const ranks = new RadixRanks(block.length, visit => {
      readings += 1;
      visit(block);
    });
    const requested = Array.from({ length: 50 }, (_, at) => at * 1_000);
    ranks.prepare({ ranks: requested });
    expect(requested.map(rank => ranks.at(rank))).toEqual(requested.map(rank => rank * 1_000));
    expect(readings).toBe(2);
  });
});
