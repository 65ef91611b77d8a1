import { expect, test } from 'vitest';
import { pageTitle } from '../../../dashboard/src/shell/page-title.ts';
import { routeOf } from '../../../dashboard/src/shell/route.ts';

const nameOf = (id: string): string => id;
const titleOf = (path: string, here = 'atlas'): string =>
  pageTitle(routeOf(path), { here, nameOf, titleOf: type => type });

test('a title begins with the name of its page, which no other page has', () => {
  const paths = ['/', '/links', '/links/atlas/juno', '/nodes', '/runs', '/runs/compare', '/nowhere'];
  const titles = paths.map(path => titleOf(path));
  expect(titles).toEqual([
    'Cluster · atlas · Plimsoll',
    'Links · atlas · Plimsoll',
    'Link atlas – juno · atlas · Plimsoll',
    'Nodes · atlas · Plimsoll',
    'Runs · atlas · Plimsoll',
    'Compare runs · atlas · Plimsoll',
    'No such page · atlas · Plimsoll',
  ]);
});

test('a title reports nothing of a daemon that has sent nothing yet', () => {
  expect(titleOf('/links', '')).toBe('Links · Plimsoll');
});
