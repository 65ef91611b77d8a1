// A whole daemon for the network tests. Prints what it sees of the cluster, one line of JSON, whenever that changes.

import { nodeName } from '../../src/core/node/node-view.ts';
import { nodeIds, presence, stoppedMs } from '../../src/core/node/presence-view.ts';
import { listedLinks } from '../../src/daemon/http/cluster-views.ts';
import { canonicalHash } from '../../src/mesh/replication/canonical-hash.ts';
import { daemonOnHost, printChanges } from './daemon-on-host.ts';
import type { DaemonSettings, SeenCluster } from './seen-cluster.ts';

const settings: DaemonSettings = JSON.parse(process.argv[2] ?? '{}');
const running = await daemonOnHost(settings);
const { daemon } = running;
await printChanges(running, () => JSON.stringify(seen()));

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
        listedLinks(state, nowMs).map(
          ({ source, sink }) => `${nodeName(state, source)} > ${nodeName(state, sink)}`,
        ),
      ),
    ].sort(),
    notices: daemon.notices.map(({ problem }) => problem),
  };
}
