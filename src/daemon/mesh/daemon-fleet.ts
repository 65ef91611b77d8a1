// The fleet of a running daemon: its server by config.toml, and a notice while it cannot be used. The adapter is loaded only
// where a server is named.

import type { Clock } from '../../clock/clock.ts';
import type { FleetConfig } from '../../config/config.ts';
import { hostPortText } from '../../core/address/host-port.ts';
import { groupPlaceOf } from '../../core/group/node-place.ts';
import type { Problem } from '../../core/problem.ts';
import { unknown } from '../../core/unknown.ts';
import type { ClusterKey } from '../../mesh/key/cluster-key.ts';
import type { FleetProblem } from '../../mesh/nats/fleet-problem.ts';
import { fleetGroup } from '../../mesh/nats/fleet-subjects.ts';
import type { NatsFleet } from '../../mesh/nats/nats-fleet.ts';
import type { ReplicaStore } from '../../mesh/replication/replica-store.ts';
import type { FleetStatus } from '../../wire/mesh-status.ts';
import type { Cluster } from '../cluster.ts';
import type { NodeKey } from '../node-key.ts';
import type { Notices } from '../notices.ts';
import { fleetSettings } from './fleet-settings.ts';
import { readSequenceFloors } from './sequence-floors.ts';

interface DaemonFleetParts {
  readonly home: string;
  readonly config: FleetConfig | undefined;
  readonly key: NodeKey;
  readonly start: number;
  readonly keys: readonly ClusterKey[];
  readonly store: ReplicaStore;
  readonly cluster: Pick<Cluster, 'state'>;
  readonly clock: Clock;
  readonly notices: Notices;
  readonly plimsollVersion: string;
}

/** Undefined where no server is named, or where the settings forbid to connect to it; that is a notice. */
export const openDaemonFleet = async (parts: DaemonFleetParts): Promise<NatsFleet | undefined> => {
  const { home, config, key, notices } = parts;
  const settings = config === undefined ? { kind: 'none' as const } : await fleetSettings(home, config);
  if (settings.kind === 'failed') raise(notices, settings.problem);
  if (config === undefined || settings.kind !== 'ready') return undefined;
  const { NatsFleet: Fleet } = await import('../../mesh/nats/nats-fleet.ts');
  const fleet = new Fleet({
    ...parts,
    identity: key,
    cluster: config.cluster,
    random: Math.random,
    server: settings.server,
    group: () => fleetGroup(groupPlaceOf(parts.cluster.state, key.nodeId)),
    subscriptions: config.subscriptions,
    floors: await readSequenceFloors(home),
  });
  fleet.onStanding(standing => {
    if (standing.kind === 'failed') raise(notices, standing.problem);
    else if (standing.kind === 'connected' && standing.trouble !== undefined)
      raise(notices, standing.trouble);
    else if (standing.kind === 'connected') notices.clear(NOTICE_ID);
  });
  fleet.onTwin(node =>
    notices.raise({
      id: `fleet twin ${node}`,
      code: 'fleet-twin',
      nodeId: node,
      problem: `Two daemons publish to the fleet as ${node === key.nodeId ? 'this node' : node}.`,
      advice:
        'A home was copied: on one of the two machines, move node-key.pem and journal.sqlite away and restart.',
    }),
  );
  return fleet;
};

const raise = (notices: Notices, { code, problem, advice }: FleetProblem): void =>
  notices.raise({ id: NOTICE_ID, code: 'fleet-down', reason: code, problem, advice });

const NOTICE_ID = 'fleet';

export const fleetStatus = (fleet: NatsFleet): FleetStatus => {
  const { standing, counts, members } = fleet;
  const reported = { memberCount: members.nodes.size, counts: { ...counts } };
  switch (standing.kind) {
    case 'connecting':
      return { ...reported, standing: 'connecting', server: NOT_YET, version: NOT_YET };
    case 'connected': {
      const { server, version, trouble } = standing;
      const connected = {
        ...reported,
        standing: 'connected' as const,
        server: hostPortText(server),
        version,
      };
      return trouble === undefined ? connected : { ...connected, problem: partsOf(trouble) };
    }
    case 'failed': {
      const none = unknown('there is no connection');
      return {
        ...reported,
        standing: 'failed',
        server: none,
        version: none,
        problem: partsOf(standing.problem),
      };
    }
    default:
      return standing satisfies never;
  }
};

const partsOf = ({ code, problem, advice }: FleetProblem): Problem<string> => ({ code, problem, advice });

const NOT_YET = unknown('no server has answered yet');
