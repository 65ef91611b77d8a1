import { expect, test } from 'vitest';
import { comparisonText } from '../../../src/render/comparison/comparison-text.ts';
import { madeUpComparison } from '../../support/made-up-comparison.ts';

const FASTER = [
  [318, 281],
  [322, 280],
  [310, 279],
  [325, 290],
  [315, 270],
  [321, 286],
] as const;

const textOf = (pairs: readonly (readonly [number, number])[], columns = 120): readonly string[] =>
  comparisonText(madeUpComparison(pairs), { isUnicode: true, columns });

test('the answer is first, with the change in per cent of A and its interval', () => {
  expect(textOf(FASTER)[0]).toBe('B is better: TTFT p90 −11.8 % (−13.9 to −9.6 %).');
});

test('where nothing is decided it reports how many pairs would decide', () => {
  const wide = FASTER.map(([a], index) => [a, a * (index % 2 === 0 ? 1.09 : 0.93)] as const);
  expect(textOf(wide)[0]).toMatch(
    /^Undecided: TTFT p90 \+0\.\d % \(−\d+\.\d to \+\d+\.\d %\); about \d+ pairs would decide\.$/,
  );
});

test('each metric is a line with its verdict, and an unknown one has its reason', () => {
  const lines = textOf(FASTER);
  expect(lines.find(line => line.includes('TTFT p90 *'))).toMatch(
    /320\sms +281\sms .*±5 % +< 0\.001 +better$/,
  );
  expect(lines.find(line => line.startsWith('  TTFT p99'))).toMatch(/not comparable$/);
  expect(lines.find(line => line.startsWith('- '))).toBe(
    '- TTFT p99: A of pair 1: 510 requests are too few for a p99',
  );
});

test('in a narrow terminal the margin and the chance leave, the verdict stays', () => {
  const lines = textOf(FASTER, 70);
  const head = lines.find(line => line.includes('interval')) ?? '';
  expect(head).not.toContain('margin');
  expect(lines.find(line => line.includes('TTFT p90 *'))).toMatch(/better$/);
});
