import { describe, expect, test } from 'vitest';
import { byNeedOfPairs, groupPairs } from '../../../src/core/group/group-pairs.ts';
import { groupViews } from '../../../src/core/group/group-view.ts';
import { EVERY_NODE } from '../../../src/core/group/place-filter.ts';
import { linkViews } from '../../../src/core/link/link-view.ts';
import { renderStatus } from '../../../src/tui/render-status.ts';
import {
  groupedNodeId,
  groupedState,
  groupSources,
  linkEvents,
  type MeasuredLink,
  NOW_MS,
} from '../../support/grouped-nodes.ts';

/** Three racks of four: a0…a3 in r0, a4…a7 in r1, a8…a11 in r2. */
const NODES = Array.from({ length: 12 }, (_, index) => ({
  name: `a${index}`,
  site: 'greenwich',
  rack: `r${Math.floor(index / 4)}`,
}));

const LINKS: readonly MeasuredLink[] = [
  { ends: [0, 4], there: 9.4e9, negotiated: 10e9 },
  { ends: [1, 5], there: 9.3e9, back: 9.2e9, negotiated: 10e9 },
  { ends: [6, 2], there: 9.4e9, back: 2e9, negotiated: 10e9 },
  { ends: [0, 1], there: 9.1e9, negotiated: 10e9 },
  { ends: [3, 8], there: 5e9 },
];

const stateOf = (links: readonly MeasuredLink[] = LINKS) => groupedState(NODES, linkEvents(links));

const pairsOf = (state = stateOf(), nodeCount = NODES.length) =>
  groupPairs(groupViews(groupSources(state), { kind: 'rack' }), linkViews(state, NOW_MS), nodeCount)
    .toSorted(byNeedOfPairs)
    .map(({ groups: [one, other], ...ways }) => ({ pair: `${one.name} ${other.name}`, ...ways }));

describe('the matrix by group', () => {
  test('has of each two racks, and within each, the median and the worst by name, what needs a look first', () => {
    expect(pairsOf().slice(0, 3)).toEqual([
      {
        pair: 'r0 r1',
        linkCount: 3,
        median: 9.2e9,
        worst: 2e9,
        worstNodes: [groupedNodeId(2), groupedNodeId(6)].sort(),
        isFlagged: true,
        reason: undefined,
      },
      expect.objectContaining({ pair: 'r0 r0', linkCount: 1, median: 9.1e9, worst: 9.1e9, isFlagged: false }),
      expect.objectContaining({ pair: 'r0 r2', median: 5e9, isFlagged: false }),
    ]);
  });

  test('reports why nothing is known of two racks: in a fleet that they were not chosen today', () => {
    const reasonOf = (nodeCount: number) =>
      pairsOf(stateOf(), nodeCount).find(({ pair }) => pair === 'r1 r2')?.reason;
    expect(reasonOf(12)).toBe('not reachable');
    expect(reasonOf(1_000)).toBe('not chosen today');
  });

  test('is in a terminal in place of the links, where groups are in place of the nodes', () => {
    const options = { columns: 120, color: false, isUnicode: true };
    const scope = { by: { kind: 'rack' as const }, filter: EVERY_NODE };
    const lines = renderStatus(stateOf(), NOW_MS, [], { ...options, scope }).map(line =>
      line.replaceAll(/[\u00a0\u202f]/g, ' '),
    );
    const head = lines.findIndex(line => line.startsWith('  Between'));
    expect(lines[head + 1]).toMatch(/^! r0 +r1 +3 +9\.2\d? Gb\/s +2(\.0+)? Gb\/s +a\d – a\d/);
    expect(lines[head + 2]).toMatch(/^● r0 +within +1 /);
    expect(lines[head + 4]).toBe('  … 3 pairs not reachable');
  });
});

describe('a link among others of its kind', () => {
  const between = (rates: readonly number[]): readonly MeasuredLink[] =>
    rates.map((there, index) => ({ ends: [index, 4 + ((index * 3) % 4)], there }));
  const warned = (rates: readonly number[]) =>
    groupSources(stateOf(between(rates))).warnings.filter(({ id }) => id.startsWith('link pair'));

  test('is warned of where it is far below the median of the two racks', () => {
    const [warning, ...others] = warned([9.4e9, 9.3e9, 9.4e9, 3e9]);
    expect(others).toEqual([]);
    expect(warning).toMatchObject({
      level: 'caution',
      nodes: expect.arrayContaining([groupedNodeId(3)]),
    });
    expect(warning?.title.replaceAll('\u00a0', ' ')).toMatch(
      /^a\d to a\d: 3(\.0+)? Gb\/s is far less than others between the racks greenwich\/r0 and greenwich\/r1$/,
    );
  });

  test('is not where the others are few, or like it', () => {
    expect(warned([9.4e9, 9.3e9, 3e9])).toEqual([]);
    expect(warned([9.4e9, 9.3e9, 8e9, 7e9])).toEqual([]);
  });

  test('is warned of once where it also falls short of what its ends agreed on', () => {
    const links = between([9.4e9, 9.3e9, 9.4e9, 3e9]).map(link => ({ ...link, negotiated: 10e9 }));
    const ids = groupSources(stateOf(links)).warnings.map(({ id }) => id.split(' ', 2).join(' '));
    expect(ids.filter(id => id.startsWith('link'))).toEqual(['link short']);
  });
});
