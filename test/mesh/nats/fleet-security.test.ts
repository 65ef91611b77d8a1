import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../src/clock/system-clock.ts';
import { generateNodeKey, type NodeKey } from '../../../src/daemon/node-key.ts';
import { makeClusterKey } from '../../../src/mesh/key/cluster-key.ts';
import { FleetCounts, FleetMessages } from '../../../src/mesh/nats/fleet-messages.ts';
import { FleetSubjects } from '../../../src/mesh/nats/fleet-subjects.ts';
import { ReplayGuard } from '../../../src/mesh/nats/replay-guard.ts';
import { SEAL_BYTES, Sealer } from '../../../src/mesh/nats/sealed-message.ts';
import { connectToFleet } from '../../../src/mesh/nats/server-connection.ts';
import { encodeRecordBody } from '../../../src/wire/durable-record.ts';
import { encodeMeshMessage } from '../../../src/wire/mesh-message.ts';
import { FLEET_TEST_CLUSTER, type FleetNode, fleetNode } from '../../support/fleet-nodes.ts';
import { memoryFact, openedConnection } from '../../support/mesh-node.ts';
import { NatsServer, NO_NATS_SERVER, natsProgram } from '../../support/nats-server.ts';

const KEYS = [makeClusterKey()];
let server: NatsServer | undefined;

beforeAll(async () => {
  if (natsProgram() === undefined) return;
  server = await NatsServer.start();
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
});
beforeEach(context => {
  if (server === undefined) context.skip(NO_NATS_SERVER);
});

const added = async (): Promise<NodeKey> => {
  if (server === undefined) throw new Error(NO_NATS_SERVER);
  return await server.addNode();
};

const started = async (options: Partial<Parameters<typeof fleetNode>[0]> = {}): Promise<FleetNode> => {
  const key = options.key ?? (await added());
  const node = fleetNode({ keys: KEYS, servers: [server?.url ?? ''], ...options, key });
  await node.until(() => node.fleet.standing.kind === 'connected');
  return node;
};

/** A client that the server lets do everything. */
const anybody = async () => {
  const connection = await connect({ servers: `127.0.0.1:${server?.port}` });
  return { connection, [Symbol.asyncDispose]: () => connection.close() };
};

const recordsOf = (signer: NodeKey, origin: NodeKey['nodeId']): Uint8Array => {
  const body = encodeRecordBody({ origin, epoch: 5, seq: 1 }, openedConnection(origin, 'made-up'));
  const proof = Buffer.concat([signer.publicKey, signer.sign(body)]);
  const range = { origin, epoch: 5, after: 0, through: 1 };
  return encodeMeshMessage({ kind: 'records', ...range, records: [{ ageMs: 0, proof, body }] });
};

const liveOf = (signer: NodeKey, origin: NodeKey['nodeId'], seq: number): Uint8Array => {
  const body = encodeRecordBody({ origin, epoch: 9, seq }, memoryFact(seq));
  const proof = Buffer.concat([signer.publicKey, signer.sign(body)]);
  return encodeMeshMessage({ kind: 'live', entries: [{ ageMs: 0, proof, body }] });
};

test('a node with a stranger’s key is not believed, is counted, and keeps nobody from the others', async () => {
  await using one = await started();
  await using other = await started();
  await using stranger = await started({ keys: [makeClusterKey()] });
  stranger.node.open('a');
  stranger.node.reportMemory(1);
  one.node.open('b');
  await other.until(() => other.node.connectionsOf(one.node.id).length === 1);
  await other.until(() => other.fleet.counts.wrongKey > 0);
  expect(other.node.connectionsOf(stranger.node.id)).toEqual([]);
  expect(other.node.memoryOf(stranger.node.id)).toBeUndefined();
  expect(stranger.node.connectionsOf(one.node.id)).toEqual([]);
  expect(other.fleet.members.has(stranger.node.id)).toBe(false);
});

test('a member that publishes under another node’s id is refused where records are concerned, and ignored from then on', async () => {
  await using one = await started();
  await using victim = await started();
  const [member, twin] = [generateNodeKey(), victim.node.id];
  await using open = await anybody();
  const subjects = new FleetSubjects(FLEET_TEST_CLUSTER, twin);
  // It has the cluster key, and a server that checks nothing: only the signature is not to be had.
  const sealer = new Sealer({ node: twin, start: 1, keys: KEYS });
  const forged = one.node.replicator.counts.forged;
  for (let count = 1; count <= 8; count += 1)
    open.connection.publish(subjects.ownEvent, sealer.seal(subjects.ownEvent, recordsOf(member, twin)));
  await one.until(() => one.node.replicator.counts.forged > forged);
  await one.until(() => one.fleet.counts.muted === 1);
  expect(one.node.connectionsOf(twin)).toEqual([]);
});

test('a reading of one node that another publishes needs its signature', async () => {
  await using one = await started();
  await using open = await anybody();
  const [member, victim] = [generateNodeKey(), generateNodeKey()];
  const subjects = new FleetSubjects(FLEET_TEST_CLUSTER, member.nodeId);
  const sealer = new Sealer({ node: member.nodeId, start: 1, keys: KEYS });
  const subject = subjects.ownReading('memory');
  open.connection.publish(subject, sealer.seal(subject, liveOf(member, victim.nodeId, 1)));
  await one.until(() => one.node.replicator.counts.forged === 1);
  open.connection.publish(subject, sealer.seal(subject, liveOf(victim, victim.nodeId, 2)));
  await one.until(() => one.node.memoryOf(victim.nodeId)?.availableBytes === 2);
});

test('a message that is moved to another subject, changed or cut off does not open', async () => {
  await using one = await started();
  await using open = await anybody();
  const [member, victim] = [generateNodeKey(), generateNodeKey()];
  const sealer = new Sealer({ node: member.nodeId, start: 1, keys: KEYS });
  const own = new FleetSubjects(FLEET_TEST_CLUSTER, member.nodeId).ownReading('memory');
  const sealed = sealer.seal(own, liveOf(member, member.nodeId, 1));
  const changed = Uint8Array.from(sealed);
  changed[60] = (changed[60] ?? 0) ^ 1;
  open.connection.publish(new FleetSubjects(FLEET_TEST_CLUSTER, victim.nodeId).ownReading('memory'), sealed);
  open.connection.publish(own, changed);
  open.connection.publish(own, sealed.subarray(0, sealed.length - 1));
  open.connection.publish(own, sealed.subarray(0, 20));
  await one.until(() => one.fleet.counts.broken === 4);
  open.connection.publish(own, new Uint8Array([9, 9, 9]));
  await one.until(() => one.fleet.counts.otherVersions === 1);
  open.connection.publish(own, sealed);
  await one.until(() => one.node.memoryOf(member.nodeId)?.availableBytes === 1);
});

test('a message that is repeated is refused, also by a node that has restarted since', async () => {
  await using open = await anybody();
  const member = generateNodeKey();
  const sealer = new Sealer({ node: member.nodeId, start: 1, keys: KEYS });
  const subject = new FleetSubjects(FLEET_TEST_CLUSTER, member.nodeId).ownReading('memory');
  const [first, second] = [1, 2].map(seq => sealer.seal(subject, liveOf(member, member.nodeId, seq)));
  if (first === undefined || second === undefined) throw new Error('there are two');
  const one = await started();
  for (const sealed of [first, second, first, second]) open.connection.publish(subject, sealed);
  await one.until(() => one.fleet.counts.repeated === 2);
  expect(one.node.memoryOf(member.nodeId)?.availableBytes).toBe(2);
  const { floors } = one.fleet;
  await one[Symbol.asyncDispose]();
  await using again = await started({ floors });
  open.connection.publish(subject, first);
  open.connection.publish(subject, second);
  await again.until(() => again.fleet.counts.repeated === 2);
  expect(again.node.memoryOf(member.nodeId)).toBeUndefined();
});

test('two daemons with one identity are noticed by everybody', async () => {
  const key = await added();
  await using one = await started();
  const twins = new Set<string>();
  one.fleet.onTwin(node => twins.add(node));
  await using original = await started({ key, start: 3 });
  original.node.reportMemory(1);
  await one.until(() => one.node.memoryOf(key.nodeId) !== undefined);
  await using copy = await started({ key, start: 3 });
  const own = new Set<string>();
  original.fleet.onTwin(node => own.add(node));
  copy.node.reportMemory(2);
  await one.until(() => twins.has(key.nodeId));
  await original.until(() => own.has(key.nodeId));
  expect(one.node.memoryOf(key.nodeId)?.availableBytes).toBe(1);
});

test('nothing that the server holds or passes on shows what is in it, nor the cluster key', async () => {
  await using open = await anybody();
  const seen: Buffer[] = [];
  open.connection.subscribe('>', {
    callback: (_, { data }) => {
      seen.push(Buffer.from(data));
    },
  });
  await open.connection.flush();
  await using one = await started();
  await using other = await started();
  one.node.open('a-name-that-is-easy-to-find');
  one.node.reportMemory(123_456_789);
  await other.until(() => other.node.connectionsOf(one.node.id).length === 1);
  await other.until(() => other.node.memoryOf(one.node.id) !== undefined);
  const all = Buffer.concat(seen).toString('latin1');
  expect(all.length).toBeGreaterThan(500);
  for (const secret of ['a-name-that-is-easy', '123456789', 'connection.opened', 'memory.gathered'])
    expect(all).not.toContain(secret);
  for (const { secret } of KEYS) expect(all).not.toContain(Buffer.from(secret).toString('latin1'));
});

test('a message of as much as the server takes goes, one byte more is counted and not sent', async () => {
  const { nodeId: self } = await added();
  const connecting = await connectToFleet({
    servers: [server?.url ?? ''],
    credentials: undefined,
    caFile: undefined,
    isHandshakeFirst: false,
    clock: systemClock,
    name: 'test',
    inboxPrefix: '_INBOX',
  });
  if (connecting.kind === 'failed') throw new Error(connecting.problem.problem);
  const counts = new FleetCounts();
  const troubles: unknown[] = [];
  const messages = new FleetMessages({
    server: connecting.server,
    subjects: new FleetSubjects(FLEET_TEST_CLUSTER, self),
    sealer: new Sealer({ node: self, start: 1, keys: KEYS }),
    guard: new ReplayGuard([], 1),
    counts,
    self,
    twin: () => undefined,
    trouble: trouble => troubles.push(trouble),
  });
  const subject = `plimsoll.v1.${FLEET_TEST_CLUSTER}.event.${self}`;
  const largest = 1_048_576 - SEAL_BYTES - 256;
  expect(await messages.store(subject, new Uint8Array(largest), 'an id as long as one is'.repeat(4))).toBe(
    true,
  );
  expect(counts.tooLarge).toBe(0);
  await messages.store(subject, new Uint8Array(largest + 1));
  await messages.store(subject, new Uint8Array(1_048_577));
  messages.report(subject, new Uint8Array(1_048_577));
  expect(counts).toMatchObject({ tooLarge: 3, published: 1, publishFailed: 0 });
  expect(troubles).toEqual([]);
  expect(connecting.server.connection.isClosed()).toBe(false);
  await connecting.server.connection.close();
});
