import { expect, test } from 'vitest';
import { filteredViews, isFiltering, warningsOf } from '../../../src/core/group/place-filter.ts';
import { groupedState, groupSources } from '../../support/grouped-nodes.ts';

const SOURCES = groupSources(
  groupedState([
    { name: 'a1', site: 'greenwich', rack: 'r1', tags: ['serve', 'team=search'] },
    { name: 'a2', site: 'leith', rack: 'r1', tags: ['serve'], machineKind: 'desk' },
    { name: 'a3', tags: ['train'], silentMs: 60_000 },
  ]),
);

test.each([
  [{ site: 'greenwich', tags: [] }, 'a1'],
  [{ rack: 'r1', tags: [] }, 'a1 a2'],
  [{ rack: 'leith/r1', tags: [] }, 'a2'],
  [{ kind: 'desk', tags: [] }, 'a2'],
  [{ tags: ['serve'] }, 'a1 a2'],
  [{ tags: ['serve', 'team=search'] }, 'a1'],
  [{ site: 'leith', tags: ['train'] }, ''],
  [{ tags: [] }, 'a1 a2 a3'],
])('the filter %j leaves %s', (filter, names) => {
  expect(
    filteredViews(SOURCES.views, filter)
      .map(({ name }) => name)
      .sort()
      .join(' '),
  ).toBe(names);
});

test('only warnings of the nodes that are shown are shown', () => {
  const views = filteredViews(SOURCES.views, { tags: ['train'] });
  expect(warningsOf(SOURCES.warnings, views)).toHaveLength(1);
  expect(warningsOf(SOURCES.warnings, filteredViews(SOURCES.views, { tags: ['serve'] }))).toEqual([]);
  expect(isFiltering({ tags: [] })).toBe(false);
});
