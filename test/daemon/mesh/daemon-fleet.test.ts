import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock/system-clock.ts';
import { clusterDaemon } from '../../support/cluster-daemon.ts';
import { isLongRun } from '../../support/counts.ts';
import { NatsServer, NO_NATS_SERVER, natsProgram } from '../../support/nats-server.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

test('daemons that know only the server of a fleet show each other everything, and again when it was killed', async context => {
  if (natsProgram() === undefined) context.skip(NO_NATS_SERVER);
  await using server = await NatsServer.start();
  using folder = temporaryDirectory();
  await using a = await clusterDaemon(join(folder.path, 'a'), 'atlas', '', { fleet: server });
  await using b = await clusterDaemon(join(folder.path, 'b'), 'juno', '', { fleet: server });
  await untilTrue(() =>
    [a, b].every(
      ({ state }) =>
        state.nodeMemories[a.nodeId] !== undefined &&
        state.nodeMemories[b.nodeId] !== undefined &&
        state.nodeIdentities[b.nodeId]?.value.friendlyName === 'juno',
    ),
  );
  const { url } = a;
  const status: unknown = await (await fetch(`${url}/api/mesh`)).json();
  expect(status).toMatchObject({ linkCount: 0, replication: { forged: 0, malformedFrames: 0 } });
  if (!isLongRun) return; // fleet-failures.test.ts kills servers of nodes without a daemon
  await server.kill();
  await untilTrue(() => a.notices.some(({ code }) => code === 'fleet-down'));
  const before = a.state.nodeMemories[b.nodeId]?.seq ?? 0;
  await server.run();
  await untilTrue(() => (a.state.nodeMemories[b.nodeId]?.seq ?? 0) > before);
  expect(a.notices).toEqual([]);
});

test('a server beyond this machine without TLS is not connected to, unless that is allowed', async () => {
  using folder = temporaryDirectory();
  const home = join(folder.path, 'a');
  await using daemon = await clusterDaemon(home, 'atlas', '[fleet]\nservers = ["nats://192.0.2.1:4222"]\n');
  expect(daemon.notices).toMatchObject([{ code: 'fleet-down', reason: 'fleet-not-encrypted' }]);
});

test('credentials that cannot be read are a notice, and nothing else waits for them', async () => {
  using folder = temporaryDirectory();
  const config = '[fleet]\nservers = ["nats://127.0.0.1:1"]\ncredentials = "fleet.nkey"\n';
  await using daemon = await clusterDaemon(join(folder.path, 'a'), 'atlas', config);
  expect(daemon.notices).toMatchObject([{ code: 'fleet-down', reason: 'fleet-credentials' }]);
  await untilTrue(() => daemon.state.nodeMemories[daemon.nodeId] !== undefined);
});

/** State has no event for "this holds now": looked at after each turn, within the test's own limit. */
const untilTrue = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await systemClock.sleep(10, new AbortController().signal);
};
