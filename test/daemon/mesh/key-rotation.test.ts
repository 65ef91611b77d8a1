import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock/system-clock.ts';
import { hostPortText } from '../../../src/core/address/host-port.ts';
import { startDaemon } from '../../../src/daemon/daemon.ts';
import type { Daemon } from '../../../src/daemon/daemon-options.ts';
import { clusterKeyPath } from '../../../src/mesh/key/key-file.ts';
import { madeUpProcess } from '../../support/made-up-process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

describe('running daemons whose cluster changes its key', () => {
  let folder: ReturnType<typeof temporaryDirectory>;
  const daemons: Daemon[] = [];
  beforeEach(() => {
    folder = temporaryDirectory();
  });
  afterEach(async () => {
    for (const daemon of daemons.splice(0)) await daemon[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  const home = (name: string): string => join(folder.path, name);
  const key = async (name: string, args: readonly string[], input = ''): Promise<string> => {
    const command = madeUpProcess(['key', ...args, '--home', home(name)], { input });
    expect(await command.run(), command.stderr.text).toBe(0);
    return command.stdout.text;
  };
  const start = async (name: string, peers: readonly Daemon[] = []): Promise<Daemon> => {
    const daemon = await startDaemon(
      {
        home: home(name),
        env: process.env,
        http: { host: '127.0.0.1', port: 0 },
        name,
        mesh: {
          keyFile: undefined,
          listen: { host: '127.0.0.1', port: 0 },
          peers: peers.map(({ meshAddress }) => (meshAddress === undefined ? '' : hostPortText(meshAddress))),
        },
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
    daemons.push(daemon);
    return daemon;
  };

  it('go on receiving from each other through every step, and close their links to one that kept the old key', async () => {
    await key('atlas', ['new']);
    const first = await key('atlas', ['show']);
    for (const name of ['juno', 'vesta']) await key(name, ['import', '-'], first);
    const atlas = await start('atlas');
    const juno = await start('juno', [atlas]);
    const vesta = await start('vesta', [atlas]);
    for (const other of [juno, vesta]) await receivesMore(atlas, other);

    await key('atlas', ['rotate']);
    await receivesMore(atlas, juno);
    await receivesMore(vesta, atlas);
    await key('juno', ['import', '--rotate', '-'], await key('atlas', ['show']));
    await receivesMore(atlas, juno);
    await key('atlas', ['drop-old']);
    await until(() => vesta.notices.some(({ code }) => code === 'no-link'));
    await receivesMore(juno, atlas);
    await key('juno', ['drop-old']);
    await receivesMore(atlas, juno);
    const silentAt = seqOf(atlas, vesta);
    await receivesMore(atlas, juno);
    expect(seqOf(atlas, vesta), 'not heard any more').toBe(silentAt);

    await key('vesta', ['import', '--replace', '-'], await key('juno', ['show']));
    await receivesMore(atlas, vesta);
    await until(() => !vesta.notices.some(({ code }) => code === 'no-link'));
  });

  it('reports it when its key file is gone, and goes on with the key that it has read', async () => {
    await key('atlas', ['new']);
    await key('juno', ['import', '-'], await key('atlas', ['show']));
    const kept = await key('atlas', ['show']);
    const atlas = await start('atlas');
    const juno = await start('juno', [atlas]);
    await rm(clusterKeyPath(home('atlas')));
    await until(() => atlas.notices.some(({ code }) => code === 'key-file-gone'));
    await receivesMore(atlas, juno);
    await key('atlas', ['import', '-'], kept);
    await until(() => !atlas.notices.some(({ code }) => code === 'key-file-gone'));
  });
});

const seqOf = (one: Daemon, other: Daemon): number => one.state.nodeMemories[other.nodeId]?.seq ?? 0;

/** Until a reading comes that is newer than the newest at this moment. */
const receivesMore = async (one: Daemon, other: Daemon): Promise<void> => {
  const before = seqOf(one, other);
  await until(() => seqOf(one, other) > before);
};

/** State has no event for "this holds now": looked at after each turn, within the test's own limit. */
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await systemClock.sleep(10, new AbortController().signal);
};
