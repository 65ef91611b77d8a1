import { describe, expect, test } from 'vitest';
import { boundedWarnings, type Warning, warningSort } from '../../../src/core/warnings/warning.ts';

const warning = (id: string, level: Warning['level'] = 'caution'): Warning => ({
  id,
  level,
  nodes: [],
  title: id,
  why: '',
});
const staleOn = (count: number): readonly Warning[] =>
  Array.from({ length: count }, (_, index) => warning(`stale ${`n${index}`.padEnd(26, 'a')} memory system`));

describe('the list of warnings', () => {
  test('has serious ones first, and else the order in which they were found', () => {
    const found = [
      warning('swap a', 'note'),
      warning('pcie b'),
      warning('presence c', 'danger'),
      warning('builds x'),
    ];
    expect(boundedWarnings(found).map(({ id }) => id)).toEqual([
      'presence c',
      'pcie b',
      'builds x',
      'swap a',
    ]);
  });

  test('keeps a place for other sorts where a whole cluster has one trouble, and counts what is left out', () => {
    const shown = boundedWarnings([...staleOn(350), warning('link short a b')]);
    expect(shown).toHaveLength(202);
    expect(shown.at(-2)?.id).toBe('link short a b');
    expect(shown.at(-1)).toMatchObject({ id: 'more', level: 'note', title: '150 more warnings' });
  });

  test('leaves nothing out and reports nothing of it while there are few', () => {
    expect(boundedWarnings(staleOn(200))).toHaveLength(200);
    expect(boundedWarnings([])).toEqual([]);
  });

  test('is never longer than 500 and the one that counts the rest', () => {
    const found = ['aa', 'bb', 'cc', 'dd', 'ee', 'ff'].flatMap(sort =>
      Array.from({ length: 120 }, (_, index) => warning(`${sort} ${index}`)),
    );
    const shown = boundedWarnings(found);
    expect(shown).toHaveLength(501);
    expect(shown.at(-1)?.title).toBe('220 more warnings');
  });
});

test.each([
  ['stale axjhkad473lp34zlwutgct3m3a memory system', 'caution stale'],
  ['link short axjhkad473lp34zlwutgct3m3a g457j3xu7j', 'caution link short'],
  ['gpu memory axjhkad473lp34zlwutgct3m3a GPU-1', 'caution gpu memory'],
  ['alone', 'caution alone'],
])('%s is of the sort %s', (id, sort) => {
  expect(warningSort({ id, level: 'caution' })).toBe(sort);
});
