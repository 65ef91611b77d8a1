import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock/system-clock.ts';
import type { NodeId } from '../../../src/core/ids.ts';
import { generateNodeKey, type NodeKey } from '../../../src/daemon/node-key.ts';
import { createMemoryDisk } from '../../../src/journal/memory-journal.ts';
import { REPLICATION_LIMITS } from '../../../src/mesh/replication/limits.ts';
import type { WireRecord } from '../../../src/wire/mesh-message.ts';
import type { VectorEntry } from '../../../src/wire/version-vector.ts';
import { LyingNode } from '../../support/lying-node.ts';
import { MeshCluster } from '../../support/mesh-cluster.ts';
import { MeshNode } from '../../support/mesh-node.ts';
import type { WiredLink } from '../../support/mesh-wires.ts';
import { until } from '../../support/seen-node.ts';
import { dial, portOf, TlsNodes } from '../../support/tls-nodes.ts';

const REPLIES: readonly (readonly [how: string, of: (first: WireRecord) => readonly WireRecord[]])[] = [
  ['with what is known already', first => [first]],
  ['with nothing', () => []],
];

describe('a member that claims to hold everything and delivers nothing', () => {
  it('holds nobody up: another who claims it is asked within seconds, and the liar is marked', async () => {
    await using cluster = new MeshCluster(3);
    const { origin, honest, newcomer } = threeOf(cluster);
    const liars = liarsAbout(cluster, 1);
    cluster.link(origin, honest);
    cluster.node(origin).open('first');
    cluster.node(honest).open('first');
    await cluster.clock.advance(3_000);
    cluster.cut(origin, honest); // it leaves: only the honest one has its words now
    await cluster.kill(origin);
    for (const liar of liars) meet(cluster, newcomer, liar);
    cluster.link(newcomer, honest);
    await claimFor(cluster, liars, 6_000);
    expect(cluster.node(newcomer).hash).toBe(cluster.node(honest).hash);
    const [liar] = liars;
    const { replicator } = cluster.node(newcomer);
    expect(replicator.counts.undelivered).toBeGreaterThan(0);
    expect(replicator.undeliveredBy(liar?.key.nodeId ?? cluster.node(newcomer).id)).toBeGreaterThan(0);
    expect(replicator.undeliveredBy(cluster.node(honest).id)).toBe(0);
  });

  it('is asked ever less often', async () => {
    await using cluster = new MeshCluster(3);
    const { newcomer } = threeOf(cluster);
    const [liar] = liarsAbout(cluster, 1);
    if (liar === undefined) throw new Error('there is one');
    meet(cluster, newcomer, liar);
    await claimFor(cluster, [liar], 120_000);
    const perOrigin = liar.requested.length / 3;
    expect(perOrigin).toBeGreaterThan(1);
    expect(perOrigin).toBeLessThan(10);
  });

  it('is asked a few times and then once a day, for all further claims and new links', async () => {
    await using cluster = new MeshCluster(3);
    const { newcomer } = threeOf(cluster);
    let through = 1e6;
    const origin = cluster.node(0);
    const liar = new LyingNode({ claims: () => [{ origin: origin.id, epoch: origin.epoch, through }] });
    let end = meet(cluster, newcomer, liar);
    const claimForHours = async (hours: number): Promise<number> => {
      const before = liar.requested.length;
      for (let minute = 0; minute < hours * 60; minute += 1) {
        through += 1;
        if (minute % 7 === 0) {
          end.close('lost');
          end = meet(cluster, newcomer, liar);
        }
        liar.claim();
        await cluster.clock.advance(60_000);
      }
      return liar.requested.length - before;
    };
    expect(await claimForHours(3)).toBeLessThanOrEqual(REPLICATION_LIMITS.wantsMax);
    expect(await claimForHours(3)).toBe(0);
    const [named] = cluster.node(newcomer).replicator.undelivered;
    expect(named).toMatchObject({ peer: liar.key.nodeId, givenUp: 1 });
    expect(named?.count).toBe(REPLICATION_LIMITS.wantsMax);
  });

  it.each(REPLIES)('cannot keep an honest node from being asked by replies %s', async (_, recordsOf) => {
    await using cluster = new MeshCluster(3);
    const { origin, honest, newcomer } = threeOf(cluster);
    cluster.link(origin, honest);
    cluster.link(origin, newcomer);
    cluster.node(origin).open('first');
    await cluster.clock.advance(6_000);
    cluster.cut(origin, newcomer);
    for (const name of ['second', 'third', 'fourth']) cluster.node(origin).open(name);
    await cluster.clock.advance(6_000);
    const { id, epoch } = cluster.node(origin);
    await cluster.kill(origin);
    const [first] = recordsStored(cluster, honest, id);
    if (first === undefined) throw new Error('the origin has recorded something');
    const liar = new LyingNode({
      claims: () => [{ origin: id, epoch, through: 1e6 }],
      answer: (message, report) => {
        if (message.kind === 'want')
          report({ kind: 'records', origin: id, epoch, after: 0, through: 1e6, records: recordsOf(first) });
      },
    });
    meet(cluster, newcomer, liar);
    await claimFor(cluster, [liar], 1_000);
    cluster.link(newcomer, honest);
    await claimFor(cluster, [liar], 12_000);
    expect(cluster.node(newcomer).hash).toBe(cluster.node(honest).hash);
    expect(cluster.node(newcomer).replicator.undeliveredBy(liar.key.nodeId)).toBeGreaterThan(0);
  });

  it('is named no more once it delivers', async () => {
    await using cluster = new MeshCluster(3);
    const { origin, honest, newcomer } = threeOf(cluster);
    cluster.link(origin, honest);
    cluster.node(origin).open('first');
    await cluster.clock.advance(6_000);
    const { id, epoch } = cluster.node(origin);
    const range = { origin: id, epoch, after: 0 };
    const records = recordsStored(cluster, honest, id);
    let isSilent = true;
    const slow = new LyingNode({
      claims: () => [{ origin: id, epoch, through: records.length }],
      answer: (message, report) => {
        if (message.kind === 'want' && !isSilent)
          report({ kind: 'records', ...range, through: records.length, records });
      },
    });
    meet(cluster, newcomer, slow);
    await claimFor(cluster, [slow], 5_000);
    expect(cluster.node(newcomer).replicator.undelivered).toHaveLength(1);
    isSilent = false;
    await claimFor(cluster, [slow], 5_000);
    expect(cluster.node(newcomer).replicator.undelivered).toEqual([]);
    expect(cluster.node(newcomer).connectionsOf(id)).toEqual(['socket first']);
  });

  it('gains nothing by being many, nor by coming back', async () => {
    await using cluster = new MeshCluster(3);
    const { origin, honest, newcomer } = threeOf(cluster);
    const liars = liarsAbout(cluster, 8);
    cluster.link(origin, honest);
    cluster.node(origin).open('first');
    await cluster.clock.advance(3_000);
    await cluster.kill(origin);
    const ends = liars.map(liar => meet(cluster, newcomer, liar));
    cluster.link(newcomer, honest);
    for (let second = 0; second < 15; second += 1) {
      const end = ends[second % ends.length];
      const liar = liars[second % liars.length];
      end?.close('lost');
      if (liar !== undefined) meet(cluster, newcomer, liar);
      await claimFor(cluster, liars, 1_000);
    }
    expect(cluster.node(newcomer).hash).toBe(cluster.node(honest).hash);
  });
});

it('a false claim over real links holds a newcomer up for the bounded wait only', async () => {
  await using nodes = new TlsNodes();
  await using stops = new AsyncDisposableStack();
  const limits = { ...REPLICATION_LIMITS, wantTimeoutMs: 200, wantCheckMs: 50, digestIntervalMs: 100 };
  const member = async (key: NodeKey) => {
    const tls = await nodes.node({ identity: key });
    const disk = createMemoryDisk();
    const node = new MeshNode({ clock: systemClock, key, disk, mesh: tls.transport, limits });
    node.cluster.subscribe(() => tls.changed());
    stops.defer(() => node.stop());
    return { tls, node };
  };
  const origin = await member(generateNodeKey());
  const honest = await member(generateNodeKey());
  for (let count = 0; count < 50; count += 1) origin.node.open(`connection ${count}`);
  dial(origin.tls, portOf(honest.tls));
  await until(origin.tls, () => honest.node.hash === origin.node.hash);
  const { id, epoch } = origin.node;
  await origin.tls[Symbol.asyncDispose]();
  const liar = new LyingNode({ claims: () => [{ origin: id, epoch, through: 1e9 }] });
  const lying = await nodes.node({ identity: liar.key });
  lying.transport.onLink(link => liar.meet(link));
  const newcomer = await member(generateNodeKey());
  dial(newcomer.tls, portOf(lying));
  await until(newcomer.tls, () => liar.requested.length > 0);
  const repeating = setInterval(() => liar.claim(), 20);
  stops.defer(() => clearInterval(repeating));
  dial(newcomer.tls, portOf(honest.tls));
  await until(newcomer.tls, () => newcomer.node.hash === honest.node.hash);
  expect(newcomer.node.replicator.undeliveredBy(liar.key.nodeId)).toBeGreaterThan(0);
});

const threeOf = (
  cluster: MeshCluster,
): { readonly origin: number; readonly honest: number; readonly newcomer: number } => {
  expect(cluster.nodes).toHaveLength(3);
  return { origin: 0, honest: 1, newcomer: 2 };
};

/** Each claims to have far more of every node than any other. */
const liarsAbout = (cluster: MeshCluster, count: number): readonly LyingNode[] => {
  const origins = cluster.nodes.map(({ id, epoch }): VectorEntry => ({ origin: id, epoch, through: 1e9 }));
  return Array.from({ length: count }, () => new LyingNode({ claims: () => origins }));
};

/** As they were received, with their proofs. */
const recordsStored = (cluster: MeshCluster, index: number, origin: NodeId): readonly WireRecord[] =>
  [...cluster.node(index).journal.recordsAfter(origin, 0)].map(({ body, signature }) => ({
    ageMs: 0,
    proof: signature,
    body,
  }));

/** They repeat it all the time, so that theirs is always the first word. */
const claimFor = async (
  cluster: MeshCluster,
  liars: readonly LyingNode[],
  durationMs: number,
): Promise<void> => {
  for (let passedMs = 0; passedMs < durationMs; passedMs += 100) {
    for (const liar of liars) liar.claim();
    await cluster.clock.advance(100);
  }
};

const meet = (cluster: MeshCluster, index: number, liar: LyingNode): WiredLink => {
  const { nodeId: localId, publicKey } = liar.key;
  const end = cluster.linkFrom({ localId, publicKey }, index);
  liar.meet(end);
  return end;
};
