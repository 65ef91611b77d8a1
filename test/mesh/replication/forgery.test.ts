import { describe, expect, it } from 'vitest';
import type { Fact } from '../../../src/core/event-kinds.ts';
import { generateNodeKey, type NodeKey } from '../../../src/daemon/node-key.ts';
import { REPLICATION_LIMITS } from '../../../src/mesh/replication/limits.ts';
import { encodeRecordBody } from '../../../src/wire/durable-record.ts';
import { encodeMeshMessage, MESH_PROTOCOL_VERSION } from '../../../src/wire/mesh-message.ts';
import { MeshCluster } from '../../support/mesh-cluster.ts';
import { memoryFact, openedConnection } from '../../support/mesh-node.ts';

const victim = generateNodeKey();
const attacker = generateNodeKey();

describe('what a member of the mesh cannot do', () => {
  it('takes a record that its origin signed, from whomever it comes', async () => {
    await using cluster = await twoNodes();
    cluster.end(0, 1).inject(frame({ signer: victim }));
    expect(cluster.node(0).state.connections[victim.nodeId]).toBeDefined();
    expect(cluster.node(0).replicator.counts.forged).toBe(0);
  });

  it.each([
    ['signs with its own key for another', frame({ signer: attacker, key: victim.publicKey })],
    ['shows its own key for another', frame({ signer: attacker, key: attacker.publicKey })],
    ['changes the body', changed(frame({ signer: victim }))],
    ['does not sign', frame({ signer: { ...victim, sign: () => new Uint8Array(64) } })],
    ['claims another place for a good record', frame({ signer: victim, claimedEpoch: 9 })],
    ['brings one record twice', frame({ signer: victim, times: 2 })],
    ['sends records that are no JSON', frame({ signer: victim, body: Buffer.from('nonsense') })],
  ])('is refused and counted when it %s', async (_, forged) => {
    await using cluster = await twoNodes();
    const node = cluster.node(0);
    cluster.end(0, 1).inject(forged);
    expect(node.state.origins[victim.nodeId]).toBeUndefined();
    const { forged: forgeries, malformedFrames } = node.replicator.counts;
    expect(forgeries + malformedFrames).toBe(1);
    expect(cluster.isLinked(0, 1)).toBe(true);
  });

  it('loses its link after a few forgeries', async () => {
    await using cluster = await twoNodes();
    for (let count = 0; count < REPLICATION_LIMITS.faultsMax + 3; count += 1)
      if (cluster.isLinked(0, 1))
        cluster.end(0, 1).inject(frame({ signer: attacker, key: victim.publicKey }));
    expect(cluster.isLinked(0, 1)).toBe(false);
    expect(cluster.node(0).replicator.counts.forged).toBe(REPLICATION_LIMITS.faultsMax);
  });

  it('cannot move a position by claiming one', async () => {
    await using cluster = await twoNodes();
    const node = cluster.node(0);
    const claim = { origin: victim.nodeId, epoch: 1e15, through: 1e15 };
    const vectors = [claim, { ...claim, origin: node.id }];
    cluster.end(0, 1).inject(encodeMeshMessage({ kind: 'digest', vectors, live: [], neighboursVersion: 0 }));
    cluster.end(0, 1).inject(encodeMeshMessage({ kind: 'records', ...claim, after: 0, records: [] }));
    await cluster.clock.advance(20_000);
    expect(node.state.origins[victim.nodeId]).toBeUndefined();
    expect(node.replicator.counts.newEpochs).toBe(0);
  });

  it('cannot make a node start a new epoch with records that it did not sign twice', async () => {
    await using cluster = await twoNodes();
    const node = cluster.node(0);
    node.open('mine');
    const [mine] = node.journal.recordsAfter(node.id, 0);
    if (mine === undefined) throw new Error('it was recorded');
    const other = encodeRecordBody(
      { origin: node.id, epoch: node.epoch, seq: 1 },
      openedConnection(node.id, 'no'),
    );
    const good = {
      ageMs: 0,
      proof: Buffer.concat([cluster.publicKeyOf(0), mine.signature]),
      body: mine.body,
    };
    const forged = {
      ...good,
      proof: Buffer.concat([cluster.publicKeyOf(0), attacker.sign(other)]),
      body: other,
    };
    for (const records of [[good, good], [good, forged], [good], []])
      cluster
        .end(0, 1)
        .inject(encodeMeshMessage({ kind: 'fork', origin: node.id, epoch: node.epoch, records }));
    expect(node.replicator.counts.newEpochs).toBe(0);
    expect(node.replicator.counts.forged).toBe(4);
  });

  it('takes a live value that its origin signed, from whomever it comes, and refuses every other', async () => {
    await using cluster = await twoNodes();
    const node = cluster.node(0);
    const report = (body: Uint8Array, proof?: Uint8Array): void =>
      cluster.end(0, 1).inject(
        encodeMeshMessage({
          kind: 'live',
          entries: [proof === undefined ? { ageMs: 0, body } : { ageMs: 0, body, proof }],
        }),
      );
    const good = bodyOf(victim, memoryFact(1));
    const other = encodeRecordBody({ origin: victim.nodeId, epoch: 1e15, seq: 9 }, memoryFact(666));
    report(other);
    report(other, Buffer.concat([victim.publicKey, attacker.sign(other)]));
    report(other, Buffer.concat([attacker.publicKey, attacker.sign(other)]));
    report(other, Buffer.concat([victim.publicKey, victim.sign(good)]));
    expect(node.state.nodeMemories[victim.nodeId]).toBeUndefined();
    expect(node.replicator.counts.forged).toBe(4);
    report(good, Buffer.concat([victim.publicKey, victim.sign(good)]));
    expect(node.memoryOf(victim.nodeId)?.availableBytes).toBe(1);
    expect(node.replicator.counts.forged).toBe(4);
  });

  it('cannot make a neighbour pass on what nobody could check', async () => {
    await using cluster = new MeshCluster(3);
    cluster.lay('line');
    await cluster.clock.advance(2_000);
    const [origin, relay, last] = cluster.nodes;
    if (origin === undefined || relay === undefined || last === undefined) throw new Error('there are three');
    const reported = (epoch: number, bytes: number): Uint8Array =>
      encodeRecordBody({ origin: origin.id, epoch, seq: 1 }, memoryFact(bytes));
    const badProof = Buffer.concat([cluster.publicKeyOf(0), attacker.sign(reported(8, 2))]);
    for (const entry of [
      { ageMs: 0, body: reported(7, 1) },
      { ageMs: 0, body: reported(8, 2), proof: badProof },
    ]) {
      cluster.end(1, 0).inject(encodeMeshMessage({ kind: 'live', entries: [entry] }));
      await cluster.clock.advance(20_000);
    }
    expect(relay.memoryOf(origin.id)?.availableBytes, 'on its own link it is believed').toBe(2);
    expect(last.memoryOf(origin.id)).toBeUndefined();
    expect(relay.replicator.counts.unprovable).toBeGreaterThan(1);
    expect(last.replicator.counts.forged).toBe(0);
    expect(cluster.isLinked(1, 2)).toBe(true);
  });

  it('cannot pass a durable kind off as a live one', async () => {
    await using cluster = await twoNodes();
    const body = bodyOf(victim, openedConnection(victim.nodeId, 'forged'));
    cluster.end(0, 1).inject(encodeMeshMessage({ kind: 'live', entries: [{ ageMs: 0, body }] }));
    expect(cluster.node(0).state.connections[victim.nodeId]).toBeUndefined();
    expect(cluster.node(0).replicator.counts.malformedFrames).toBe(1);
  });

  it('cannot send records of a node to that node itself', async () => {
    await using cluster = await twoNodes();
    const node = cluster.node(0);
    node.reportMemory(1);
    const body = encodeRecordBody({ origin: node.id, epoch: 1e15, seq: 99 }, memoryFact(666));
    cluster.end(0, 1).inject(encodeMeshMessage({ kind: 'live', entries: [{ ageMs: 0, body }] }));
    expect(node.memoryOf(node.id)?.availableBytes).toBe(1);
  });

  it('is cut off for frames that are none, and for speaking before its hello', async () => {
    await using cluster = await twoNodes();
    for (let count = 0; count < REPLICATION_LIMITS.faultsMax; count += 1)
      cluster.end(0, 1).inject(Uint8Array.of(MESH_PROTOCOL_VERSION, 1, count));
    expect(cluster.isLinked(0, 1)).toBe(false);
    expect(cluster.node(0).replicator.counts.malformedFrames).toBe(REPLICATION_LIMITS.faultsMax);
    cluster.link(0, 1);
    cluster.end(0, 1).inject(encodeMeshMessage({ kind: 'ask-neighbours' }));
    expect(cluster.node(0).replicator.counts.malformedFrames).toBe(REPLICATION_LIMITS.faultsMax + 1);
  });

  it('cannot leave out records of a node that is linked itself', async () => {
    await using cluster = new MeshCluster(3);
    const [origin, liar, node] = cluster.nodes;
    if (origin === undefined || liar === undefined || node === undefined) throw new Error('there are three');
    for (const name of ['first', 'second', 'third']) origin.open(name);
    cluster.link(0, 2);
    cluster.link(1, 2);
    cluster.end(0, 2).isPaused = true;
    await cluster.clock.advance(100);
    const records = [...origin.journal.recordsAfter(origin.id, 0)]
      .filter(({ seq }) => seq !== 2)
      .map(({ body, signature }) => {
        return { ageMs: 0, proof: Buffer.concat([cluster.publicKeyOf(0), signature]), body };
      });
    const range = { origin: origin.id, epoch: origin.epoch, after: 0, through: 3 };
    cluster.end(2, 1).inject(encodeMeshMessage({ kind: 'records', ...range, records }));
    expect(node.connectionsOf(origin.id)).toEqual([]);
    expect(node.replicator.counts.gaps).toBe(1);
    cluster.end(0, 2).release();
    await cluster.clock.advance(20_000);
    expect(node.connectionsOf(origin.id)).toEqual(['socket first', 'socket second', 'socket third']);
  });

  it('is distinguished from a node of another version of the mesh', async () => {
    await using cluster = await twoNodes();
    cluster.end(0, 1).inject(Uint8Array.of(MESH_PROTOCOL_VERSION + 1, 1));
    expect(cluster.isLinked(0, 1)).toBe(false);
    expect(cluster.node(0).replicator.counts.otherVersions).toBe(1);
  });

  it('is held to its rate, and what was dropped comes with a later digest', async () => {
    const limits = { ...REPLICATION_LIMITS, eventsBurst: 20, eventsPerSecond: 10 };
    await using cluster = new MeshCluster(2, { limits });
    cluster.link(0, 1);
    await cluster.clock.advance(100);
    for (let count = 0; count < 15; count += 1) {
      cluster.node(1).open(`c ${count}`);
      await cluster.clock.advance(1);
    }
    expect(cluster.node(0).replicator.counts.overRate).toBeGreaterThan(0);
    await cluster.clock.advance(30_000);
    expect(cluster.node(0).hash).toBe(cluster.node(1).hash);
    expect(cluster.node(0).connectionsOf(cluster.node(1).id)).toHaveLength(15);
  });

  it('cannot fill the table of live values', async () => {
    const liveOrigins = { ...REPLICATION_LIMITS.liveOrigins, originsMax: 3 };
    const limits = { ...REPLICATION_LIMITS, liveKeysPerOriginMax: 4, liveOrigins };
    await using cluster = new MeshCluster(2, { limits });
    cluster.link(0, 1);
    await cluster.clock.advance(1);
    const entries = Array.from({ length: 50 }, (_, index) => {
      const origin = generateNodeKey();
      const head = { origin: origin.nodeId, epoch: 1, seq: index + 1 };
      const body = encodeRecordBody(head, memoryFact(index));
      return { ageMs: 0, body, proof: Buffer.concat([origin.publicKey, origin.sign(body)]) };
    });
    cluster.end(0, 1).inject(encodeMeshMessage({ kind: 'live', entries }));
    expect(Object.keys(cluster.node(0).state.nodeMemories)).toHaveLength(3);
    expect(cluster.node(0).replicator.counts.liveRefused).toBe(47);
  });
});

const twoNodes = async (): Promise<MeshCluster> => {
  const cluster = new MeshCluster(2);
  cluster.link(0, 1);
  await cluster.clock.advance(1);
  return cluster;
};

interface Forgery {
  readonly signer: NodeKey;
  readonly key?: Uint8Array;
  readonly claimedEpoch?: number;
  readonly body?: Uint8Array;
  readonly times?: number;
}

function frame({ signer, key = victim.publicKey, claimedEpoch = 1, body, times = 1 }: Forgery): Uint8Array {
  const signed = body ?? bodyOf(victim, openedConnection(victim.nodeId, 'relayed'));
  const proof = Buffer.concat([key, signer.sign(signed)]);
  return encodeMeshMessage({
    kind: 'records',
    origin: victim.nodeId,
    epoch: claimedEpoch,
    after: 0,
    through: 1,
    records: Array(times).fill({ ageMs: 0, proof, body: signed }),
  });
}

function bodyOf(key: NodeKey, fact: Fact): Uint8Array {
  return encodeRecordBody({ origin: key.nodeId, epoch: 1, seq: 1 }, fact);
}

/** One bit of the sink's address. */
function changed(good: Uint8Array): Uint8Array {
  const bytes = Buffer.from(good);
  const at = bytes.indexOf('relayed');
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return new Uint8Array(bytes);
}
