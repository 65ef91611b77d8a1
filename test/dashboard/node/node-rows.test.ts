import { describe, expect, test } from 'vitest';
import { matchesNode, nodeFilterOf, nodeQuery } from '../../../dashboard/src/node/node-filter.ts';
import {
  BY_NAME,
  type NodeRow,
  nodeRow,
  sortedNodeRows,
  turnedNodeSort,
  warningsByNode,
} from '../../../dashboard/src/node/node-rows.ts';
import { countLinks, linkViews } from '../../../src/core/link/link-view.ts';
import type { Warning } from '../../../src/core/warnings/warning.ts';
import { service } from '../../e2e/fleet.ts';
import { notebook, rack, spark, studio } from '../../e2e/machines.ts';
import { AT_WORK, at, idOf, stateOf, viewsOf } from '../cluster/cluster-state.ts';

const MACHINES = [studio, notebook, spark, rack];
const state = stateOf(
  ...MACHINES.map((machine, index) => {
    const reported = at(machine, { ...AT_WORK, memory: [0.62, 0.36, 0.91, 0.81][index] ?? 0 });
    const links = service().reported.filter(each => each.machine === machine);
    return { machine, facts: [...reported.facts, ...links.flatMap(({ facts }) => facts)] };
  }),
);
const warning = (level: Warning['level'], ...nodes: Warning['nodes']): Warning => ({
  id: level,
  level,
  nodes,
  title: '',
  why: '',
});

const rowsAt = (nowMs: number): readonly NodeRow[] =>
  viewsOf(state, nowMs).map(view =>
    nodeRow(view, {
      linkCounts: countLinks(linkViews(state, nowMs)),
      warnings: warningsByNode([warning('danger', idOf(spark)), warning('note', idOf(spark), idOf(rack))]),
      lagMs: undefined,
    }),
  );
const rowOf = (name: string, nowMs = 0): NodeRow => {
  const row = rowsAt(nowMs).find(({ view }) => view.name === name);
  if (row === undefined) throw new Error(`no row ${name}`);
  return row;
};
const namesOf = (rows: readonly NodeRow[]): readonly string[] => rows.map(({ view }) => view.name);

describe('the row of a node', () => {
  test('reports what the map reports of it, with its links and warnings counted', () => {
    expect(rowOf('spark')).toMatchObject({
      state: { text: 'up' },
      kind: 'spark',
      tags: ['desk'],
      linkCount: 3,
      warningCount: 1,
      hasSerious: true,
    });
    expect(rowOf('bosun')).toMatchObject({
      memory: 'GPU 37.9 of 48\u00a0GB · 79\u202f%',
      warningCount: 0,
      hasSerious: false,
    });
  });

  test('reports once that a node is simulated', () => {
    const { machine, facts } = at(studio);
    const reported = facts.map(fact =>
      fact.kind === 'config.gathered'
        ? {
            ...fact,
            payload: { ...fact.payload, value: { ...fact.payload.value, tags: ['simulated', 'desk'] } },
          }
        : fact,
    );
    const [view] = viewsOf(stateOf({ machine, facts: reported }), 0);
    if (view === undefined) throw new Error('a machine was reported');
    const row = nodeRow(view, { linkCounts: new Map(), warnings: new Map(), lagMs: undefined });
    expect([row.name, row.tags]).toEqual(['atlas (simulated)', ['desk']]);
  });

  test('of a node that is gone has no figure of now, and is last when sorted by them', () => {
    const row = rowOf('atlas', 3_600_000);
    expect(row).toMatchObject({
      state: { tone: 'danger' },
      gpuUse: '–',
      celsius: '–',
      watts: '–',
      linkCount: 0,
    });
    expect(row.sorts['memory']).toBeUndefined();
  });
});

describe('the order of nodes', () => {
  test('is by name, and by another column begins with the most', () => {
    const sound = rowsAt(0).map(row => ({ ...row, warningCount: 0 }));
    expect(namesOf(sortedNodeRows(sound, BY_NAME))).toEqual(['atlas', 'bosun', 'juno', 'spark']);
    const byMemory = turnedNodeSort(BY_NAME, 'memory');
    expect(namesOf(sortedNodeRows(rowsAt(0), byMemory))).toEqual(['spark', 'bosun', 'atlas', 'juno']);
    expect(namesOf(sortedNodeRows(rowsAt(0), turnedNodeSort(byMemory, 'memory')))).toEqual([
      'juno',
      'atlas',
      'bosun',
      'spark',
    ]);
  });

  test('has on top who needs somebody, while nobody asks for an order', () => {
    const rows = rowsAt(0).map(row => ({ ...row, warningCount: row.name.startsWith('juno') ? 2 : 0 }));
    expect(namesOf(sortedNodeRows(rows, BY_NAME))).toEqual(['juno', 'atlas', 'bosun', 'spark']);
    expect(namesOf(sortedNodeRows(rows, turnedNodeSort(BY_NAME, 'name')))).toEqual([
      'spark',
      'juno',
      'bosun',
      'atlas',
    ]);
  });

  test('leaves what is not known at the end, whichever way round, and equal ones by name', () => {
    const rows = rowsAt(0).map(row => ({ ...row, sorts: { ...row.sorts, power: undefined } }));
    for (const isDescending of [true, false])
      expect(namesOf(sortedNodeRows(rows, { key: 'power', isDescending }))).toEqual([
        'atlas',
        'bosun',
        'juno',
        'spark',
      ]);
  });
});

describe('the filter of nodes', () => {
  test('is in the address and comes back from it', () => {
    for (const text of ['', 'q=mac+studio', 'state=warned&kind=spark&sort=-memory', 'sort=compute'])
      expect(nodeQuery(nodeFilterOf(new URLSearchParams(text))).toString()).toBe(text);
  });

  test('leaves out what an address contains wrongly', () => {
    expect(nodeFilterOf(new URLSearchParams('state=odd&kind=__proto__&sort=-nothing'))).toEqual({
      text: '',
      state: 'all',
      kind: undefined,
      sort: BY_NAME,
    });
  });

  test('takes every word, in name, tags, model or id, and state and kind also', () => {
    const left = (query: string): readonly string[] =>
      namesOf(rowsAt(0).filter(row => matchesNode(row, nodeFilterOf(new URLSearchParams(query)))));
    expect(left('q=mac')).toEqual(['atlas', 'juno']);
    expect(left('q=mac+desk+m3')).toEqual(['atlas']);
    expect(left('state=warned')).toEqual(['spark']);
    expect(left('state=away')).toEqual([]);
    expect(left('kind=rack')).toEqual(['bosun']);
  });
});
