// What somebody can do who has the credentials of one node, and not the cluster key.

import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { errors, type Msg } from '@nats-io/transport-node';
import { beforeEach, expect, test } from 'vitest';
import { type ClusterKey, makeClusterKey } from '../../../src/mesh/key/cluster-key.ts';
import { NODE_STATE_BYTES_MAX } from '../../../src/mesh/nats/fleet-streams.ts';
import { EVENT_STREAM, FleetSubjects, stateStreamOf } from '../../../src/mesh/nats/fleet-subjects.ts';
import { Sealer } from '../../../src/mesh/nats/sealed-message.ts';
import { removeMisdirected } from '../../../src/mesh/nats/state-streams.ts';
import { FLEET_TEST_CLUSTER, type FleetNode, fleetNode } from '../../support/fleet-nodes.ts';
import { type KnownFleet, type KnownUser, knownFleet } from '../../support/known-fleet.ts';
import { NO_NATS_SERVER, natsProgram } from '../../support/nats-server.ts';

const KEYS = [makeClusterKey()];

beforeEach(context => {
  if (natsProgram() === undefined) context.skip(NO_NATS_SERVER);
});

const node = (fleet: KnownFleet, user: KnownUser): FleetNode =>
  fleetNode({ keys: KEYS, servers: [fleet.server.url], ...user });

const troubleOf = ({ fleet: { standing } }: FleetNode): unknown =>
  standing.kind === 'connected' ? standing.trouble : undefined;

test('it fills only its own stream; nodes that start later join and report whose credentials they are', async () => {
  await using fleet = await knownFleet(3);
  const [stolen, first, second] = fleet.users;
  if (stolen === undefined || first === undefined || second === undefined) throw new Error('there are three');
  await using one = node(fleet, first);
  one.node.open('before');
  await using attacker = await fleet.connect(stolen);
  const subjects = new FleetSubjects(FLEET_TEST_CLUSTER, stolen.key.nodeId);
  const stream = jetstream(attacker);
  const junk = new Uint8Array(1_000_000).fill(1);
  let taken = 0;
  for (let count = 0; count < 80; count += 1) {
    const published = stream.publish(subjects.ownState('junk', String(count)), junk);
    taken += await published.then(
      () => junk.length,
      () => 0,
    );
  }
  await using administrator = await fleet.connect(fleet.administrator);
  const manager = await jetstreamManager(administrator);
  const { state } = await manager.streams.info(stateStreamOf(FLEET_TEST_CLUSTER, stolen.key.nodeId));
  expect(taken).toBeGreaterThan(NODE_STATE_BYTES_MAX / 2);
  expect(state.bytes).toBeLessThanOrEqual(NODE_STATE_BYTES_MAX);
  one.node.open('meanwhile');
  await using later = node(fleet, second);
  await later.until(() => later.node.connectionsOf(one.node.id).length === 2);
  expect(troubleOf(later)).toMatchObject({
    code: 'fleet-misuse',
    nodeId: stolen.key.nodeId,
    advice: expect.stringContaining(`plimsoll fleet revoke DIR ${stolen.key.nodeId}`),
  });
  expect(later.fleet.counts.wrongKey + later.fleet.counts.otherVersions).toBeLessThan(10);
});

test('thousands of small last values of it are given up on, and cost the others none of theirs', async () => {
  await using fleet = await knownFleet(3);
  const [stolen, first, second] = fleet.users;
  if (stolen === undefined || first === undefined || second === undefined) throw new Error('there are three');
  await using one = node(fleet, first);
  one.node.open('before');
  await using attacker = await fleet.connect(stolen);
  const subjects = new FleetSubjects(FLEET_TEST_CLUSTER, stolen.key.nodeId);
  for (let count = 0; count < 6_000; count += 1)
    attacker.publish(subjects.ownState('junk', String(count)), 'x');
  await attacker.flush();
  await using later = node(fleet, second);
  await later.until(() => later.node.connectionsOf(one.node.id).length === 1);
  expect(later.fleet.counts.otherVersions).toBe(4_097);
  expect(troubleOf(later)).toMatchObject({ code: 'fleet-misuse', nodeId: stolen.key.nodeId });
});

test('it creates no consumer, and has nothing delivered to another node', async () => {
  await using fleet = await knownFleet(2);
  const [stolen, victim] = fleet.users;
  if (stolen === undefined || victim === undefined) throw new Error('there are two');
  await using attacker = await fleet.connect(stolen);
  const refused = new Set<string>();
  const following = (async () => {
    for await (const status of attacker.status())
      if (status.type === 'error' && status.error instanceof errors.PermissionViolationError)
        refused.add(status.error.subject);
  })();
  const target = new FleetSubjects(FLEET_TEST_CLUSTER, victim.key.nodeId).ownReading('memory');
  const tried = [
    EVENT_STREAM,
    ...fleet.users.map(({ key }) => stateStreamOf(FLEET_TEST_CLUSTER, key.nodeId)),
  ].flatMap(name => [
    `$JS.API.CONSUMER.CREATE.${name}`,
    `$JS.API.CONSUMER.CREATE.${name}.pushed`,
    `$JS.API.CONSUMER.CREATE.${name}.pushed.plimsoll`,
    `$JS.API.CONSUMER.DURABLE.CREATE.${name}.pushed`,
  ]);
  const config = { stream_name: EVENT_STREAM, config: { deliver_subject: target, durable_name: 'pushed' } };
  for (const subject of tried) attacker.publish(subject, JSON.stringify(config));
  await attacker.flush();
  await attacker.flush();
  await using administrator = await fleet.connect(fleet.administrator);
  const manager = await jetstreamManager(administrator);
  const { state } = await manager.streams.info(EVENT_STREAM);
  expect(state.consumer_count).toBe(0);
  expect([...refused].sort()).toEqual(tried.sort());
  await attacker.close();
  await following;
});

test('it reads no number of a record next to what is sealed, by which it could have the next one dropped as sent twice', async () => {
  await using fleet = await knownFleet(2);
  const [stolen, first] = fleet.users;
  if (stolen === undefined || first === undefined) throw new Error('there are two');
  await using attacker = await fleet.connect(stolen);
  const received = Promise.withResolvers<Msg>();
  attacker.subscribe(new FleetSubjects(FLEET_TEST_CLUSTER, stolen.key.nodeId).events, {
    callback: (_error, message) => received.resolve(message),
  });
  await attacker.flush();
  await using one = node(fleet, first);
  one.node.open('a');
  const id = (await received.promise).headers?.get('Nats-Msg-Id') ?? '';
  expect(id).toMatch(/^[\w-]{43}$/);
  const sealer = (keys: readonly ClusterKey[]) => new Sealer({ node: first.key.nodeId, start: 1, keys });
  expect(sealer(KEYS).sealedId('1')).toBe(sealer(KEYS).sealedId('1'));
  expect(sealer(KEYS).sealedId('1')).not.toBe(sealer([makeClusterKey()]).sealedId('1'));
});

test('it leads replies of the server to the subjects of another node, which are dropped and not held against that node', async () => {
  await using fleet = await knownFleet(3);
  const [stolen, first, second] = fleet.users;
  if (stolen === undefined || first === undefined || second === undefined) throw new Error('there are three');
  await using one = node(fleet, first);
  await using other = node(fleet, second);
  await other.until(() => other.fleet.members.has(one.node.id));
  await using attacker = await fleet.connect(stolen);
  const own = new FleetSubjects(FLEET_TEST_CLUSTER, stolen.key.nodeId);
  const ofVictim = new FleetSubjects(FLEET_TEST_CLUSTER, one.node.id);
  await jetstream(attacker).publish(own.ownState('junk', ''), Uint8Array.of(1, 2, 3));
  const stored = `$JS.API.DIRECT.GET.${stateStreamOf(FLEET_TEST_CLUSTER, stolen.key.nodeId)}`;
  const reading = { reply: ofVictim.ownReading('memory') };
  for (let count = 0; count < 6_000; count += 1) {
    attacker.publish(stored, JSON.stringify({ seq: 1 }), reading);
    attacker.publish('$JS.API.INFO', '', reading);
    attacker.publish(stored, '{"seq":9}', reading);
  }
  const gone = ofVictim.requestSubject(other.node.id, 'gone');
  for (const body of ['{"seq":1}', '{"seq":9}', '']) attacker.publish(stored, body, { reply: gone });
  await other.until(() => other.fleet.counts.reflected > 17_000);
  one.node.reportMemory(7);
  await other.until(() => other.node.memoryOf(one.node.id)?.availableBytes === 7);
  expect(other.fleet.counts.dropped).toBe(0);
  expect(troubleOf(other)).toBeUndefined();
  expect(other.fleet.requestLinks.links.has(one.node.id)).toBe(true);
});

test('it has replies of the server stored as last values of another node, which is read all the same and not blamed', async () => {
  await using fleet = await knownFleet(3);
  const [stolen, first, second] = fleet.users;
  if (stolen === undefined || first === undefined || second === undefined) throw new Error('there are three');
  await using attacker = await fleet.connect(stolen);
  const own = new FleetSubjects(FLEET_TEST_CLUSTER, stolen.key.nodeId);
  const ofVictim = new FleetSubjects(FLEET_TEST_CLUSTER, first.key.nodeId);
  await jetstream(attacker).publish(own.ownState('junk', ''), Uint8Array.of(1, 2, 3));
  const stored = `$JS.API.DIRECT.GET.${stateStreamOf(FLEET_TEST_CLUSTER, stolen.key.nodeId)}`;
  for (let count = 0; count < 200; count += 1) {
    const into = (kind: string) => ({ reply: ofVictim.ownState(kind, String(count)) });
    attacker.publish(stored, '{"seq":1}', into('stored'));
    attacker.publish(stored, '{"seq":9}', into('missing'));
    attacker.publish(own.ownState('small', ''), 'x', into('taken'));
  }
  await attacker.flush();
  await using administrator = await fleet.connect(fleet.administrator);
  const manager = await jetstreamManager(administrator);
  const messages = async () =>
    (await manager.streams.info(stateStreamOf(FLEET_TEST_CLUSTER, first.key.nodeId))).state.messages;
  while ((await messages()) < 600);
  // Its last values come behind those replies, and it is away when another node reads them.
  const before = await messages();
  {
    await using one = node(fleet, first);
    one.node.open('a');
    while ((await messages()) === before);
  }
  await using later = node(fleet, second);
  await later.until(() => later.node.connectionsOf(first.key.nodeId).length === 1);
  expect(troubleOf(later)).toMatchObject({ code: 'fleet-misdirected', nodeId: first.key.nodeId });
  const nodes = fleet.users.map(({ key }) => key.nodeId);
  const server = { connection: administrator, manager };
  const left = (await messages()) - before;
  expect(await removeMisdirected(server, { cluster: FLEET_TEST_CLUSTER, nodes })).toEqual([first.key.nodeId]);
  expect(await messages()).toBe(left);
  expect(await removeMisdirected(server, { cluster: FLEET_TEST_CLUSTER, nodes })).toEqual([]);
});

test('a node without a stream of its own reads the others, and reports what is missing', async () => {
  await using fleet = await knownFleet(2);
  const [first, second] = fleet.users;
  if (first === undefined || second === undefined) throw new Error('there are two');
  await using administrator = await fleet.connect(fleet.administrator);
  const manager = await jetstreamManager(administrator);
  await manager.streams.delete(stateStreamOf(FLEET_TEST_CLUSTER, second.key.nodeId));
  await using one = node(fleet, first);
  one.node.open('a');
  await using other = node(fleet, second);
  await other.until(() => other.node.connectionsOf(one.node.id).length === 1);
  expect(troubleOf(other)).toMatchObject({
    code: 'fleet-no-stream',
    problem: expect.stringContaining(second.key.nodeId),
  });
});

test('it floods, is dropped past its rate and named, and the others are read as before', async () => {
  await using fleet = await knownFleet(3);
  const [stolen, first, second] = fleet.users;
  if (stolen === undefined || first === undefined || second === undefined) throw new Error('there are three');
  await using one = node(fleet, first);
  await using other = node(fleet, second);
  await other.until(() => other.fleet.members.has(one.node.id));
  await using attacker = await fleet.connect(stolen);
  const subject = new FleetSubjects(FLEET_TEST_CLUSTER, stolen.key.nodeId).ownReading('memory');
  for (let count = 0; count < 20_000; count += 1) attacker.publish(subject, 'x');
  attacker.publish(`${subject}\u001b[2J`, 'x');
  one.node.reportMemory(7);
  await other.until(() => other.node.memoryOf(one.node.id)?.availableBytes === 7);
  await other.until(() => other.fleet.counts.dropped > 10_000);
  expect(troubleOf(other)).toMatchObject({ code: 'fleet-misuse', nodeId: stolen.key.nodeId });
  await other.until(() => other.fleet.counts.leftOut === 1);
});
