// The fleet for replication and requests: one link while a server is connected, none otherwise. It connects,
// reads the last values, subscribes, and starts again from nothing when the connection ends. No part of the
// node waits for it.

import { type Clock, pause, unlessAborted } from '../../clock/clock.ts';
import type { NodeId } from '../../core/ids.ts';
import type { ClusterKey } from '../key/cluster-key.ts';
import { Listeners } from '../link/listeners.ts';
import type { MeshIdentity, MeshLink, Unsubscribe } from '../mesh.ts';
import type { ReplicaStore } from '../replication/replica-store.ts';
import { FLEET_MEMBERS_MAX, FleetMembers, type FleetStanding } from './fleet-members.ts';
import { FleetCounts } from './fleet-messages.ts';
import { FleetRequestLinks } from './fleet-request-links.ts';
import { FleetSession } from './fleet-session.ts';
import { type FleetGroup, FleetSubjects, type FleetSubscriptions, fleetGroup } from './fleet-subjects.ts';
import { ReplayGuard, type SequenceFloor } from './replay-guard.ts';
import { Sealer } from './sealed-message.ts';
import { connectToFleet, type FleetServerAccess } from './server-connection.ts';
import { inboxOf } from './server-files.ts';

export interface NatsFleetParts {
  readonly identity: MeshIdentity;
  /** Start number of this daemon. */
  readonly start: number;
  readonly keys: readonly ClusterKey[];
  readonly cluster: string;
  readonly server: FleetServerAccess;
  readonly store: ReplicaStore;
  readonly clock: Clock;
  readonly random: () => number;
  readonly plimsollVersion: string;
  /** This node's current location; undefined: none. */
  readonly group?: (() => FleetGroup) | undefined;
  /** Undefined: all. */
  readonly subscriptions?: FleetSubscriptions | undefined;
  /** Up to which message each publisher was received before this start. */
  readonly floors?: Iterable<readonly [NodeId, SequenceFloor]>;
}

export class NatsFleet implements AsyncDisposable {
  readonly localId: NodeId;
  readonly links: Map<NodeId, MeshLink> = new Map();
  /** Links to single nodes, for requests. */
  readonly requestLinks: FleetRequestLinks = new FleetRequestLinks();
  readonly counts: FleetCounts = new FleetCounts();
  readonly members: FleetMembers;
  readonly #parts: NatsFleetParts;
  readonly #sealer: Sealer;
  readonly #guard: ReplayGuard;
  readonly #met = new Listeners<MeshLink>();
  readonly #standings = new Listeners<FleetStanding>();
  readonly #twins = new Listeners<NodeId>();
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  #standing: FleetStanding = { kind: 'connecting' };

  constructor(parts: NatsFleetParts) {
    const { identity, start, keys, clock, floors = [] } = parts;
    this.#parts = parts;
    this.localId = identity.nodeId;
    this.members = new FleetMembers(() => clock.nowMs());
    this.#sealer = new Sealer({ node: identity.nodeId, start, keys });
    this.#guard = new ReplayGuard(floors, FLEET_MEMBERS_MAX);
  }

  get standing(): FleetStanding {
    return this.#standing;
  }

  get floors(): ReadonlyMap<NodeId, SequenceFloor> {
    return this.#guard.floors;
  }

  onLink(listener: (link: MeshLink) => void): Unsubscribe {
    return this.#met.add(listener);
  }

  onStanding(listener: (standing: FleetStanding) => void): Unsubscribe {
    return this.#standings.add(listener);
  }

  /** Another daemon publishes under the identity of this node, or of another one. */
  onTwin(listener: (node: NodeId) => void): Unsubscribe {
    return this.#twins.add(listener);
  }

  setKeys(keys: readonly ClusterKey[]): void {
    this.#sealer.setKeys(keys);
  }

  /**
   * Connects, and reconnects whenever that ends, until it is disposed of; link listeners must have
   * subscribed. Resolves at the signal; the last messages are still sent before it is disposed of.
   * @throws unexpected errors.
   */
  async run(signal: AbortSignal): Promise<void> {
    this.#running ??= this.#run(this.#stop.signal);
    try {
      await unlessAborted(this.#running, signal);
    } catch (error) {
      this.#running = Promise.resolve(); // reported here, and not again at the end
      throw error;
    }
  }

  /** @throws unexpected errors since `run` returned. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock, random, server, identity, cluster, subscriptions = 'all' } = this.#parts;
    const group = this.#parts.group ?? (() => fleetGroup({}));
    let failures = 0;
    while (!signal.aborted) {
      const connecting = await connectToFleet({
        ...server,
        clock,
        leftOut: messages => {
          this.counts.leftOut += messages;
        },
        name: `plimsoll ${identity.nodeId}`,
        inboxPrefix: inboxOf(identity.nodeId),
      });
      if (connecting.kind === 'failed') this.#stand(connecting);
      else {
        const stands = group();
        await using session = new FleetSession({
          ...this.#parts,
          servers: server.servers,
          fleetServer: connecting.server,
          counts: this.counts,
          members: this.members,
          requestLinks: this.requestLinks,
          sealer: this.#sealer,
          guard: this.#guard,
          subjects: new FleetSubjects(cluster, identity.nodeId, stands),
          subscriptions,
          hasMoved: () => !isSameGroup(group(), stands),
          twin: node => this.#twins.emit(node),
          stand: standing => this.#stand(standing),
          up: link => {
            failures = 0;
            this.links.set(link.peerId, link);
            link.onClose(() => this.links.delete(link.peerId));
            this.#met.emit(link);
          },
        });
        await session.run(signal);
      }
      failures += 1;
      const waitMs = Math.min(BACKOFF_MS_MAX, BACKOFF_MS * 2 ** Math.min(failures - 1, 10));
      if (!signal.aborted) await pause(clock, waitMs * (0.5 + random() / 2), signal);
    }
  }

  #stand(standing: FleetStanding): void {
    this.#standing = standing;
    this.#standings.emit(standing);
  }
}

const isSameGroup = (one: FleetGroup, other: FleetGroup): boolean =>
  one.site === other.site && one.rack === other.rack;

const BACKOFF_MS = 500;
const BACKOFF_MS_MAX = 15_000;
