import { expect, test } from 'vitest';
import { foldedWarnings } from '../../../dashboard/src/cluster/folded-warnings.ts';
import type { ListedWarning } from '../../../dashboard/src/cluster/warnings.ts';

const of = (sort: string, count: number): readonly ListedWarning[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `${sort} ${`n${index}`.padEnd(26, 'a')}`,
    level: 'caution' as const,
    title: `${sort} ${index}`,
    why: '',
  }));
const reported = (warnings: readonly ListedWarning[], unfolded: readonly string[] = []): readonly string[] =>
  foldedWarnings(warnings, new Set(unfolded)).map(row =>
    row.kind === 'warning' ? row.warning.title : `${row.count} more of ${row.sort}`,
  );

test('a few of one sort are all shown', () => {
  expect(reported(of('stale', 5))).toHaveLength(5);
});

test('of many of one sort three are shown and the rest is counted, next to all of another sort', () => {
  expect(reported([...of('stale', 50), ...of('link short', 1)])).toEqual([
    'stale 0',
    'stale 1',
    'stale 2',
    '47 more of caution stale',
    'link short 0',
  ]);
});

test('a sort that somebody unfolded is shown whole', () => {
  expect(reported(of('stale', 50), ['caution stale'])).toHaveLength(50);
});
