// A whole daemon for the network tests. Prints what it sees of the cluster, one line of JSON, whenever that changes.

import { systemClock } from '../../src/clock/system-clock.ts';
import { stoppedMs } from '../../src/core/node/stop-view.ts';
import { nodeIds, nodeName, presence } from '../../src/core/selectors.ts';
import { startDaemon } from '../../src/daemon/daemon.ts';
import { linkRows } from '../../src/daemon/http/cluster-views.ts';
import { canonicalHash } from '../../src/mesh/replication/canonical-hash.ts';
import type { DaemonSettings, SeenCluster } from './seen-cluster.ts';

const settings: DaemonSettings = JSON.parse(process.argv[2] ?? '{}');
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());

const daemon = await startDaemon(
  {
    home: settings.home,
    env: process.env,
    http: { host: '127.0.0.1', port: 0 },
    name: settings.name,
    mesh: { keyFile: settings.keyFile, listen: undefined, peers: settings.peers },
    clock: systemClock,
    platform: process.platform,
    root: '/',
    version: '0.0.0',
    dashboardDir: undefined,
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

function seen(): SeenCluster {
  const { state } = daemon;
  const nowMs = daemon.nowMs();
  const nodes = nodeIds(state).map(id => {
    const memory = state.nodeMemories[id];
    return [
      nodeName(state, id),
      {
        id,
        presence: presence(state, id, nowMs),
        isStopped: stoppedMs(state, id, nowMs) !== undefined,
        tags: state.nodeConfigs[id]?.value.tags ?? [],
        identityEpoch: state.nodeIdentities[id]?.epoch ?? 0,
        memory: memory === undefined ? undefined : { start: memory.epoch, seq: memory.seq },
      },
    ] as const;
  });
  return {
    nodeId: daemon.nodeId,
    hash: canonicalHash(state),
    nodes: Object.fromEntries(nodes),
    ways: [
      ...new Set(
        linkRows(state, nowMs).map(
          ({ source, sink }) => `${nodeName(state, source)} > ${nodeName(state, sink)}`,
        ),
      ),
    ].sort(),
    notices: daemon.notices,
  };
}
