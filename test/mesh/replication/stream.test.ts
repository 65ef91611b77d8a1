import { describe, expect, it } from 'vitest';
import { presence } from '../../../src/core/node/presence-view.ts';
import { seededRandom } from '../../../src/core/random.ts';
import { generateNodeKey } from '../../../src/daemon/node-key.ts';
import { encodeMeshMessage, MESH_PROTOCOL_VERSION } from '../../../src/wire/mesh-message.ts';
import { MeshCluster } from '../../support/mesh-cluster.ts';
import type { Disturb } from '../../support/mesh-wires.ts';

describe('the stream between neighbours', () => {
  it('carries each event once to each node of a full mesh of 16', async () => {
    await using cluster = new MeshCluster(16);
    cluster.lay('full');
    await cluster.clock.advance(3_000);
    const before = sent(cluster);
    for (const node of cluster.nodes) {
      node.open('one');
      node.reportMemory(1);
    }
    await cluster.clock.advance(1);
    expect(sent(cluster) - before).toBe(16 * 15 * 2);
    for (const node of cluster.nodes) expect(node.hash).toBe(cluster.node(0).hash);
  });

  it.each(['ring', 'line', 'star'] as const)(
    'costs at most two messages a node and event in a %s',
    async shape => {
      await using cluster = new MeshCluster(9);
      cluster.lay(shape);
      await cluster.clock.advance(7_000);
      const before = sent(cluster);
      for (const node of cluster.nodes) {
        node.open('one');
        node.reportMemory(1);
      }
      await cluster.clock.advance(1);
      for (const node of cluster.nodes) expect(node.hash).toBe(cluster.node(0).hash);
      expect(sent(cluster) - before).toBeLessThanOrEqual(9 * 9 * 2 * 2);
    },
  );

  it('adds up, hop by hop, the time an event was held', async () => {
    await using cluster = new MeshCluster(3);
    cluster.link(0, 1);
    cluster.link(1, 2);
    await cluster.clock.advance(3_000);
    cluster.end(0, 1).isPaused = true;
    const hold = [cluster.end(0, 1), cluster.end(1, 2)];
    for (const end of hold) end.isPaused = true;
    // The first frame is taken while the link is full; what follows waits with the node and ages there.
    for (const node of cluster.nodes) node.reportMemory(0);
    await cluster.clock.advance(1);
    cluster.node(0).reportMemory(1);
    await cluster.clock.advance(700);
    hold[0]?.release();
    await cluster.clock.advance(0);
    expect(cluster.node(1).memoryOf(cluster.node(0).id)).toEqual({ availableBytes: 1, ageMs: 700 });
    await cluster.clock.advance(400);
    hold[1]?.release();
    await cluster.clock.advance(0);
    expect(cluster.node(2).memoryOf(cluster.node(0).id)).toEqual({ availableBytes: 1, ageMs: 1_100 });
  });

  it('sends the age of everything to a node that joins late', async () => {
    await using cluster = new MeshCluster(3);
    cluster.link(0, 1);
    cluster.node(0).reportMemory(1);
    cluster.node(0).open('old');
    await cluster.clock.advance(60_000);
    cluster.link(1, 2);
    await cluster.clock.advance(0);
    const { state } = cluster.node(2);
    expect(cluster.node(2).memoryOf(cluster.node(0).id)?.ageMs).toBe(60_000);
    const opened = state.connections[cluster.node(0).id]?.[cluster.node(0).id]?.['socket old'];
    expect((opened?.ageMs ?? 0) + cluster.clock.nowMs() - (opened?.receivedAtMs ?? 0)).toBe(60_000);
  });

  it('shows no node as up that has sent nothing: stale after 10 s, offline after 30 s, also where news arrives late', async () => {
    await using cluster = new MeshCluster(3);
    cluster.link(0, 1);
    cluster.node(0).reportMemory(1);
    cluster.node(0).open('old');
    await cluster.clock.advance(1);
    const seenBy = (index: number): string =>
      presence(cluster.node(index).state, cluster.node(0).id, cluster.clock.nowMs());
    expect(seenBy(1)).toBe('live');
    const { id } = cluster.node(0);
    cluster.cut(0, 1);
    await cluster.clock.advance(9_998);
    expect(presence(cluster.node(1).state, id, cluster.clock.nowMs())).toBe('live');
    await cluster.clock.advance(1_001);
    expect(seenBy(1)).toBe('stale');
    cluster.link(1, 2);
    await cluster.clock.advance(1);
    expect(seenBy(2)).toBe('stale');
    await cluster.clock.advance(20_000);
    expect([seenBy(1), seenBy(2)]).toEqual(['offline', 'offline']);
    cluster.link(0, 1);
    await cluster.clock.advance(0);
    expect(seenBy(1), 'old words are no life').toBe('offline');
    cluster.node(0).reportMemory(2);
    await cluster.clock.advance(0);
    expect([seenBy(1), seenBy(2)]).toEqual(['live', 'live']);
  });

  it('never waits for a peer that does not read, and queues keys for it and not bytes', async () => {
    await using cluster = new MeshCluster(3);
    cluster.link(0, 1);
    cluster.link(0, 2);
    await cluster.clock.advance(3_000);
    const stuck = cluster.end(0, 1);
    stuck.isPaused = true;
    for (let count = 1; count <= 500; count += 1) {
      cluster.node(0).reportMemory(count);
      cluster.node(0).open(`c ${count % 20}`);
      await cluster.clock.advance(1);
      expect(cluster.node(2).memoryOf(cluster.node(0).id)?.availableBytes).toBe(count);
    }
    await cluster.clock.advance(60_000);
    expect(stuck.queuedBytes).toBeLessThan(4_096);
    expect(cluster.node(0).replicator.waitingFor(cluster.node(1).id)).toBeLessThanOrEqual(2);
    const { recordsSent, liveSent } = cluster.node(0).replicator.counts;
    stuck.release();
    await cluster.clock.advance(0);
    expect(cluster.node(1).memoryOf(cluster.node(0).id)?.availableBytes).toBe(500);
    expect(cluster.node(0).replicator.counts.liveSent - liveSent).toBe(1);
    expect(cluster.node(0).replicator.counts.recordsSent).toBeGreaterThan(recordsSent);
    expect(cluster.node(1).hash).toBe(cluster.node(0).hash);
  });

  it('brings a long catch-up in chunks, each asked for', async () => {
    await using cluster = new MeshCluster(2);
    for (let count = 0; count < 1_500; count += 1) cluster.node(0).open(`connection ${count}`);
    cluster.link(0, 1);
    await cluster.clock.advance(0);
    expect(cluster.node(1).hash).toBe(cluster.node(0).hash);
    expect(cluster.end(0, 1).sentFrames).toBeGreaterThan(4);
    expect(cluster.node(1).replicator.counts.recordsRepeated).toBe(0);
  });

  it('takes over the holes that compaction left', async () => {
    await using cluster = new MeshCluster(3);
    for (let count = 0; count < 50; count += 1) cluster.node(0).open('the same');
    cluster.node(0).journal.compact();
    cluster.link(0, 1);
    cluster.link(1, 2);
    await cluster.clock.advance(10_000);
    expect(cluster.node(2).replicator.counts.recordsStored).toBe(1);
    expect(cluster.node(2).state.origins[cluster.node(0).id]?.seq).toBe(50);
    cluster.node(0).open('next');
    await cluster.clock.advance(0);
    for (const node of cluster.nodes) expect(node.hash).toBe(cluster.node(0).hash);
  });

  it('converges though frames come twice and out of order', async () => {
    const random = seededRandom(4);
    const disturb: Disturb = frames => {
      const hello = frames.slice(0, frames[0]?.[1] === 1 ? 1 : 0);
      const rest = frames.slice(hello.length);
      const twice = rest.flatMap(frame => (random.next() < 0.3 ? [frame, frame] : [frame]));
      const mixed = twice.map(frame => ({ frame, at: random.next() })).sort((a, b) => a.at - b.at);
      return [...hello, ...mixed.map(({ frame }) => frame)];
    };
    await using cluster = new MeshCluster(5, { disturb });
    cluster.lay('ring');
    for (let round = 1; round <= 40; round += 1) {
      for (const node of cluster.nodes) {
        node.open(`c ${random.below(5)}`);
        node.reportMemory(round);
        if (random.next() < 0.3) node.close(`c ${random.below(5)}`);
      }
      await cluster.clock.advance(random.below(300));
    }
    await cluster.clock.advance(15_000);
    for (const node of cluster.nodes) {
      expect(node.hash).toBe(cluster.node(0).hash);
      for (const other of cluster.nodes) expect(node.memoryOf(other.id)?.availableBytes).toBe(40);
    }
  });

  it('passes on what a newer version wrote and this one cannot read', async () => {
    await using cluster = new MeshCluster(3);
    cluster.lay('line');
    await cluster.clock.advance(3_000);
    const newer = generateNodeKey();
    const bodyOf = (seq: number, kind: string, payload: unknown): Uint8Array =>
      Buffer.from(
        JSON.stringify({ version: 1, origin: newer.nodeId, epoch: 1, seq, kind, key: '', payload }),
      );
    const bodies = [
      bodyOf(1, 'warp.engaged', { factor: 9 }),
      bodyOf(2, 'identity.gathered', { shape: 'new' }),
    ];
    const records = bodies.map(body => {
      return { ageMs: 0, proof: Buffer.concat([newer.publicKey, newer.sign(body)]), body };
    });
    const range = { origin: newer.nodeId, epoch: 1, after: 0, through: 2 };
    cluster.end(1, 0).inject(encodeMeshMessage({ kind: 'records', ...range, records }));
    const pulse = bodyOf(1, 'warp.pulsed', { flux: 1 });
    const proof = Buffer.concat([newer.publicKey, newer.sign(pulse)]);
    const entries = [{ ageMs: 0, body: pulse, proof }];
    cluster.end(1, 0).inject(encodeMeshMessage({ kind: 'live', entries }));
    cluster.end(1, 0).inject(Uint8Array.of(MESH_PROTOCOL_VERSION, 99, 1, 2, 3));
    await cluster.clock.advance(6_000);
    const last = cluster.node(2);
    expect(last.state.origins[newer.nodeId]?.seq).toBe(2);
    expect(Object.keys(last.state.unknownKinds[newer.nodeId] ?? {}).sort()).toEqual([
      'warp.engaged',
      'warp.pulsed',
    ]);
    expect(Array.from(last.journal.recordsAfter(newer.nodeId, 0), ({ body }) => Buffer.from(body))).toEqual(
      bodies.map(body => Buffer.from(body)),
    );
    expect(last.hash).toBe(cluster.node(0).hash);
    expect(cluster.node(1).replicator.counts.unknownTypes).toBe(1);
  });

  it('asks again later for what the disk refused', async () => {
    await using cluster = new MeshCluster(2);
    cluster.link(0, 1);
    const append = cluster.node(1).refuseStores();
    cluster.node(0).open('one');
    await cluster.clock.advance(6_000);
    expect(cluster.node(1).replicator.counts.storeRefused).toBeGreaterThan(0);
    append.resume();
    await cluster.clock.advance(11_000);
    expect(cluster.node(1).hash).toBe(cluster.node(0).hash);
  });
});

const sent = (cluster: MeshCluster): number =>
  cluster.nodes.reduce(
    (sum, { replicator }) => sum + replicator.counts.recordsSent + replicator.counts.liveSent,
    0,
  );
