// One member of a fleet for benchmarks: a node's own recorder, journal and replicator over the real publishing of
// src/mesh/nats. It receives only its own requests: a thousand members in one process would otherwise receive a
// million messages a second.

import { systemClock } from '../src/clock/system-clock.ts';
import { nodeId } from '../src/core/ids.ts';
import type { NodeKey } from '../src/daemon/node-key.ts';
import { createMemoryDisk } from '../src/journal/memory-journal.ts';
import type { ClusterKey } from '../src/mesh/key/cluster-key.ts';
import type { MeshLink } from '../src/mesh/mesh.ts';
import { FleetMembers } from '../src/mesh/nats/fleet-members.ts';
import { FleetCounts, FleetMessages } from '../src/mesh/nats/fleet-messages.ts';
import { FleetPublisher } from '../src/mesh/nats/fleet-publisher.ts';
import { FleetSubjects } from '../src/mesh/nats/fleet-subjects.ts';
import { NatsLink } from '../src/mesh/nats/nats-link.ts';
import { ReplayGuard } from '../src/mesh/nats/replay-guard.ts';
import { Sealer } from '../src/mesh/nats/sealed-message.ts';
import { connectToFleet } from '../src/mesh/nats/server-connection.ts';
import { StateSnapshot } from '../src/mesh/nats/state-snapshot.ts';
import { REPLICATION_LIMITS } from '../src/mesh/replication/limits.ts';
import { createRecordChunks } from '../src/mesh/replication/record-chunks.ts';
import type { ReplicaStore } from '../src/mesh/replication/replica-store.ts';
import { ReplicationCounts } from '../src/mesh/replication/replication-counts.ts';
import { MeshNode } from '../test/support/mesh-node.ts';
import { FLEET_BENCH_CLUSTER } from './fleet-bench-messages.ts';

export interface FleetMember {
  readonly node: MeshNode;
  readonly counts: FleetCounts;
  readonly queuedBytes: number;
  stop(): Promise<void>;
}

export const openFleetMember = async (options: {
  readonly url: string;
  readonly key: NodeKey;
  readonly clusterKey: ClusterKey;
  readonly memberCount: () => number;
}): Promise<FleetMember> => {
  const { url, key, clusterKey } = options;
  const self = key.nodeId;
  const connecting = await connectToFleet({
    servers: [url],
    credentials: undefined,
    caFile: undefined,
    isHandshakeFirst: false,
    clock: systemClock,
    name: self,
    inboxPrefix: `_INBOX_${self}`,
  });
  if (connecting.kind === 'failed') throw new Error(connecting.problem.problem);
  const { server } = connecting;
  const nowMs = (): number => systemClock.nowMs();
  const subjects = new FleetSubjects(FLEET_BENCH_CLUSTER, self);
  const counts = new FleetCounts();
  const messages = new FleetMessages({
    server,
    subjects,
    sealer: new Sealer({ node: self, start: 1, keys: [clusterKey] }),
    guard: new ReplayGuard([], 16),
    counts,
    self,
    twin: () => undefined,
    trouble: problem => {
      throw new Error(problem.problem);
    },
  });
  const links = new Map<typeof self, MeshLink>();
  const met = new Set<(link: MeshLink) => void>();
  let replicaStore: ReplicaStore | undefined;
  const node = new MeshNode({
    clock: systemClock,
    key,
    disk: createMemoryDisk(),
    mesh: store => {
      replicaStore = store;
      const onLink = (listener: (link: MeshLink) => void): (() => void) => {
        met.add(listener);
        return () => met.delete(listener);
      };
      return { localId: self, links, onLink };
    },
  });
  if (replicaStore === undefined) throw new Error('a node without a store');
  const { chunkBytesMax } = REPLICATION_LIMITS;
  const chunks = createRecordChunks({
    store: replicaStore,
    own: { nodeId: self, publicKey: key.publicKey },
    counts: new ReplicationCounts(),
    chunkBytesMax,
    nowMs,
  });
  const snapshot = new StateSnapshot();
  snapshot.complete({ serverNowMs: undefined, nowMs: nowMs() });
  const members = new FleetMembers(nowMs);
  const publisher = new FleetPublisher({
    self,
    messages,
    subjects,
    chunks,
    clock: systemClock,
    memberCount: options.memberCount,
    members,
    subscriptions: 'all',
  });
  const stop = new AbortController();
  const reporting = publisher.run(stop.signal);
  const link = new NatsLink({
    self,
    fleetId: FLEET_ID,
    remoteAddress: { host: '127.0.0.1', port: 0 },
    messages,
    publisher,
    members,
    snapshot,
    plimsollVersion: '0.0.0-bench',
    chunkBytesMax,
    nowMs,
    muted: () => undefined,
    dropped: () => undefined,
    settled: () => undefined,
  });
  server.connection.subscribe(`plimsoll.v1.${FLEET_BENCH_CLUSTER}.ask.${self}.*.*`, {
    callback: (error, message) => {
      const of = error === null ? subjects.parse(message.subject) : undefined;
      const frame = of === undefined ? undefined : messages.open(message.subject, of, message.data);
      if (of !== undefined && frame !== undefined) link.receive({ ...of, frame });
    },
  });
  return {
    node,
    counts,
    get queuedBytes() {
      if (!links.has(FLEET_ID)) {
        links.set(FLEET_ID, link);
        for (const listener of met) listener(link);
        link.greet();
      }
      return messages.queuedBytes;
    },
    stop: async () => {
      stop.abort();
      await reporting;
      link.end({ reason: 'stopped', by: 'self', detail: '' });
      await node.stop();
      await server.connection.close();
    },
  };
};

/** Represents all other nodes. */
const FLEET_ID = nodeId('a'.repeat(26));
