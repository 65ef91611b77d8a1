// Nodes of fleets for tests about one thing: each with a state of its own, on a server that the test starts.

import { systemClock } from '../../src/clock/system-clock.ts';
import { generateNodeKey, type NodeKey } from '../../src/daemon/node-key.ts';
import { createMemoryDisk, type MemoryDisk } from '../../src/journal/memory-journal.ts';
import { joinedLinks, type LinkSource } from '../../src/mesh/joined-links.ts';
import type { ClusterKey } from '../../src/mesh/key/cluster-key.ts';
import { NatsFleet, type NatsFleetParts } from '../../src/mesh/nats/nats-fleet.ts';
import { REPLICATION_LIMITS } from '../../src/mesh/replication/limits.ts';
import { MeshNode } from './mesh-node.ts';

export const FLEET_TEST_CLUSTER = 'test';

interface FleetNodeOptions
  extends Partial<Pick<NatsFleetParts, 'start' | 'floors' | 'group' | 'subscriptions'>> {
  readonly keys: readonly ClusterKey[];
  readonly servers: readonly string[];
  readonly key?: NodeKey;
  /** As `fleet add` writes them; undefined: the server asks for none. */
  readonly credentials?: string;
  readonly disk?: MemoryDisk;
  /** It is in a mesh as well. */
  readonly mesh?: LinkSource;
}

export interface FleetNode extends AsyncDisposable {
  readonly node: MeshNode;
  readonly fleet: NatsFleet;
  /** Resolves when the check holds, looking again a little later. */
  until(check: () => boolean): Promise<void>;
}

export const fleetNode = (options: FleetNodeOptions): FleetNode => {
  const stop = new AbortController();
  const { node, fleet } = openFleetNode(options);
  const running = fleet.run(stop.signal);
  running.catch(() => undefined); // its end is awaited below, with its error
  return {
    node,
    fleet,
    until: async check => {
      while (!check()) await systemClock.sleep(10, stop.signal);
    },
    [Symbol.asyncDispose]: async () => {
      await fleet[Symbol.asyncDispose]();
      stop.abort();
      await Promise.all([running, node.stop()]);
    },
  };
};

/** Connects when its fleet is run. */
export const openFleetNode = (
  options: FleetNodeOptions & { readonly cluster?: string },
): { readonly node: MeshNode; readonly fleet: NatsFleet } => {
  const { key = generateNodeKey(), disk = createMemoryDisk(), start = 1, keys, servers, mesh } = options;
  const made: NatsFleet[] = [];
  const node = new MeshNode({
    key,
    disk,
    clock: systemClock,
    limits: QUICK,
    mesh: store => {
      const fleet = new NatsFleet({
        identity: key,
        start,
        keys,
        cluster: options.cluster ?? FLEET_TEST_CLUSTER,
        group: options.group,
        subscriptions: options.subscriptions,
        server: { servers, credentials: options.credentials, caFile: undefined, isHandshakeFirst: false },
        store,
        clock: systemClock,
        random: Math.random,
        plimsollVersion: '0.0.0-test',
        ...(options.floors === undefined ? {} : { floors: options.floors }),
      });
      made.push(fleet);
      return mesh === undefined ? fleet : joinedLinks(key.nodeId, [mesh, fleet]);
    },
  });
  const [fleet] = made;
  if (fleet === undefined) throw new Error('a node asks for its mesh');
  return { node, fleet };
};

/** What is missed is repaired soon: tests wait for it. */
export const QUICK = {
  ...REPLICATION_LIMITS,
  digestIntervalMs: 250,
  neighbourDebounceMs: 50,
  wantTimeoutMs: 1_000,
  wantCheckMs: 100,
};
