// What the mesh of a running daemon is made of.

import type { Clock } from '../../clock/clock.ts';
import type { FleetConfig } from '../../config/config.ts';
import type { IsChosenPeer } from '../../core/link/measured-pairs.ts';
import type { Journal } from '../../journal/journal.ts';
import type { DiscoveryWay } from '../../mesh/discovery/beacon-places.ts';
import type { Cluster } from '../cluster.ts';
import type { EventRecorder } from '../event-recorder.ts';
import type { NodeKey } from '../node-key.ts';
import type { Notices } from '../notices.ts';

export interface DaemonMeshParts {
  readonly home: string;
  readonly key: NodeKey;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly cluster: Cluster;
  readonly recorder: EventRecorder;
  readonly notices: Notices;
  readonly plimsollVersion: string;
  /** --cluster-key-file; undefined: the key of the home, if there is one. */
  readonly keyFile: string | undefined;
  readonly listen: { readonly host: string; readonly port: number; readonly isExplicit: boolean };
  /** HOST, HOST:PORT, [IPV6]:PORT, as written. */
  readonly peers: readonly string[];
  /** Interfaces on which beacons are sent and received. None while the mesh listens on loopback only. */
  readonly discovery: DiscoveryWay;
  readonly ignoredInterfaces: readonly string[];
  readonly isChosen: IsChosenPeer;
  /** Undefined: none. */
  readonly fleet: FleetConfig | undefined;
}
