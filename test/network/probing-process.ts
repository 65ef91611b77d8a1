// A whole daemon that probes, for the network tests. Prints its link profiles and its own devices' as one line of JSON
// whenever they change.

import { systemClock } from '../../src/clock/system-clock.ts';
import { isNodeId } from '../../src/core/ids.ts';
import { startDaemon } from '../../src/daemon/daemon.ts';
import type { ProbingSettings, SeenProbes } from './seen-probes.ts';

const settings: ProbingSettings = JSON.parse(process.argv[2] ?? '{}');
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());

const daemon = await startDaemon(
  {
    home: settings.home,
    env: process.env,
    http: { host: '127.0.0.1', port: settings.httpPort ?? 0 },
    name: settings.name,
    mesh: { keyFile: settings.keyFile, listen: undefined, peers: [] },
    probes: {
      nodePath: process.execPath,
      mode: undefined,
      // The hosts of these tests share one machine: what its processor can do is none of their business.
      probeDevice: async () => ({ kind: 'failed', reason: 'not in this test', bytesUsed: 0 }),
    },
    clock: systemClock,
    platform: process.platform,
    root: '/',
    version: '0.0.0',
    dashboardDir: settings.dashboardDir,
    pid: process.pid,
    resources: () => ({ cpuSeconds: 0, residentBytes: 0 }),
    onNotice: () => undefined,
  },
  stop.signal,
);

let told = '';
while (!stop.signal.aborted) {
  const text = JSON.stringify(seen());
  if (text !== told) process.stdout.write(`${text}\n`);
  told = text;
  await systemClock.sleep(50, stop.signal).catch(() => undefined);
}
await daemon.stopped;

function seen(): SeenProbes {
  const { state } = daemon;
  return {
    links: Object.entries(state.linkProfiles).flatMap(([source, sinks]) =>
      Object.entries(sinks).flatMap(([sink, held]) =>
        Object.values(held).map(({ value }) => ({
          source: nameOf(source),
          sink: nameOf(sink),
          profile: value,
        })),
      ),
    ),
    statuses: Object.values(state.probeStatuses[daemon.nodeId] ?? {}).map(({ value }) => value),
    devices: Object.values(state.nodeGpuProfiles[daemon.nodeId] ?? {}).map(({ value }) => value),
  };
}

/** The id, until the identity is known. */
function nameOf(id: string): string {
  return isNodeId(id) ? (daemon.state.nodeIdentities[id]?.value.friendlyName ?? id) : id;
}
