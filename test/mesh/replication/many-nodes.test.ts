import { describe, expect, it } from 'vitest';
import { isLongRun } from '../../support/counts.ts';
import { MeshCluster, pairsOf } from '../../support/mesh-cluster.ts';

const NODES = 64;

// A second of real work each; on a busy machine far more.
describe('64 nodes', { timeout: 120_000 }, () => {
  it('converge in a full mesh, with no event relayed once the lists are known', async ({ skip }) => {
    if (!isLongRun) skip('many nodes: in the long run');
    await using cluster = new MeshCluster(NODES);
    for (const node of cluster.nodes) node.open('before');
    for (const [a, b] of pairsOf('full', NODES)) cluster.link(a, b);
    await cluster.clock.advance(2_000);
    const before = sent(cluster);
    for (const node of cluster.nodes) {
      node.open('after');
      node.reportMemory(1);
    }
    await cluster.clock.advance(0);
    expect(new Set(cluster.nodes.map(({ hash }) => hash)).size).toBe(1);
    expect(Object.keys(cluster.node(0).state.nodeMemories)).toHaveLength(NODES);
    expect(sent(cluster) - before).toBe(NODES * (NODES - 1) * 2);
  });

  it('converge in a ring with a few chords', async () => {
    await using cluster = new MeshCluster(NODES);
    cluster.lay('ring');
    for (let index = 0; index < NODES; index += 8) cluster.link(index, (index + 29) % NODES);
    await cluster.clock.advance(3_000);
    for (const node of cluster.nodes) node.open('one');
    await cluster.clock.advance(10_000);
    expect(new Set(cluster.nodes.map(({ hash }) => hash)).size).toBe(1);
    expect(Object.keys(cluster.node(0).state.connections)).toHaveLength(NODES);
  });
});

const sent = (cluster: MeshCluster): number =>
  cluster.nodes.reduce(
    (sum, { replicator }) => sum + replicator.counts.recordsSent + replicator.counts.liveSent,
    0,
  );
