// Leaving at the moments at which a mesh is neither quite open nor quite there.

import { unlinkSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock/system-clock.ts';
import { Lifetimes } from '../../../src/daemon/lifetimes.ts';
import { openOwnNode } from '../../../src/daemon/local-node.ts';
import { Membership } from '../../../src/daemon/mesh/membership.ts';
import { Notices } from '../../../src/daemon/notices.ts';
import { makeClusterKey } from '../../../src/mesh/key/cluster-key.ts';
import { clusterKeyPath, createClusterKeyFile } from '../../../src/mesh/key/key-file.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { until } from '../../support/until.ts';

test('a node that leaves while its mesh opens is in no cluster afterwards', async () => {
  using folder = temporaryDirectory();
  const home = join(folder.path, 'home');
  await using lifetimes = new Lifetimes();
  let left: Promise<void> | undefined;
  const begun = Promise.withResolvers<void>();
  const membership: Membership = await opened(home, lifetimes, () => {
    if (left !== undefined) return;
    // The key has been read and the mesh listens, and nobody holds it yet.
    unlinkSync(clusterKeyPath(home));
    left = membership.leave();
    begun.resolve();
  });
  await using _running = run(membership);
  await createClusterKeyFile(clusterKeyPath(home), makeClusterKey());
  await membership.look();
  await begun.promise;
  await left;
  expect(membership.mesh).toBeUndefined();
  expect(membership.status()).toMatchObject({ kind: 'off' });
});

test('a node that leaves before its mesh runs does not stay in it', async ({ signal }) => {
  using folder = temporaryDirectory();
  const home = join(folder.path, 'home');
  await using lifetimes = new Lifetimes();
  const before = await openOwnNode(optionsOf(home), lifetimes);
  await createClusterKeyFile(clusterKeyPath(home), makeClusterKey());
  const membership = await membershipOf(home, before, before.notices);
  expect(membership.mesh).toBeDefined();
  await unlink(clusterKeyPath(home));
  await membership.leave();
  await using _running = run(membership);
  await until(() => membership.mesh === undefined, signal);
});

/** In no cluster yet; `onOpened` is called when a mesh has been opened and is about to be held. */
const opened = async (home: string, lifetimes: Lifetimes, onOpened: () => void): Promise<Membership> => {
  class ReportedState extends Notices {
    override clear(id: string): void {
      super.clear(id);
      if (id === 'no-cluster-key') onOpened();
    }
  }
  const node = await openOwnNode(optionsOf(home), lifetimes);
  return await membershipOf(home, node, new ReportedState(() => undefined));
};

const membershipOf = (
  home: string,
  node: Awaited<ReturnType<typeof openOwnNode>>,
  notices: Notices,
): Promise<Membership> =>
  Membership.open({
    ...node,
    notices,
    clock: systemClock,
    plimsollVersion: '0.0.0',
    home,
    keyFile: undefined,
    listen: { host: '127.0.0.1', port: 0, isExplicit: true },
    peers: [],
    discovery: { kind: 'off' },
    ignoredInterfaces: [],
    fleet: undefined,
    isChosen: () => true,
  });

const run = (membership: Membership): AsyncDisposable => {
  const stop = new AbortController();
  const running = Promise.all([membership.replicate(stop.signal), membership.run(stop.signal)]);
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await running;
      await membership[Symbol.asyncDispose]();
    },
  };
};

const optionsOf = (home: string): Parameters<typeof openOwnNode>[0] => ({
  home,
  env: {},
  http: undefined,
  name: undefined,
  clock: systemClock,
  platform: process.platform,
  root: '/',
  version: '0.0.0',
  dashboardDir: undefined,
  pid: process.pid,
  resources: () => ({ cpuSeconds: 0, residentBytes: 0 }),
  onNotice: () => undefined,
});
