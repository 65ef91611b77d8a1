import { expect, test } from 'vitest';
import { type NodeId, nodeId } from '../../../src/core/ids.ts';
import { nodesToDial } from '../../../src/daemon/mesh/mesh-connections.ts';
import { chosenPeers } from '../../../src/probe/schedule/measured-peers.ts';
import { isLongRun } from '../../support/counts.ts';
import { MeshCluster } from '../../support/mesh-cluster.ts';

test('up to 64 nodes each known one is dialled, past that those that are chosen', () => {
  const known = named(63);
  const dialled = (of: readonly NodeId[]) =>
    nodesToDial({ known: of, isMet: node => node === known[0], isChosen: isThird, linkCount: 8, turn: 0 });
  expect(dialled(known).size).toBe(62);
  const more = named(64);
  expect(dialled(more)).toEqual(new Set(more.filter(node => node !== known[0] && isThird(node))));
});

test('who has few links dials others by turns until each had one', () => {
  const known = named(200);
  const dialled = new Set<NodeId>();
  for (let turn = 0; turn < 17; turn += 1) {
    const now = nodesToDial({ known, isMet: () => false, isChosen: isThird, linkCount: 7, turn });
    expect([...now].filter(node => !isThird(node))).toHaveLength(8);
    for (const node of now) dialled.add(node);
  }
  expect(dialled.size).toBe(200);
});

test('a mesh of 72 nodes that link only to those whom they chose passes everything to each', async context => {
  if (!isLongRun) context.skip('72 nodes in one process: in npm run test:long');
  await using cluster = new MeshCluster(72);
  const members = cluster.nodes.map(({ id }, at) => ({
    nodeId: id,
    site: undefined,
    rack: `r${at % 9}`,
    isPresent: true,
  }));
  const linked = new Set<string>();
  for (const [source, { id: self }] of cluster.nodes.entries()) {
    const chosen = chosenPeers({ self, members, used: [], wallMs: 0 });
    const known = cluster.nodes.map(({ id }) => id).filter(id => id !== self);
    const isChosen = (node: NodeId): boolean => chosen.has(node);
    const dialled = nodesToDial({ known, isMet: () => false, isChosen, linkCount: 8, turn: 0 });
    for (const [sink, { id }] of cluster.nodes.entries()) {
      const name = [source, sink].sort((a, b) => a - b).join(' ');
      if (!dialled.has(id) || linked.has(name)) continue;
      linked.add(name);
      cluster.link(source, sink);
    }
  }
  expect(linked.size).toBeLessThan((72 * 71) / 4);
  for (const node of cluster.nodes) node.open('cable');
  cluster.node(0).reportMemory(7);
  await cluster.clock.advance(10_000);
  expect(new Set(cluster.nodes.map(({ hash }) => hash)).size).toBe(1);
  expect(cluster.nodes.map(node => node.connectionsOf(cluster.node(0).id).length)).toEqual(
    cluster.nodes.map(() => 1),
  );
  expect(cluster.nodes.every(node => node.memoryOf(cluster.node(0).id)?.availableBytes === 7)).toBe(true);
}, 180_000);

const isThird = (node: NodeId): boolean => node.endsWith('b');

const named = (count: number): readonly NodeId[] =>
  Array.from({ length: count }, (_, at) => {
    const digits = Array.from({ length: 8 }, (__, bit) => (((at >> bit) & 1) === 1 ? 'y' : 'x'));
    return nodeId(`${'a'.repeat(17)}${digits.join('')}${at % 3 === 0 ? 'b' : 'c'}`);
  });
