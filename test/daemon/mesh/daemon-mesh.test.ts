import { mkdir, mkdtemp, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock/system-clock.ts';
import { hostPortText } from '../../../src/core/address/host-port.ts';
import { newestLiveOf } from '../../../src/core/node/presence-view.ts';
import type { State } from '../../../src/core/state.ts';
import { startDaemon } from '../../../src/daemon/daemon.ts';
import type { Daemon, MeshOptions } from '../../../src/daemon/daemon-options.ts';
import { clusterKeyText, makeClusterKey } from '../../../src/mesh/key/cluster-key.ts';
import { clusterKeyPath, createClusterKeyFile } from '../../../src/mesh/key/key-file.ts';

const KEY = makeClusterKey();

describe('daemons with one cluster key', () => {
  it('show each other everything, identity and live readings, and again after a restart', async () => {
    await using homes = await temporaryHomes(2);
    const [first, second] = homes.paths;
    await using a = await started(first, { name: 'atlas' });
    await using b = await started(second, { name: 'juno', peers: [addressOf(a)] });
    for (const daemon of [a, b]) {
      await until(daemon, state => state.nodeMemories[a.nodeId] !== undefined);
      await until(daemon, state => state.nodeIdentities[b.nodeId]?.value.friendlyName === 'juno');
    }
    expect(a.state.nodeIdentities[a.nodeId]?.value.friendlyName).toBe('atlas');
    await b[Symbol.asyncDispose]();
    await using again = await started(second, { name: 'juno', peers: [addressOf(a)] });
    expect(again.nodeId).toBe(b.nodeId);
    expect(again.state.nodeIdentities[a.nodeId]?.value.friendlyName, 'kept in the journal').toBe('atlas');
    const start = again.state.nodeMemories[b.nodeId]?.epoch ?? 0;
    await until(a, state => (state.nodeMemories[b.nodeId]?.epoch ?? 0) >= start && start > 0);
  });

  it('receive the first messages of a peer that they dial while they start', async () => {
    await using homes = await temporaryHomes(2);
    const [first, second] = homes.paths;
    await using a = await started(first, { name: 'atlas' });
    await using b = await started(second, { name: 'juno', peers: [addressOf(a)] });
    const seen = new Set<number>();
    // Enough frames to close a link, if each of them came from a peer that has not sent a hello.
    await until(b, state => seen.add(newestLiveOf(state, a.nodeId)?.seq ?? 0).size > 10);
    await until(a, ({ nodeMemories }) => nodeMemories[b.nodeId] !== undefined);
    for (const { url } of [a, b]) {
      const status: unknown = await (await fetch(`${url}/api/mesh`)).json();
      expect(status).toMatchObject({ linkCount: 1, replication: { malformedFrames: 0 } });
    }
  });

  it('pass on what a third node reported to them', async () => {
    await using homes = await temporaryHomes(3);
    const [first, second, third] = homes.paths;
    await using middle = await started(first, { name: 'middle' });
    await using left = await started(second, { name: 'left', peers: [addressOf(middle)] });
    await using right = await started(third, { name: 'right', peers: [addressOf(middle)] });
    await until(left, state => state.nodeIdentities[right.nodeId] !== undefined);
    await until(right, state => state.nodeMemories[left.nodeId] !== undefined);
    const status: unknown = await (await fetch(`${middle.url}/api/mesh`)).json();
    expect(status).toMatchObject({ kind: 'on', linkCount: 2, replication: { forged: 0 } });
    const metrics = await (await fetch(`${middle.url}/metrics`)).text();
    expect(metrics).toContain('plimsoll_mesh_links 2\n');
    expect(metrics).toContain('plimsoll_mesh_replication_total{what="forged"} 0\n');
    for (let hashes = new Set<string>(); hashes.size !== 1; )
      hashes = new Set(await Promise.all([left, middle, right].map(meshHash)));
  });

  it('take over from a peer whose journal was deleted: a new epoch of the same node', async () => {
    await using homes = await temporaryHomes(2);
    const [first, second] = homes.paths;
    await using a = await started(first, { name: 'atlas' });
    const b = await started(second, { name: 'juno', peers: [addressOf(a)] });
    await until(a, state => state.nodeIdentities[b.nodeId] !== undefined);
    const epoch = a.state.nodeIdentities[b.nodeId]?.epoch ?? 0;
    await b[Symbol.asyncDispose]();
    for (const suffix of ['', '-wal', '-shm'])
      await unlink(join(second, `journal.sqlite${suffix}`)).catch(missing);
    await using renamed = await started(second, { name: 'renamed', peers: [addressOf(a)] });
    expect(renamed.nodeId).toBe(b.nodeId);
    await until(a, state => state.nodeIdentities[b.nodeId]?.value.friendlyName === 'renamed');
    expect(a.state.nodeIdentities[b.nodeId]?.epoch).toBeGreaterThan(epoch);
  });
});

describe('a daemon', () => {
  it('without a cluster key opens no mesh', async () => {
    await using homes = await temporaryHomes(1);
    const [home] = homes.paths;
    await using daemon = await started(home, { hasKey: false });
    expect(daemon.meshAddress).toBeUndefined();
    expect(daemon.notices).toEqual([]);
  });

  it('without a cluster key report that the configured peers are not contacted', async () => {
    await using homes = await temporaryHomes(1);
    const [home] = homes.paths;
    await using daemon = await started(home, { hasKey: false, peers: ['atlas.local'] });
    expect(daemon.notices).toMatchObject([{ code: 'no-cluster-key' }]);
  });

  it('with another key learns nothing and is ignored, and reports it', async () => {
    await using homes = await temporaryHomes(2);
    const [first, second] = homes.paths;
    await using a = await started(first, { name: 'atlas' });
    await createClusterKeyFile(clusterKeyPath(second), makeClusterKey());
    await using stranger = await started(second, { hasKey: false, peers: [addressOf(a)] });
    await untilTrue(() => stranger.notices.some(({ code }) => code === 'no-link'));
    expect(stranger.state.nodeIdentities[a.nodeId]).toBeUndefined();
    expect(a.state.nodeIdentities[stranger.nodeId]).toBeUndefined();
  });

  it('refuses a key file that holds no key, and one that is not there, naming what to do', async () => {
    await using homes = await temporaryHomes(1);
    const [home] = homes.paths;
    const mesh = { keyFile: join(home, 'no-key'), listen: undefined, peers: [] };
    await expect(startedWith(home, 'atlas', mesh)).rejects.toMatchObject({
      code: 'home-unusable',
      message: expect.stringContaining('plimsoll key new'),
    });
    await writeFile(join(home, 'no-key'), `${clusterKeyText(KEY)}x\n`);
    await expect(startedWith(home, 'atlas', mesh)).rejects.toMatchObject({ code: 'home-unusable' });
  });

  it('starts with a peer that cannot be read, and reports which', async () => {
    await using homes = await temporaryHomes(1);
    const [home] = homes.paths;
    await using daemon = await started(home, { peers: ['not a peer!'] });
    expect(daemon.notices).toMatchObject([{ code: 'peer-unreadable', peer: 'not a peer!' }]);
  });
});

interface Start {
  readonly name?: string;
  readonly peers?: readonly string[];
  readonly hasKey?: boolean;
}

const started = async (
  home: string,
  { name = 'node', peers = [], hasKey = true }: Start,
): Promise<Daemon> => {
  if (hasKey) await createClusterKeyFile(clusterKeyPath(home), KEY);
  return await startedWith(home, name, { keyFile: undefined, listen: { host: '127.0.0.1', port: 0 }, peers });
};

const startedWith = (home: string, name: string, mesh: MeshOptions): Promise<Daemon> =>
  startDaemon(
    {
      home,
      env: process.env,
      http: { host: '127.0.0.1', port: 0 },
      name,
      mesh,
      clock: systemClock,
      platform: process.platform,
      root: '/',
      version: '0.0.0',
      dashboardDir: undefined,
      pid: process.pid,
      resources: () => ({ cpuSeconds: 0, residentBytes: 0 }),
      onNotice: () => undefined,
    },
    new AbortController().signal,
  );

const meshHash = async ({ url }: Daemon): Promise<string> => {
  const { hash }: { hash: string } = JSON.parse(await (await fetch(`${url}/api/mesh/hash`)).text());
  return hash;
};

const addressOf = ({ meshAddress }: Daemon): string => {
  if (meshAddress === undefined) throw new Error('the daemon has no mesh');
  return hostPortText(meshAddress);
};

const until = (daemon: Daemon, holds: (state: State) => boolean): Promise<void> =>
  untilTrue(() => holds(daemon.state));

/** State has no event for "this holds now": looked at after each turn, within the test's own limit. */
const untilTrue = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await systemClock.sleep(10, new AbortController().signal);
};

const missing = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'ENOENT') throw error;
};

const temporaryHomes = async (
  count: 1 | 2 | 3,
): Promise<{ readonly paths: readonly [string, string, string] } & AsyncDisposable> => {
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-mesh-'));
  const paths = ['a', 'b', 'c'].slice(0, count).map(name => join(folder, name));
  const [first = '', second = '', third = ''] = paths;
  for (const path of paths) await mkdir(path, { mode: 0o700 });
  return {
    paths: [first, second, third],
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
};
