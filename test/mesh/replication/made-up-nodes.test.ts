import { beforeAll, describe, expect, it } from 'vitest';
import { nodeIds } from '../../../src/core/node/presence-view.ts';
import { generateNodeKey, type NodeKey } from '../../../src/daemon/node-key.ts';
import { REPLICATION_LIMITS } from '../../../src/mesh/replication/limits.ts';
import { encodeRecordBody } from '../../../src/wire/durable-record.ts';
import { encodeMeshMessage, type WireLive } from '../../../src/wire/mesh-message.ts';
import { MeshCluster } from '../../support/mesh-cluster.ts';
import { memoryFact, openedConnection } from '../../support/mesh-node.ts';

const MANY = 5_000;
const { liveOrigins, durableOrigins, forkBytesMax } = REPLICATION_LIMITS;
let madeUp: readonly NodeKey[] = [];

beforeAll(() => {
  madeUp = Array.from({ length: MANY }, generateNodeKey);
});

describe('a member that makes up five thousand nodes', () => {
  it('gets places for its share of them alone, and not faster than they may come', async () => {
    // A quarter of the slots, so that a minute fills the share.
    const originsMax = liveOrigins.originsMax / 4;
    const limits = { ...REPLICATION_LIMITS, liveOrigins: { ...liveOrigins, originsMax } };
    await using cluster = await linkedThree(limits);
    const node = cluster.node(0);
    bring(cluster, madeUp.map(live));
    expect(liveEntries(cluster)).toBe(liveOrigins.relayedBurst);
    for (let second = 0; second < 60; second += 1) {
      await cluster.clock.advance(1_000);
      bring(cluster, madeUp.slice(second * 80, second * 80 + 80).map(live));
    }
    expect(liveEntries(cluster)).toBeLessThanOrEqual(originsMax / 2);
    expect(node.replicator.counts.liveRefused).toBeGreaterThan(MANY);
    expect(node.replicator.counts.forged, 'nobody is a forger who brings too many').toBe(0);
    expect(cluster.isLinked(0, 1)).toBe(true);
  });

  it('takes no place from an honest newcomer, be it linked itself or behind another', async () => {
    const limits = { ...REPLICATION_LIMITS, liveOrigins: { ...liveOrigins, originsMax: 64 } };
    await using cluster = new MeshCluster(4, { limits });
    cluster.link(0, 1);
    await cluster.clock.advance(100);
    // The only peer may fill the table; from then on it has more than its share.
    bring(cluster, madeUp.slice(0, 500).map(live));
    expect(liveEntries(cluster)).toBe(64);
    cluster.link(0, 2);
    cluster.link(2, 3);
    for (let turn = 0; turn < 20; turn += 1) {
      for (const index of [2, 3]) cluster.node(index).reportMemory(turn);
      bring(
        cluster,
        madeUp.slice(turn * 20, turn * 20 + 20).map(key => live(key, turn + 2)),
      );
      await cluster.clock.advance(1_000);
    }
    for (const index of [2, 3])
      expect(cluster.node(0).memoryOf(cluster.node(index).id)?.availableBytes).toBe(19);
    expect(liveEntries(cluster)).toBeLessThanOrEqual(64);
    expect(cluster.node(0).replicator.counts.originsEvicted).toBeGreaterThan(0);
  });

  it('is rid of them when they have been silent for long; who has a journal stays', async () => {
    await using cluster = await linkedThree();
    const [node, , honest] = cluster.nodes;
    if (node === undefined || honest === undefined) throw new Error('there are three');
    honest.open('way');
    honest.reportMemory(1);
    bring(cluster, madeUp.slice(0, 100).map(live));
    await cluster.clock.advance(1_000);
    expect(nodeIds(node.state)).toHaveLength(101);
    await cluster.kill(2);
    await cluster.clock.advance(REPLICATION_LIMITS.liveDroppedMs + 10_000);
    expect(nodeIds(node.state)).toEqual([honest.id]);
    expect(Object.keys(node.state.nodeMemories)).toEqual([honest.id]);
  });

  it('gets journals of its share of them alone stored, and an honest newcomer is stored all the same', async () => {
    const limits = { ...REPLICATION_LIMITS, durableOrigins: { ...durableOrigins, originsMax: 64 } };
    await using cluster = await linkedThree(limits);
    const node = cluster.node(0);
    for (const key of madeUp.slice(0, 1_000)) cluster.end(0, 1).inject(durable(key));
    expect(node.journal.origins().length).toBeLessThanOrEqual(34);
    expect(node.replicator.counts.storeRefused).toBeGreaterThan(900);
    cluster.node(2).open('way');
    await cluster.clock.advance(10_000);
    expect(node.connectionsOf(cluster.node(2).id)).toEqual(['socket way']);
  });

  it('does not make a peer look unreliable that brings them on, nor keep its honest nodes away', async () => {
    const limits = { ...REPLICATION_LIMITS, durableOrigins: { ...durableOrigins, relayedBurst: 40 } };
    await using cluster = new MeshCluster(3, { limits });
    cluster.link(1, 2);
    cluster.node(2).open('way');
    await cluster.clock.advance(1_000);
    for (const key of madeUp.slice(0, 100)) cluster.end(1, 2).inject(durable(key));
    await cluster.clock.advance(30_000);
    for (const key of madeUp.slice(0, 100)) cluster.end(1, 2).inject(durable(key));
    cluster.link(0, 1);
    await cluster.clock.advance(30_000);
    expect(cluster.node(0).connectionsOf(cluster.node(2).id)).toEqual(['socket way']);
    expect(cluster.node(0).replicator.undeliveredBy(cluster.node(1).id)).toBe(0);
  });

  it('makes a full journal forget the one that was silent longest, on disk and in state', async () => {
    const limits = { ...REPLICATION_LIMITS, durableOrigins: { ...durableOrigins, originsMax: 8 } };
    await using cluster = new MeshCluster(2, { limits });
    cluster.link(0, 1);
    await cluster.clock.advance(100);
    const node = cluster.node(0);
    const [first, ...others] = madeUp.slice(0, 8);
    if (first === undefined) throw new Error('there are eight');
    cluster.end(0, 1).inject(durable(first));
    await cluster.clock.advance(durableOrigins.silentMs + 1_000);
    for (const key of others) cluster.end(0, 1).inject(durable(key));
    cluster.node(1).open('way');
    await cluster.clock.advance(10_000);
    expect(node.connectionsOf(cluster.node(1).id)).toEqual(['socket way']);
    expect(node.journal.origin(first.nodeId)).toBeUndefined();
    expect(node.state.origins[first.nodeId]).toBeUndefined();
    expect(node.state.connections[first.nodeId]).toBeUndefined();
  });
});

describe('what a member can make others keep', () => {
  it('is bounded in bytes for the live values of one node, and the greatest give way to the small', async () => {
    const limits = { ...REPLICATION_LIMITS, liveBytesMax: 3_000_000 };
    await using cluster = await linkedThree(limits);
    const node = cluster.node(0);
    for (const key of madeUp.slice(0, 4))
      for (let at = 0; at < 60; at += 6)
        bring(
          cluster,
          Array.from({ length: 6 }, (_, index) => liveOfKind(key, at + index + 1, 60_000)),
        );
    expect(node.replicator.bufferedBytes.live).toBeLessThanOrEqual(3_000_000);
    cluster.node(2).reportMemory(7);
    await cluster.clock.advance(1_000);
    expect(node.memoryOf(cluster.node(2).id)?.availableBytes).toBe(7);
    expect(node.replicator.bufferedBytes.live).toBeLessThanOrEqual(3_000_000);
  });

  it('is bounded in bytes for proofs of forks', async () => {
    await using cluster = await linkedThree();
    const node = cluster.node(0);
    for (const key of madeUp.slice(0, 20)) {
      cluster.end(0, 1).inject(durable(key));
      cluster.end(0, 1).inject(fork(key, 400_000));
    }
    expect(node.replicator.counts.forks).toBe(20);
    expect(node.replicator.bufferedBytes.forks).toBeLessThanOrEqual(forkBytesMax);
    expect(node.replicator.bufferedBytes.forks).toBeGreaterThan(forkBytesMax / 2);
  });
});

const linkedThree = async (limits = REPLICATION_LIMITS): Promise<MeshCluster> => {
  const cluster = new MeshCluster(3, { limits });
  cluster.lay('full');
  await cluster.clock.advance(100);
  return cluster;
};

/** Node 1 is the member. */
const bring = (cluster: MeshCluster, entries: readonly WireLive[]): void => {
  for (let from = 0; from < entries.length; from += 500)
    cluster.end(0, 1).inject(encodeMeshMessage({ kind: 'live', entries: entries.slice(from, from + 500) }));
};

const liveEntries = (cluster: MeshCluster): number => Object.keys(cluster.node(0).state.nodeMemories).length;

const live = (key: NodeKey, seq: number): WireLive => {
  const head = { origin: key.nodeId, epoch: 1, seq: seq + 1 };
  const body = encodeRecordBody(head, memoryFact(seq));
  return { ageMs: 0, body, proof: Buffer.concat([key.publicKey, key.sign(body)]) };
};

/** Each of a kind of its own that no version has. */
const liveOfKind = (key: NodeKey, seq: number, bytes: number): WireLive => {
  const head = { version: 1, origin: key.nodeId, epoch: 1, seq, kind: `tide.turned${seq}`, key: `k${seq}` };
  const body = Buffer.from(JSON.stringify({ ...head, payload: 'x'.repeat(bytes) }));
  return { ageMs: 0, body, proof: Buffer.concat([key.publicKey, key.sign(body)]) };
};

const durable = (key: NodeKey): Uint8Array => {
  const body = encodeRecordBody(
    { origin: key.nodeId, epoch: 1, seq: 1 },
    openedConnection(key.nodeId, 'way'),
  );
  const proof = Buffer.concat([key.publicKey, key.sign(body)]);
  const range = { origin: key.nodeId, epoch: 1, after: 0, through: 1 };
  return encodeMeshMessage({ kind: 'records', ...range, records: [{ ageMs: 0, proof, body }] });
};

const fork = (key: NodeKey, bytes: number): Uint8Array => {
  const records = ['a', 'b'].map(letter => {
    const head = { version: 1, origin: key.nodeId, epoch: 1, seq: 1, kind: 'tide.turned', key: '' };
    const body = Buffer.from(JSON.stringify({ ...head, payload: letter.repeat(bytes) }));
    return { ageMs: 0, proof: Buffer.concat([key.publicKey, key.sign(body)]), body };
  });
  return encodeMeshMessage({ kind: 'fork', origin: key.nodeId, epoch: 1, records });
};
