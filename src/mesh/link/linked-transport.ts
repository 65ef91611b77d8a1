// The mesh port over any connector: dialling, one link per peer, refusals, and a shutdown that leaves nothing open.

import type { Clock } from '../../clock/clock.ts';
import type { HostPort } from '../../core/address/host-port.ts';
import type { NodeId } from '../../core/ids.ts';
import type {
  IdentityConflict,
  MeshCandidate,
  MeshLimits,
  MeshLink,
  MeshRefusal,
  MeshTransport,
  RefusalReason,
  Unsubscribe,
} from '../mesh.ts';
import { Dialer, type DialStatus } from './dialer.ts';
import { LinkTable } from './link-table.ts';
import { Listeners } from './listeners.ts';
import type { Connector, Handshake } from './pipe.ts';

interface LinkedTransportParts {
  readonly localId: NodeId;
  readonly instance: string;
  readonly clock: Clock;
  readonly limits: MeshLimits;
  readonly random: () => number;
  readonly connector: Connector;
}

export class LinkedTransport implements MeshTransport {
  readonly localId: NodeId;
  readonly #connector: Connector;
  readonly #table: LinkTable;
  readonly #dialer: Dialer;
  readonly #stop = new AbortController();
  readonly #counts = new Map<RefusalReason, number>();
  readonly #linkListeners = new Listeners<MeshLink>();
  readonly #refusalListeners = new Listeners<MeshRefusal>();
  readonly #conflictListeners = new Listeners<IdentityConflict>();
  readonly #accepted = new Set<Promise<unknown>>();
  #listening: Promise<void> | undefined;
  #ended: Promise<void> | undefined;

  constructor(parts: LinkedTransportParts) {
    const { localId, instance, clock, limits, random, connector } = parts;
    this.localId = localId;
    this.#connector = connector;
    const acceptsKey = (keyId: string): boolean => connector.acceptsKey(keyId);
    this.#table = new LinkTable(
      { localId, instance, clock, limits, acceptsKey },
      {
        up: link => {
          link.onClose(() => this.#dialer.peerGone(link.peerId));
          this.#linkListeners.emit(link);
        },
        refused: ({ isInitiator, remoteAddress: address }, reason, detail) =>
          this.#refused({ direction: isInitiator ? 'dialled' : 'accepted', address, reason, detail }),
        conflict: conflict => this.#conflictListeners.emit(conflict),
      },
    );
    this.#dialer = new Dialer({
      localId,
      instance,
      clock,
      limits,
      random,
      connector,
      isLinked: peerId => this.#table.up.has(peerId),
      consider: handshake => this.#table.consider(handshake),
      refused: refusal => this.#refused(refusal),
    });
  }

  get listensOn(): HostPort | undefined {
    return this.#connector.listensOn;
  }

  get links(): ReadonlyMap<NodeId, MeshLink> {
    return this.#table.up;
  }

  /** Every address that may lead to a peer, and the result of dialling it. */
  get dials(): readonly DialStatus[] {
    return this.#dialer.statuses;
  }

  get refusalCounts(): ReadonlyMap<RefusalReason, number> {
    return this.#counts;
  }

  async listen(): Promise<void> {
    this.#listening ??= this.#connector.listen();
    await this.#listening;
  }

  async start(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.listen();
    if (signal.aborted || this.#ended !== undefined) {
      this.#ended = undefined; // what was just opened must still be closed
      await this.#end();
      return;
    }
    signal.addEventListener('abort', () => void this.#end(), { once: true });
    this.#connector.accept({
      accepted: handshake => this.#accept(handshake),
      refused: refusal => this.#refused(refusal),
    });
    this.#dialer.start(this.#stop.signal);
  }

  addCandidate(candidate: MeshCandidate): void {
    if (!this.#stop.signal.aborted) this.#dialer.add(candidate);
  }

  onLink(listener: (link: MeshLink) => void): Unsubscribe {
    return this.#linkListeners.add(listener);
  }

  onRefused(listener: (refusal: MeshRefusal) => void): Unsubscribe {
    return this.#refusalListeners.add(listener);
  }

  onConflict(listener: (conflict: IdentityConflict) => void): Unsubscribe {
    return this.#conflictListeners.add(listener);
  }

  /** Called after the connector's keys have changed. */
  dropRemovedKeys(): void {
    this.#table.dropRemovedKeys();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end();
  }

  #end(): Promise<void> {
    this.#ended ??= this.#endOnce();
    return this.#ended;
  }

  async #endOnce(): Promise<void> {
    this.#stop.abort();
    const closing = this.#connector.close();
    await this.#table.stop();
    await Promise.all([closing, this.#dialer.stopped(), ...this.#accepted]);
    // A handshake that finished during the stop.
    await this.#table.stop();
  }

  #accept(handshake: Handshake): void {
    const task = this.#table.consider(handshake).finally(() => this.#accepted.delete(task));
    this.#accepted.add(task);
  }

  #refused(refusal: MeshRefusal): void {
    this.#counts.set(refusal.reason, (this.#counts.get(refusal.reason) ?? 0) + 1);
    this.#refusalListeners.emit(refusal);
  }
}
