// What every daemon of the network tests is started with: the real clock and machine, a free port, no page, and no probes
// unless the test is about them.

import { systemClock } from '../../src/clock/system-clock.ts';
import { startDaemon } from '../../src/daemon/daemon.ts';
import type { Daemon, DaemonOptions } from '../../src/daemon/daemon-options.ts';

export interface HostSettings {
  readonly home: string;
  /** Undefined: the key of the home. */
  readonly keyFile: string | undefined;
  readonly name: string;
  readonly peers?: readonly string[];
  /** Interfaces; none: the setting in config.toml. */
  readonly discovery?: readonly string[];
}

/** Runs until SIGTERM. */
export const daemonOnHost = async (
  { home, keyFile, name, peers = [], discovery = [] }: HostSettings,
  options: Partial<DaemonOptions> = {},
): Promise<{ readonly daemon: Daemon; readonly signal: AbortSignal }> => {
  const stop = new AbortController();
  process.once('SIGTERM', () => stop.abort());
  const daemon = await startDaemon(
    {
      home,
      name,
      env: process.env,
      http: { host: '127.0.0.1', port: 0 },
      mesh: {
        keyFile,
        listen: undefined,
        peers,
        ...(discovery.length === 0 ? {} : { discovery: { kind: 'interfaces', names: discovery } }),
      },
      clock: systemClock,
      platform: process.platform,
      root: '/',
      version: '0.0.0',
      dashboardDir: undefined,
      pid: process.pid,
      resources: () => ({ cpuSeconds: 0, residentBytes: 0 }),
      onNotice: () => undefined,
      ...options,
    },
    stop.signal,
  );
  return { daemon, signal: stop.signal };
};

/** A line on stdout each time that the report differs; until the daemon has ended. */
export const printChanges = async (
  { daemon, signal }: { readonly daemon: Daemon; readonly signal: AbortSignal },
  report: () => string,
  everyMs = 50,
): Promise<void> => {
  let reported = '';
  while (!signal.aborted) {
    const text = report();
    if (text !== reported) process.stdout.write(`${text}\n`);
    reported = text;
    await systemClock.sleep(everyMs, signal).catch(() => undefined);
  }
  await daemon.stopped;
};
