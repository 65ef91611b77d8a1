// Daemons that join a cluster and leave it while they run, over HTTP as the commands ask them.

import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock/system-clock.ts';
import type { NodeId } from '../../../src/core/ids.ts';
import { startDaemon } from '../../../src/daemon/daemon.ts';
import type { Daemon, MeshOptions } from '../../../src/daemon/daemon-options.ts';
import { makeClusterKey } from '../../../src/mesh/key/cluster-key.ts';
import {
  clusterKeyPath,
  createClusterKeyFile,
  replaceClusterKeyFile,
} from '../../../src/mesh/key/key-file.ts';
import { madeUpProcess } from '../../support/made-up-process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { until } from '../../support/until.ts';

test('a daemon joins by a code, sees the other, leaves, and joins again, without a restart', async ({
  signal,
}) => {
  using folder = temporaryDirectory();
  const key = makeClusterKey();
  const atlas = await homeIn(folder.path, 'atlas');
  const juno = await homeIn(folder.path, 'juno');
  await createClusterKeyFile(clusterKeyPath(atlas), key);
  await using a = await started(atlas, 'atlas');
  await using b = await started(juno, 'juno');
  expect(b.meshAddress).toBeUndefined();
  await b.whenFirstReadings(signal);
  const [reportedOnce] = absentReadings(b, b.nodeId);
  expect(reportedOnce).toBeDefined();
  expect(await post(b, 'leave')).toMatchObject({ status: 409, code: 'not-in-a-cluster' });
  expect(await post(b, 'join-code')).toMatchObject({ status: 409, code: 'not-in-a-cluster' });

  const given = await post(a, 'join-code');
  expect(given).toMatchObject({ status: 200, isLoopback: true, expiresInMs: 600_000 });
  const { code } = given;
  expect(await post(b, 'join', { code: `${code}1` })).toMatchObject({ status: 400, code: 'bad-join-code' });
  expect(await standingOf(a, given.id)).toMatchObject({ state: 'valid', triesLeft: 5 });
  expect(await post(b, 'join', { code })).toMatchObject({ status: 200, keyId: key.id });
  expect(await standingOf(a, given.id)).toMatchObject({ state: 'used' });
  expect(await standingOf(a, 'never-given')).toEqual({ state: 'expired', expiresInMs: 0, triesLeft: 0 });
  await until(() => b.state.nodeIdentities[a.nodeId] !== undefined, signal);
  await until(() => a.state.nodeIdentities[b.nodeId]?.value.friendlyName === 'juno', signal);
  // What it reported before it had any peers.
  const before = absentReadings(b, b.nodeId);
  await until(() => before.every(key => absentReadings(a, b.nodeId).includes(key)), signal);
  expect((await stat(clusterKeyPath(juno))).mode & 0o777).toBe(0o600);
  expect(await readFile(clusterKeyPath(juno))).toEqual(await readFile(clusterKeyPath(atlas)));
  expect(await post(b, 'join', { code })).toMatchObject({ status: 409, code: 'in-a-cluster' });

  expect(await post(b, 'leave')).toMatchObject({ status: 200, keyId: key.id });
  expect(b.meshAddress).toBeUndefined();
  await untilLinks(a, 0, signal);
  expect(await statusOf(b)).toMatchObject({ kind: 'off' });
  await expect(stat(clusterKeyPath(juno))).rejects.toMatchObject({ code: 'ENOENT' });
  expect(await post(b, 'join', { code })).toMatchObject({
    status: 409,
    code: 'join-refused',
    reason: 'used',
  });

  const { code: next } = await post(a, 'join-code');
  expect(await post(b, 'join', { code: next })).toMatchObject({ status: 200 });
  await until(() => b.state.nodeMemories[a.nodeId] !== undefined, signal);
  await untilLinks(a, 1, signal);
  expect(b.notices.map(({ code: reported }) => reported)).toEqual([]);
});

test('a daemon takes up a key that is written while it runs, and closes nothing for one that is damaged', async ({
  signal,
}) => {
  using folder = temporaryDirectory();
  const home = await homeIn(folder.path, 'atlas');
  await using daemon = await started(home, 'atlas');
  await writeFile(clusterKeyPath(home), 'no key\n', { mode: 0o600 });
  await until(() => daemon.notices.some(({ code }) => code === 'mesh-not-opened'), signal);
  expect(await post(daemon, 'join', { code: 'plimsoll-join-1-a@b' })).toMatchObject({ status: 400 });
  await replaceClusterKeyFile(clusterKeyPath(home), makeClusterKey());
  await until(() => daemon.meshAddress !== undefined, signal);
  expect(daemon.notices).toEqual([]);
  expect(await post(daemon, 'join-code')).toMatchObject({ status: 200 });
});

test('a code leads nowhere where nobody who gave it listens, and the home stays as it was', async () => {
  using folder = temporaryDirectory();
  const [atlas, juno] = [await homeIn(folder.path, 'atlas'), await homeIn(folder.path, 'juno')];
  await createClusterKeyFile(clusterKeyPath(atlas), makeClusterKey());
  const a = await started(atlas, 'atlas');
  await using b = await started(juno, 'juno');
  const { code } = await post(a, 'join-code');
  await a[Symbol.asyncDispose]();
  expect(await post(b, 'join', { code })).toMatchObject({
    status: 502,
    code: 'join-failed',
    reason: 'unreachable',
  });
  await expect(stat(clusterKeyPath(juno))).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(stat(join(juno, 'joined-peers.json'))).rejects.toMatchObject({ code: 'ENOENT' });
});

test('a daemon whose mesh cannot open does not report that it joined, and leaves with a key that is damaged', async () => {
  using folder = temporaryDirectory();
  const [atlas, juno] = [await homeIn(folder.path, 'atlas'), await homeIn(folder.path, 'juno')];
  await createClusterKeyFile(clusterKeyPath(atlas), makeClusterKey());
  await using a = await started(atlas, 'atlas');
  const listen = { host: '127.0.0.1', port: a.meshAddress?.port ?? 0 };
  await using b = await started(juno, 'juno', { keyFile: undefined, listen, peers: [] });
  const { code } = await post(a, 'join-code');
  // The whole line, as the other machine printed it.
  const joining = madeUpProcess(['join', `./plimsoll join ${code}`, '--home', juno]);
  expect(await joining.run()).toBe(9);
  expect(joining.stderr.text).toContain('its mesh does not open');
  expect(b.notices.map(({ code: reported }) => reported)).toContain('mesh-not-opened');
  await writeFile(clusterKeyPath(juno), 'no key\n');
  const leaving = madeUpProcess(['leave', '--home', juno]);
  expect(await leaving.run()).toBe(0);
  expect(leaving.stdout.text).toMatch(/^Left the cluster\. /);
});

test('a daemon without a mesh, or with the key of a file elsewhere, reports it', async () => {
  using folder = temporaryDirectory();
  const [atlas, juno] = [await homeIn(folder.path, 'atlas'), await homeIn(folder.path, 'juno')];
  await using off = await started(atlas, 'atlas', { keyFile: undefined, listen: 'off', peers: [] });
  expect(await post(off, 'join', { code: 'x' })).toMatchObject({ status: 503, code: 'no-mesh' });
  const keyFile = join(folder.path, 'key');
  await createClusterKeyFile(keyFile, makeClusterKey());
  await using reported = await started(juno, 'juno', { keyFile, listen: LOOPBACK, peers: [] });
  expect(await post(reported, 'leave')).toMatchObject({ status: 409, code: 'key-elsewhere' });
});

const LOOPBACK = { host: '127.0.0.1', port: 0 };

const homeIn = async (folder: string, name: string): Promise<string> => {
  const home = join(folder, name);
  await mkdir(home, { mode: 0o700 });
  return home;
};

/** By the URL of the daemon. */
const homes = new Map<string, string>();

const started = async (
  home: string,
  name: string,
  mesh: MeshOptions = { keyFile: undefined, listen: LOOPBACK, peers: [] },
): Promise<Daemon> => {
  const daemon = await startDaemon(
    {
      home,
      env: process.env,
      http: LOOPBACK,
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
  homes.set(daemon.url, home);
  return daemon;
};

interface Answer {
  readonly status: number;
  /** To join, or of a refusal. */
  readonly code: string;
  /** Of a code that was given. */
  readonly id?: string;
}

const standingOf = async ({ url }: Daemon, id = ''): Promise<unknown> => {
  const token = (await readFile(join(homes.get(url) ?? '', 'token'), 'utf8')).trim();
  const headers = { authorization: `Bearer ${token}` };
  return await (await fetch(`${url}/api/mesh/join-code?id=${id}`, { headers })).json();
};

const post = async (
  { url }: Daemon,
  what: 'join' | 'join-code' | 'leave',
  body?: unknown,
): Promise<Answer> => {
  const home = homes.get(url) ?? '';
  const token = (await readFile(join(home, 'token'), 'utf8')).trim();
  const answer = await fetch(`${url}/api/mesh/${what}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const reported: object = JSON.parse(await answer.text());
  return { code: '', ...reported, status: answer.status };
};

/** The keys of readings that a node reports as absent. It reports most of them only once. */
const absentReadings = ({ state }: Daemon, node: NodeId): readonly string[] =>
  Object.entries(state.readingStatuses[node] ?? {}).flatMap(([key, status]) =>
    status?.value.kind === 'absent' ? [key] : [],
  );

const statusOf = async ({ url }: Daemon): Promise<{ readonly kind: string; readonly linkCount?: number }> =>
  JSON.parse(await (await fetch(`${url}/api/mesh`)).text());

const untilLinks = async (daemon: Daemon, count: number, signal: AbortSignal): Promise<void> => {
  while ((await statusOf(daemon)).linkCount !== count) await systemClock.sleep(20, signal);
};
