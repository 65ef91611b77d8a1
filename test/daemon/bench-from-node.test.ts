// `plimsoll bench --from NODE` with real daemons: asked over the mesh, and over the server of a fleet where there is no mesh between
// them.

import { join } from 'node:path';
import { describe, expect, type TestContext, test } from 'vitest';
import { hostPortText } from '../../src/core/address/host-port.ts';
import type { Daemon } from '../../src/daemon/daemon-options.ts';
import { startMock } from '../../src/mock/mock-server.ts';
import { benchHere } from '../integration/bench/bench-here.ts';
import { clusterDaemon } from '../support/cluster-daemon.ts';
import { isLongRun } from '../support/counts.ts';
import { NatsServer, NO_NATS_SERVER, natsProgram } from '../support/nats-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

/** Processes of its own, but no probes. */
const LENDING = { probes: { nodePath: process.execPath, mode: 'off' } } as const;

const needLongRun = (context: TestContext): void => {
  if (!isLongRun) context.skip('two daemons and a whole run: in the long run');
};

const willing = (target: string): string =>
  `[bench]\nagent = true\ntargets = ["${new URL(target).origin}"]\n`;

/** And has received an event from it: what the server of a fleet stores of a node does not show whether it is up. */
const hasNode = ({ state }: Daemon, { nodeId }: Daemon): boolean =>
  state.nodeIdentities[nodeId] !== undefined &&
  state.nodeNetworks[nodeId] !== undefined &&
  state.nodeMemories[nodeId] !== undefined;

/** A run from juno, coordinated at the daemon of that folder. */
const benchFromJuno = async (folder: string, url: string): Promise<void> => {
  const load = ['--requests', '20', '--rate', '50', '--from', 'juno'];
  const { exit, stderr, report } = await benchHere(folder, [url, ...load]);
  expect(stderr).toBe('');
  expect(exit).toBe('ok');
  expect(report()).toMatchObject({
    complete: true,
    counts: { completed: 20 },
    run: { from: ['juno'] },
    agents: [{ name: 'juno', state: 'complete' }],
  });
};

describe('a run from a node of the cluster', { timeout: 120_000 }, () => {
  test('is asked for over the mesh', async context => {
    needLongRun(context);
    using folder = temporaryDirectory();
    await using mock = await startMock({ ttftMs: 2, gapMs: 1, outputTokens: 3 });
    await using juno = await clusterDaemon(join(folder.path, 'juno'), 'juno', willing(mock.url), LENDING);
    if (juno.meshAddress === undefined) throw new Error('juno has no mesh');
    const peers = [hostPortText(juno.meshAddress)];
    await using atlas = await clusterDaemon(join(folder.path, 'home'), 'atlas', '', { ...LENDING, peers });
    await until(() => hasNode(atlas, juno), context.signal);
    await benchFromJuno(folder.path, mock.url);
  });

  test('is asked for over the server of a fleet, and its samples go from node to node', async context => {
    needLongRun(context);
    if (natsProgram() === undefined) context.skip(NO_NATS_SERVER);
    await using server = await NatsServer.start();
    using folder = temporaryDirectory();
    await using mock = await startMock({ ttftMs: 2, gapMs: 1, outputTokens: 3 });
    const inFleet = { ...LENDING, fleet: server };
    await using juno = await clusterDaemon(join(folder.path, 'juno'), 'juno', willing(mock.url), inFleet);
    await using atlas = await clusterDaemon(join(folder.path, 'home'), 'atlas', '', inFleet);
    await until(() => hasNode(atlas, juno), context.signal);
    await benchFromJuno(folder.path, mock.url);
  });
});
