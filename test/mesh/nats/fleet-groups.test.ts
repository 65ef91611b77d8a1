import { createUser } from '@nats-io/nkeys';
import { connect } from '@nats-io/transport-node';
import { expect, test } from 'vitest';
import { isRunId } from '../../../src/core/ids.ts';
import type { RunProgress } from '../../../src/core/run/run.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { generateNodeKey } from '../../../src/daemon/node-key.ts';
import { makeClusterKey } from '../../../src/mesh/key/cluster-key.ts';
import { fleetGroup } from '../../../src/mesh/nats/fleet-subjects.ts';
import { permissionsOf } from '../../../src/mesh/nats/server-files.ts';
import { isLongRun } from '../../support/counts.ts';
import { FLEET_TEST_CLUSTER, fleetNode } from '../../support/fleet-nodes.ts';
import { NatsServer, NO_NATS_SERVER, natsProgram } from '../../support/nats-server.ts';
import { madeUpFigures } from '../../support/run-entry.ts';

const KEYS = [makeClusterKey()];
const RUN = 'run-of-groups';
const rack = (name: string) => () => fleetGroup({ site: 'greenwich', rack: name });

test('readings go to the rack of their node, runs to everybody, and who subscribes to one rack receives the others now and then', async context => {
  if (natsProgram() === undefined) context.skip(NO_NATS_SERVER);
  await using server = await NatsServer.start();
  await server.createStreams();
  await using seen = await seenSubjects(server);
  const servers = [server.url];
  await using near = fleetNode({ keys: KEYS, servers, group: rack('r 1'), subscriptions: 'group' });
  await using same = fleetNode({ keys: KEYS, servers, group: rack('r 1') });
  await using other = fleetNode({ keys: KEYS, servers, group: rack('r2') });
  for (const node of [same, other]) await node.until(() => node.fleet.members.hasOfGroups);
  await near.until(() => near.fleet.members.size === 2);
  same.node.reportMemory(1);
  other.node.reportMemory(2);
  other.node.record({ kind: 'progress.reported', payload: progressOf(RUN) });
  await near.until(() => near.node.memoryOf(same.node.id)?.availableBytes === 1);
  await near.until(() => near.node.cluster.state.runProgress[other.node.id]?.[RUN] !== undefined);
  await same.until(() => same.node.memoryOf(other.node.id)?.availableBytes === 2);
  expect(seen.subjects).toContain(`reading.${same.node.id}.memory.greenwich.r_1`);
  expect(seen.subjects).toContain(`reading.${other.node.id}.memory.greenwich.r2`);
  expect(seen.subjects).toContain(`run.${RUN}.${other.node.id}.progress`);
  expect(seen.subjects).not.toContain(`reading.${other.node.id}.memory`);
  if (!isLongRun) return;
  await near.until(() => near.node.memoryOf(other.node.id)?.availableBytes === 2);
  expect(seen.subjects).toContain(`slow.${other.node.id}`);
});

test('with a node without groups every node receives from every node, until it is gone', async context => {
  if (natsProgram() === undefined) context.skip(NO_NATS_SERVER);
  const [oldKey, oldUser] = [generateNodeKey(), createUser()];
  const users = [
    '{ user: any, password: any }',
    `{ nkey: ${oldUser.getPublicKey()}, permissions: ${JSON.stringify(permissionsBeforeGroups(oldKey.nodeId))} }`,
  ];
  await using server = await NatsServer.start();
  await server.createStreams();
  server.configure({ config: `authorization { users: [${users.join(', ')}] }\nno_auth_user: any` });
  await server.kill();
  await server.run();
  const servers = [server.url];
  await using near = fleetNode({ keys: KEYS, servers, group: rack('r1'), subscriptions: 'group' });
  await using other = fleetNode({ keys: KEYS, servers, group: rack('r2') });
  {
    await using old = fleetNode({
      keys: KEYS,
      servers,
      key: oldKey,
      credentials: new TextDecoder().decode(oldUser.getSeed()),
      group: rack('r1'),
    });
    for (const node of [near, other]) await node.until(() => node.fleet.members.hasEarlier);
    await old.until(() => old.fleet.members.size === 2);
    old.node.reportMemory(3);
    other.node.reportMemory(4);
    await near.until(() => near.node.memoryOf(old.node.id)?.availableBytes === 3);
    await other.until(() => other.node.memoryOf(old.node.id)?.availableBytes === 3);
    await old.until(() => old.node.memoryOf(other.node.id)?.availableBytes === 4);
    expect(old.fleet.counts.refused).toBeGreaterThan(0);
    await near.until(() => near.node.memoryOf(other.node.id)?.availableBytes === 4);
  }
  if (!isLongRun) return;
  await near.until(() => !near.fleet.members.hasEarlier);
});

const progressOf = (text: string): RunProgress => {
  if (!isRunId(text)) throw new RangeError(text);
  return {
    runId: text,
    phase: 'measuring',
    elapsedMs: 1,
    measuredMs: 1,
    figures: madeUpFigures(),
    recent: { requestsPerSecond: 8, outputTokensPerSecond: 900 },
    contentArrived: { chunks: 12, tokensPerChunk: 1 },
    agents: unknown('one machine makes the load'),
    updatesDropped: 0,
  };
};

/** What `fleet add` wrote before there were groups. */
const permissionsBeforeGroups = (node: ReturnType<typeof generateNodeKey>['nodeId']) => {
  const { publish, subscribe } = permissionsOf({ cluster: FLEET_TEST_CLUSTER, stateBy: undefined }, node);
  const root = `plimsoll.v1.${FLEET_TEST_CLUSTER}`;
  const isNew = (subject: string) => /\.(run|slow)\.|STREAM\.NAMES|DIRECT\.GET/.test(subject);
  const earlier = (subject: string) =>
    subject === `${root}.reading.>`
      ? `${root}.reading.*.*`
      : subject.replace(`.reading.${node}.>`, `.reading.${node}.*`);
  return {
    publish: { allow: publish.filter(subject => !isNew(subject)).map(earlier) },
    subscribe: { allow: subscribe.filter(subject => !isNew(subject)).map(earlier) },
  };
};

/** Of all messages, behind the name of the cluster. */
const seenSubjects = async (server: NatsServer) => {
  const root = `plimsoll.v1.${FLEET_TEST_CLUSTER}.`;
  const connection = await connect({ servers: `127.0.0.1:${server.port}` });
  const subjects = new Set<string>();
  connection.subscribe(`${root}>`, {
    callback: (_, { subject }) => void subjects.add(subject.slice(root.length)),
  });
  await connection.flush();
  return { subjects, [Symbol.asyncDispose]: () => connection.close() };
};
