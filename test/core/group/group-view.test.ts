import { describe, expect, test } from 'vitest';
import { parseGroupBy } from '../../../src/core/group/group-by.ts';
import { groupCells, groupSummary, groupViews } from '../../../src/core/group/group-view.ts';
import { groupedNodeId, groupedState, groupSources } from '../../support/grouped-nodes.ts';

const H200 = Array<string>(8).fill('NVIDIA H200');

const RACKS = groupedState([
  { name: 'a1', site: 'greenwich', rack: 'r2', gpuNames: H200, gpuUse: 0.5, tags: ['serve', 'team=search'] },
  { name: 'a2', site: 'greenwich', rack: 'r10', gpuNames: H200, gpuUse: 1, memoryUse: 0.95, tags: ['train'] },
  { name: 'a3', site: 'leith', rack: 'r2', model: 'DGX Spark', silentMs: 50_000 },
  { name: 'a4', model: 'Mac Studio', machineKind: 'desk', tags: ['serve', 'train'] },
  { name: 'a5', isOld: true },
]);

const named = (text: string) => {
  const by = parseGroupBy(text);
  if (by.kind === 'wrong') throw new Error(by.problem);
  return groupViews(groupSources(RACKS), by.value).map(group => ({
    id: group.id,
    name: group.name,
    members: group.members.map(({ name }) => name),
  }));
};

describe('groups of nodes', () => {
  test('by rack keep racks of two sites apart, count numbers by value, and put nodes in none last', () => {
    expect(named('rack')).toEqual([
      { id: 'greenwich/r2', name: 'greenwich/r2', members: ['a1'] },
      { id: 'leith/r2', name: 'leith/r2', members: ['a3'] },
      { id: 'greenwich/r10', name: 'r10', members: ['a2'] },
      { id: '', name: 'no group', members: ['a4', 'a5'] },
    ]);
  });

  test('by kind take what config.toml contains, else the GPUs, else the model', () => {
    expect(named('kind')).toEqual([
      { id: '8 × NVIDIA H200', name: '8 × NVIDIA H200', members: ['a1', 'a2'] },
      { id: 'DGX Spark', name: 'DGX Spark', members: ['a3'] },
      { id: 'desk', name: 'desk', members: ['a4'] },
      { id: '', name: 'no group', members: ['a5'] },
    ]);
  });

  test('stand where the labels of their machines in Kubernetes report, unless config.toml states it', () => {
    const labels = {
      'topology.kubernetes.io/zone': 'eu-1a',
      'topology.kubernetes.io/region': 'eu-1',
      'network.topology.nvidia.com/leaf': 'leaf-3',
      'nvidia.com/gpu.product': 'NVIDIA-H200',
    };
    const state = groupedState([
      { name: 'a1', labels },
      { name: 'a2', labels: { ...labels, 'plimsoll/rack': 'r07' } },
      { name: 'a3', labels, site: 'greenwich', rack: 'r1', machineKind: 'HGX' },
    ]);
    const idsBy = (kind: 'site' | 'rack' | 'kind') =>
      groupViews(groupSources(state), { kind }).map(({ id }) => id);
    expect(idsBy('site')).toEqual(['eu-1a', 'greenwich']);
    expect(idsBy('rack')).toEqual(['eu-1a/leaf-3', 'greenwich/r1', 'eu-1a/r07']);
    expect(idsBy('kind')).toEqual(['HGX', 'NVIDIA-H200']);
  });

  test('by tag have a node in each of its tags, and by a key in its values', () => {
    expect(named('tag').map(({ id, members }) => [id, members.join()])).toEqual([
      ['serve', 'a1,a4'],
      ['team=search', 'a1'],
      ['train', 'a2,a4'],
      ['', 'a3,a5'],
    ]);
    expect(named('tag:team').map(({ id, members }) => [id, members.join()])).toEqual([
      ['search', 'a1'],
      ['', 'a2,a3,a4,a5'],
    ]);
  });

  test('give the reason of nodes in none, also of a peer whose version reports no place', () => {
    const reasonOf = (isOld: boolean) =>
      groupViews(groupSources(groupedState([{ name: 'a', isOld }])), { kind: 'site' })[0]?.reason;
    expect(reasonOf(false)).toBe('not set in config.toml');
    expect(reasonOf(true)).toBe('not reported by that version');
  });

  test('sum what their nodes can carry, and have the level of their worst warning', () => {
    const [first, second, third] = groupViews(groupSources(RACKS), { kind: 'site' });
    expect(first).toMatchObject({
      name: 'greenwich',
      kind: { kind: 'one', name: '8 × NVIDIA H200' },
      nodes: { count: 2, up: 2, stale: 0, stopped: 0, offline: 0 },
      totals: { nodeCount: 2, gpuCount: 16, memoryTotalBytes: { sum: 2e12 + 16 * 80e9 } },
      gpuUse: { sum: 12, knownCount: 16, count: 16 },
      level: 'caution',
    });
    expect(first?.memoryUse).toBeCloseTo(0.475);
    expect(second).toMatchObject({
      name: 'leith',
      nodes: { count: 1, offline: 1 },
      level: 'danger',
      warnings: { danger: 1 },
    });
    expect(second?.memoryUse).toBeUndefined();
    expect(third).toMatchObject({ id: '', kind: { kind: 'mixed' }, level: 'none' });
  });

  test('are drawn by one small cell a node', () => {
    const [first] = groupViews(groupSources(RACKS), { kind: 'site' });
    expect(first === undefined ? [] : groupCells(first)).toEqual([
      { nodeId: groupedNodeId(0), name: 'a1', presence: 'up', level: 'none', memoryUse: 0, gpuUse: 0.5 },
      { nodeId: groupedNodeId(1), name: 'a2', presence: 'up', level: 'caution', memoryUse: 0.95, gpuUse: 1 },
    ]);
  });

  test('are small without their members', () => {
    const summaries = groupViews(groupSources(RACKS), { kind: 'rack' }).map(groupSummary);
    for (const summary of summaries) expect(JSON.stringify(summary).length).toBeLessThan(1_200);
  });
});
