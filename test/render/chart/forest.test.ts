import { describe, expect, test } from 'vitest';
import type { ComparisonDocument } from '../../../src/core/comparison/comparison-document.ts';
import { forestOf } from '../../../src/render/chart/forest.ts';
import { pairStrip } from '../../../src/render/chart/pair-strip.ts';
import { madeUpComparison } from '../../support/made-up-comparison.ts';

const PAIRS = [
  [318, 280],
  [320, 284],
  [315, 279],
  [322, 283],
  [317, 281],
  [319, 282],
] as const;

const BOX = { left: 0, right: 800 };
const row = (document: ComparisonDocument, name: string) =>
  forestOf(document, BOX).rows.find(each => each.name === name);

describe('the intervals of a comparison as a picture', () => {
  test('lie on one scale with their margin and their pairs, the estimate between its ends', () => {
    const forest = forestOf(madeUpComparison(PAIRS), BOX);
    const ttft = forest.rows.find(({ name }) => name === 'ttft.p90');
    expect(ttft).toMatchObject({ tone: 'better', verdictLabel: 'better', isPrimary: true });
    expect(ttft?.units).toHaveLength(6);
    const { low, at, high } = ttft?.interval ?? { low: 0, at: 0, high: 0 };
    expect(low).toBeLessThan(at);
    expect(at).toBeLessThan(high);
    expect(high).toBeLessThan(ttft?.margin.low ?? 0);
    expect(ttft?.margin.low).toBeLessThan(forest.zero);
    expect(forest.zero).toBeLessThan(ttft?.margin.high ?? 0);
    expect(ttft?.sentence).toMatch(/^TTFT p90: A 319 ms, B 28\d ms, −11\.\d %, between −.* %: better$/);
  });

  test('report why a figure has none', () => {
    expect(row(madeUpComparison(PAIRS), 'ttft.p99')).toMatchObject({
      tone: 'none',
      interval: undefined,
      note: expect.stringContaining('too few for a p99'),
    });
  });

  test('of one run each are called neither better nor worse, and never the same', () => {
    const pairs = madeUpComparison(PAIRS);
    const document: ComparisonDocument = {
      ...pairs,
      mode: 'runs',
      metrics: pairs.metrics.map(metric => ({ ...metric, verdict: { kind: 'different' } })),
    };
    expect(row(document, 'ttft.p90')).toMatchObject({
      tone: 'different',
      verdictLabel: 'differs',
      units: [],
    });
  });

  test('of what is not comparable have no words and no colour, unless somebody overruled it', () => {
    const document: ComparisonDocument = {
      ...madeUpComparison(PAIRS),
      refusals: [{ code: 'concurrency', problem: 'Different numbers', a: '4', b: '8' }],
    };
    for (const { tone, verdictLabel } of forestOf(document, BOX).rows)
      expect({ tone, verdictLabel }).toEqual({ tone: 'none', verdictLabel: 'not compared' });
    expect(row({ ...document, isAnyway: true }, 'ttft.p90')).toMatchObject({ tone: 'better' });
  });
});

test('pairs stand in the order in which their segments ran', () => {
  const strip = pairStrip(madeUpComparison(PAIRS), { left: 0, right: 600, top: 0, floor: 100 });
  expect(strip?.points.map(({ side }) => side).join('')).toBe('ABBAABBAABBA');
  expect(strip?.points.map(({ pair }) => pair)).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]);
});
