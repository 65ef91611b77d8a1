// Daemons in this process, on a port of loopback: a simulated cluster of four with all common situations, and a real
// one that reads this machine.

import type { Clock } from '../../src/clock/clock.ts';
import { systemClock } from '../../src/clock/system-clock.ts';
import { homeFiles } from '../../src/config/home.ts';
import { startDaemon } from '../../src/daemon/daemon.ts';
import { readDaemonFile } from '../../src/daemon/daemon-file.ts';
import type { Daemon } from '../../src/daemon/daemon-options.ts';
import { startDemo } from '../../src/daemon/demo/start-demo.ts';
import { scenarioOfSize } from '../../src/simulate/scenario/scenario-of-size.ts';
import { temporaryDirectory } from './temporary-directory.ts';

export interface LiveDaemon extends AsyncDisposable {
  readonly daemon: Daemon;
  readonly home: string;
  readonly token: string;
}

export const liveDemo = async ({
  size = 8,
  clock = COMMON.clock,
}: {
  readonly size?: number;
  readonly clock?: Clock;
} = {}): Promise<LiveDaemon> => {
  const folder = temporaryDirectory();
  const demo = await startDemo(
    { ...COMMON, clock, scenario: scenarioOfSize(size), seed: 7, temporaryFolder: folder.path },
    new AbortController().signal,
  );
  return lived(demo.daemon, demo.home, async () => {
    await demo[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });
};

export const liveDaemon = async (): Promise<LiveDaemon> => {
  const folder = temporaryDirectory();
  const home = `${folder.path}/home`;
  const mesh = { keyFile: undefined, listen: 'off', peers: [] } as const;
  const daemon = await startDaemon({ ...COMMON, home, mesh }, new AbortController().signal);
  await daemon.whenFirstReadings(AbortSignal.timeout(30_000));
  return lived(daemon, home, async () => {
    await daemon[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });
};

const lived = async (daemon: Daemon, home: string, end: () => Promise<void>): Promise<LiveDaemon> => {
  const found = await readDaemonFile(homeFiles(home).daemon);
  if (found.kind !== 'found') throw new Error('the daemon wrote no daemon.json');
  return { daemon, home, token: found.file.token, [Symbol.asyncDispose]: end };
};

const COMMON = {
  env: process.env,
  http: { host: '127.0.0.1', port: 0 },
  name: undefined,
  clock: systemClock,
  platform: process.platform,
  root: '/',
  version: '0.0.0-test',
  dashboardDir: undefined,
  pid: process.pid,
  resources: () => ({ cpuSeconds: 0, residentBytes: 0 }),
  onNotice: () => undefined,
};
