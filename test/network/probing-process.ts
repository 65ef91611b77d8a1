// A whole daemon that probes, for the network tests. Prints its link profiles and its own devices' as one line of JSON
// whenever they change.

import { isNodeId } from '../../src/core/ids.ts';
import { daemonOnHost, printChanges } from './daemon-on-host.ts';
import type { ProbingSettings, SeenProbes } from './seen-probes.ts';

const settings: ProbingSettings = JSON.parse(process.argv[2] ?? '{}');
const running = await daemonOnHost(settings, {
  http: { host: '127.0.0.1', port: settings.httpPort ?? 0 },
  probes: {
    nodePath: process.execPath,
    mode: undefined,
    // The hosts of these tests share one machine: what its processor can do is none of their business.
    probeDevice: async () => ({ kind: 'failed', reason: 'not in this test', bytesUsed: 0 }),
  },
  dashboardDir: settings.dashboardDir,
});
const { daemon } = running;
await printChanges(running, () => JSON.stringify(seen()));

function seen(): SeenProbes {
  const { state } = daemon;
  return {
    links: Object.entries(state.linkProfiles).flatMap(([source, sinks]) =>
      Object.entries(sinks).flatMap(([sink, profiles]) =>
        Object.values(profiles).map(({ value }) => ({
          source: nameOf(source),
          sink: nameOf(sink),
          profile: value,
        })),
      ),
    ),
    statuses: Object.values(state.probeStatuses[daemon.nodeId] ?? {}).map(({ value }) => value),
    devices: Object.values(state.nodeGpuProfiles[daemon.nodeId] ?? {}).map(({ value }) => value),
    engines: Object.entries(state.nodeEngines).flatMap(([node, { value }]) =>
      value.engines.map(({ origin }) => `${nameOf(node)} ${origin}`),
    ),
  };
}

/** The id, until the identity is known. */
function nameOf(id: string): string {
  return isNodeId(id) ? (daemon.state.nodeIdentities[id]?.value.friendlyName ?? id) : id;
}
