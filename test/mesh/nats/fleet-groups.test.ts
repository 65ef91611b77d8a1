import { createUser } from '@nats-io/nkeys';
import { connect } from '@nats-io/transport-node';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock/system-clock.ts';
import { isRunId, type NodeId } from '../../../src/core/ids.ts';
import type { RunProgress } from '../../../src/core/run/run.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { makeClusterKey } from '../../../src/mesh/key/cluster-key.ts';
import { examineFleet } from '../../../src/mesh/nats/examine-fleet.ts';
import { FleetSubjects, fleetGroup } from '../../../src/mesh/nats/fleet-subjects.ts';
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
  await using seen = await seenSubjects(server);
  const servers = [server.url];
  const added = async () => ({ keys: KEYS, servers, key: await server.addNode() });
  await using near = fleetNode({ ...(await added()), group: rack('r 1'), subscriptions: 'group' });
  await using same = fleetNode({ ...(await added()), group: rack('r 1') });
  await using other = fleetNode({ ...(await added()), group: rack('r2') });
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

test('a server that does not permit the subjects of racks and runs is reported, and used once it permits them', async context => {
  if (natsProgram() === undefined) context.skip(NO_NATS_SERVER);
  const user = createUser();
  const credentials = new TextDecoder().decode(user.getSeed());
  const users = (permissions: unknown) =>
    `authorization { users: [
       { user: any, password: any },
       { nkey: ${user.getPublicKey()}, permissions: ${JSON.stringify(permissions)} }
     ] }\nno_auth_user: any`;
  await using server = await NatsServer.start();
  const key = await server.addNode();
  server.configure({ config: users(permissionsWithoutGroups(key.nodeId)) });
  await server.kill();
  await server.run();
  const access = { servers: [server.url], credentials };
  const examined = await examineFleet({
    server: { ...access, caFile: undefined, isHandshakeFirst: false },
    node: key.nodeId,
    cluster: FLEET_TEST_CLUSTER,
    clock: systemClock,
  });
  const refused = examined.problems.map(problem => 'subject' in problem && problem.subject);
  const own = new FleetSubjects(FLEET_TEST_CLUSTER, key.nodeId);
  expect(refused).toEqual(
    expect.arrayContaining([
      ...own.received('all').filter(isOfGroups),
      own.ownSlow,
      own.ownGroupReading('trial'),
    ]),
  );
  expect(new Set(examined.problems.map(({ code }) => code))).toEqual(new Set(['fleet-permission']));
  await using node = fleetNode({ keys: KEYS, ...access, key });
  await node.until(() => node.fleet.standing.kind === 'failed');
  expect(node.fleet.standing).toMatchObject({
    problem: { code: 'fleet-permission', advice: expect.stringContaining('plimsoll fleet apply DIR') },
  });
  const { publish, subscribe } = permissionsOf(FLEET_TEST_CLUSTER, key.nodeId);
  server.configure({ config: users({ publish: { allow: publish }, subscribe: { allow: subscribe } }) });
  await server.reload();
  await node.until(() => node.fleet.standing.kind === 'connected');
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

/** Readings to all, and nothing by rack or run. */
const permissionsWithoutGroups = (node: NodeId) => {
  const { publish, subscribe } = permissionsOf(FLEET_TEST_CLUSTER, node);
  const narrowed = (subjects: readonly string[]) =>
    subjects
      .filter(subject => !isOfGroups(subject))
      .map(subject =>
        subject.replace(/\.reading\.>$/, '.reading.*.*').replace(`.reading.${node}.>`, `.reading.${node}.*`),
      );
  return { publish: { allow: narrowed(publish) }, subscribe: { allow: narrowed(subscribe) } };
};

const isOfGroups = (subject: string): boolean => /\.(run|slow)\.|\.reading\.\*\.\*\./.test(subject);

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
