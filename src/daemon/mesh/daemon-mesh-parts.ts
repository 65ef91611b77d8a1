// What the mesh of a running daemon is made of.

import type { Clock } from '../../clock/clock.ts';
import type { FleetConfig } from '../../config/config.ts';
import { ageMsOf, currentFacts } from '../../core/entry-maps.ts';
import { eventClass, type Fact } from '../../core/event-kinds.ts';
import type { NodeId } from '../../core/ids.ts';
import type { EventClass } from '../../core/kind-row.ts';
import type { IsChosenPeer } from '../../core/link/link-view.ts';
import type { State } from '../../core/state.ts';
import type { Journal } from '../../journal/journal.ts';
import type { DiscoveryWay } from '../../mesh/discovery/beacon-endpoints.ts';
import { factFrom } from '../../wire/event-schema.ts';
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

// The facts that a node has reported about itself and that are still true, to be reported again: its durable events when its
// journal starts a new epoch, because older epochs are no longer current; its live ones when a mesh opens that has not received them.
interface PresentFact {
  readonly fact: Fact;
  readonly ageMs: number;
}

export const presentFacts = (
  state: State,
  node: NodeId,
  { ofClass, nowMs }: { readonly ofClass: EventClass; readonly nowMs: number },
): readonly PresentFact[] =>
  currentFacts(state, node)
    .filter(({ kind }) => eventClass(kind) === ofClass)
    .flatMap(({ kind, payload, entry }) => {
      const fact = factFrom(kind, payload);
      return fact === undefined ? [] : [{ fact, ageMs: ageMsOf(entry, nowMs) }];
    });
