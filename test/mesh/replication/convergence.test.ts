import { describe, expect, it } from 'vitest';
import { createMemoryDisk } from '../../../src/journal/memory-journal.ts';
import { MeshCluster, type Shape } from '../../support/mesh-cluster.ts';

describe('replication', () => {
  it('brings two nodes to one picture, with any events from before they met', async () => {
    await using cluster = new MeshCluster(2);
    const [a, b] = [cluster.node(0), cluster.node(1)];
    a.open('before');
    b.open('b1');
    b.reportMemory(5);
    cluster.link(0, 1);
    await cluster.clock.advance(1);
    a.open('after');
    a.reportMemory(7);
    await cluster.clock.advance(1);
    expect(b.connectionsOf(a.id)).toEqual(['socket after', 'socket before']);
    expect(a.connectionsOf(b.id)).toEqual(['socket b1']);
    expect(a.memoryOf(b.id)?.availableBytes).toBe(5);
    expect(b.memoryOf(a.id)?.availableBytes).toBe(7);
    expect(a.hash).toBe(b.hash);
  });

  it.each<Shape>(['line', 'ring', 'star', 'full'])('converges in a %s of five', async shape => {
    await using cluster = new MeshCluster(5);
    for (const node of cluster.nodes) node.open('first');
    cluster.lay(shape);
    await cluster.clock.advance(10_000);
    for (const node of cluster.nodes) {
      node.open('second');
      node.reportMemory(1);
    }
    await cluster.clock.advance(1);
    for (const node of cluster.nodes) {
      for (const other of cluster.nodes) {
        expect(node.connectionsOf(other.id)).toEqual(['socket first', 'socket second']);
        expect(node.memoryOf(other.id)?.availableBytes).toBe(1);
      }
      expect(node.hash).toBe(cluster.node(0).hash);
    }
  });

  it('heals a partition of five in which both sides wrote', async () => {
    await using cluster = new MeshCluster(5);
    cluster.lay('full');
    for (const node of cluster.nodes) node.open('first');
    await cluster.clock.advance(5_000);
    for (const a of [0, 1]) for (const b of [2, 3, 4]) cluster.cut(a, b);
    for (const [index, node] of cluster.nodes.entries()) {
      node.open(`apart ${index}`);
      node.close('first');
    }
    await cluster.clock.advance(10_000);
    expect(cluster.node(0).hash).toBe(cluster.node(1).hash);
    expect(cluster.node(0).hash).not.toBe(cluster.node(2).hash);
    cluster.link(1, 3);
    await cluster.clock.advance(10_000);
    for (const node of cluster.nodes) {
      expect(node.connectionsOf(cluster.node(0).id)).toEqual(['socket apart 0']);
      expect(node.hash).toBe(cluster.node(0).hash);
    }
  });

  it('takes in a node whose journal was deleted, under a new epoch', async () => {
    await using cluster = new MeshCluster(3);
    cluster.lay('line');
    cluster.node(0).open('lost');
    await cluster.clock.advance(5_000);
    const epoch = cluster.node(0).epoch;
    await cluster.kill(0);
    cluster.putDisk(0, emptyDisk());
    const again = cluster.start(0);
    again.open('new');
    cluster.link(0, 1);
    await cluster.clock.advance(10_000);
    expect(again.epoch).toBeGreaterThan(epoch);
    for (const node of cluster.nodes) {
      expect(node.connectionsOf(again.id)).toEqual(['socket new']);
      expect(node.hash).toBe(again.hash);
    }
  });

  it('takes in a node whose journal was restored from an older copy', async () => {
    await using cluster = new MeshCluster(3);
    cluster.lay('line');
    cluster.node(0).open('copied');
    await cluster.clock.advance(1_000);
    const copy = cluster.copyDisk(0);
    cluster.node(0).open('after the copy');
    cluster.node(0).open('and more');
    await cluster.clock.advance(5_000);
    const epoch = cluster.node(0).epoch;
    await cluster.kill(0);
    cluster.putDisk(0, copy);
    const again = cluster.start(0);
    again.open('present');
    expect(again.epoch).toBe(epoch);
    cluster.link(0, 1);
    await cluster.clock.advance(10_000);
    expect(again.epoch).toBeGreaterThan(epoch);
    expect(again.replicator.counts.newEpochs).toBe(1);
    for (const node of cluster.nodes) {
      expect(node.connectionsOf(again.id)).toEqual(['socket again', 'socket present']);
      expect(node.hash).toBe(again.hash);
    }
  });

  it('notices an older copy also when it has written on as far as its peers remember', async () => {
    await using cluster = new MeshCluster(3);
    cluster.lay('line');
    cluster.node(0).open('copied');
    await cluster.clock.advance(1_000);
    const copy = cluster.copyDisk(0);
    cluster.node(0).open('after the copy');
    await cluster.clock.advance(5_000);
    await cluster.kill(0);
    cluster.putDisk(0, copy);
    const again = cluster.start(0);
    for (const name of ['one', 'two', 'two']) again.open(name);
    again.journal.compact();
    cluster.link(0, 1);
    await cluster.clock.advance(10_000);
    expect(again.replicator.counts.newEpochs).toBe(1);
    for (const node of cluster.nodes) {
      expect(node.connectionsOf(again.id)).not.toContain('socket after the copy');
      expect(node.hash).toBe(again.hash);
    }
  });

  it('notices such a copy also where its last fact is the one of the life that was lost, under the same number', async () => {
    await using cluster = new MeshCluster(2);
    cluster.lay('line');
    cluster.node(0).open('copied');
    await cluster.clock.advance(1_000);
    const copy = cluster.copyDisk(0);
    for (const name of ['after the copy', 'last']) cluster.node(0).open(name);
    await cluster.clock.advance(5_000);
    const lost = cluster.node(0).journal.origin(cluster.node(0).id);
    await cluster.kill(0);
    cluster.putDisk(0, copy);
    const again = cluster.start(0);
    for (const name of ['instead', 'last']) again.open(name);
    expect(again.journal.origin(again.id)).toEqual(lost);
    cluster.link(0, 1);
    await cluster.clock.advance(10_000);
    expect(again.replicator.counts.newEpochs).toBe(1);
    expect(cluster.node(1).connectionsOf(again.id)).not.toContain('socket after the copy');
    expect(cluster.node(1).hash).toBe(again.hash);
  });

  it('notices such a copy also when only a far node remembers', async () => {
    await using cluster = new MeshCluster(4);
    cluster.lay('line');
    cluster.node(0).open('copied');
    await cluster.clock.advance(1_000);
    const [copy, older] = [cluster.copyDisk(0), cluster.copyDisk(1)];
    cluster.node(0).open('after the copy');
    await cluster.clock.advance(5_000);
    await cluster.kill(0);
    await cluster.kill(1);
    cluster.putDisk(0, copy);
    cluster.putDisk(1, older);
    const again = cluster.start(0);
    for (const name of ['one', 'two']) again.open(name);
    cluster.start(1).open('also back');
    cluster.link(0, 1);
    await cluster.clock.advance(1_000);
    expect(again.replicator.counts.newEpochs).toBe(0);
    cluster.link(1, 2);
    await cluster.clock.advance(30_000);
    expect(again.replicator.counts.newEpochs).toBe(1);
    for (const node of cluster.nodes) {
      expect(node.connectionsOf(again.id)).not.toContain('socket after the copy');
      expect(node.hash).toBe(again.hash);
    }
  });

  it('gives a node that comes back to a full mesh everything once, not once from each', async () => {
    await using cluster = new MeshCluster(8);
    cluster.lay('full');
    for (const node of cluster.nodes) for (let index = 0; index < 20; index += 1) node.open(`c ${index}`);
    await cluster.clock.advance(5_000);
    await cluster.kill(3);
    cluster.putDisk(3, emptyDisk());
    const again = cluster.start(3);
    for (let other = 0; other < 8; other += 1) if (other !== 3) cluster.link(3, other);
    await cluster.clock.advance(10_000);
    expect(again.replicator.counts.recordsStored).toBe(7 * 20);
    expect(again.replicator.counts.recordsRepeated).toBe(0);
    again.open('back');
    await cluster.clock.advance(1);
    expect(new Set(cluster.nodes.map(node => node.hash)).size).toBe(1);
  });
});

const emptyDisk = createMemoryDisk;
