import { describe, expect, test } from 'vitest';
import { FleetWatch } from '../../../src/core/fleet/fleet-watch.ts';
import { NodePlaceCache } from '../../../src/core/group/node-place.ts';
import { linkViews } from '../../../src/core/link/link-view.ts';
import type { State } from '../../../src/core/state.ts';
import { groupedState, groupSources, linkEvents, NOW_MS } from '../../support/grouped-nodes.ts';

const NODES = Array.from({ length: 8 }, (_, index) => ({
  name: `a${index}`,
  site: 'greenwich',
  rack: `r${Math.floor(index / 4)}`,
  tags: ['serve', 'train'],
  memoryUse: 0.5,
}));
const LINKS = linkEvents([
  { ends: [0, 4], there: 9.4e9, negotiated: 10e9 },
  { ends: [1, 5], there: 2e9, negotiated: 10e9 },
]);
const stateWhere = (change: Partial<(typeof NODES)[number]>): State =>
  groupedState([...NODES.slice(0, 7), { ...NODES[7], name: 'a7', ...change }], LINKS);
const sourcesOf = (state: State) => ({ ...groupSources(state), links: linkViews(state, NOW_MS) });

describe('the picture of a fleet, looked at again', () => {
  test('has the same objects for all that reports the same, and is what a first look would see', () => {
    const watch = new FleetWatch();
    const before = watch.read(sourcesOf(stateWhere({})), { kind: 'rack' });
    const fuller = sourcesOf(stateWhere({ memoryUse: 0.7 }));
    const after = watch.read(fuller, { kind: 'rack' });
    expect(after).toEqual(new FleetWatch().read(fuller, { kind: 'rack' }));
    for (const part of ['roster', 'faults', 'totals', 'others'] as const)
      expect(after[part]).toBe(before[part]);
    expect(after.levels.map((levels, group) => levels === before.levels[group])).toEqual([true, false]);
    expect(after.faults.list.map(({ kind }) => kind)).toEqual(['cable']);
  });

  test('of hundreds of nodes updates levels every other second, but a lost node at once', () => {
    const looked = (atMs: number, change: { readonly memoryUse?: number; readonly silentMs?: number }) => {
      const nodes = Array.from({ length: 240 }, (_, index) => ({
        name: `n-${index}`,
        rack: `r${Math.floor(index / 120)}`,
        memoryUse: 0.5,
        ...(index === 0 ? change : {}),
      }));
      const sources = { ...groupSources(groupedState(nodes), NOW_MS), links: [], nowMs: atMs };
      return watch.read(sources, { kind: 'rack' }).levels[0];
    };
    const watch = new FleetWatch();
    expect(looked(NOW_MS, {})?.memory[0]).toBe(50);
    expect(looked(NOW_MS + 1_000, { memoryUse: 0.7 })?.memory[0]).toBe(50);
    expect(looked(NOW_MS + 2_000, { memoryUse: 0.7 })?.memory[0]).toBe(70);
    expect(looked(NOW_MS + 3_000, { memoryUse: 0.7, silentMs: 60_000 })?.states[0]).toBe('o');
  });

  test('counts a link between two nodes of the same two tags once for the two', () => {
    const picture = new FleetWatch().read(sourcesOf(stateWhere({})), { kind: 'tag' });
    expect(picture.answers.slowestPair).toMatchObject({ groups: [0, 1], linkCount: 2, worst: 2e9 });
    expect(picture.ways.map(({ linkCount }) => linkCount)).toEqual([2, 2]);
  });
});

describe('the places of nodes, read again', () => {
  test('are the same map until a node reports something else of where it is', () => {
    const book = new NodePlaceCache();
    const first = stateWhere({});
    const before = book.read(groupSources(first).views);
    expect(book.read(groupSources(first).views)).toBe(before);
    const moved = book.read(groupSources(stateWhere({ rack: 'r9' })).views);
    expect([...moved.values()].map(({ rack }) => ('name' in rack ? rack.name : ''))).toContain('r9');
    const fewer = groupSources(first).views.slice(1);
    expect([...book.read(fewer).keys()]).toEqual(fewer.map(({ nodeId }) => nodeId));
  });
});
