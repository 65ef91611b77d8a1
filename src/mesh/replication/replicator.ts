// Replicates a node's events to every node that it can reach, and theirs to it: vectors on connecting,
// catch-up of what is missing, then the stream, relayed by the smallest common neighbour, and a digest that
// repairs what was missed. Durable events stay in the journal and live ones in a table of last values, so
// slow peers cost little.

import { untilAborted } from '../../clock/clock.ts';
import type { Event } from '../../core/event.ts';
import type { NodeId } from '../../core/ids.ts';
import { decodeMeshMessage, encodeMeshMessage, type MeshMessage } from '../../wire/mesh-message.ts';
import { NodeKeys } from '../../wire/node-signature.ts';
import { isRequestFrame } from '../../wire/request-message.ts';
import { MESH_LIST_LENGTH_MAX } from '../../wire/version-vector.ts';
import type { MeshLink } from '../mesh.ts';
import type { Undelivered } from './catch-up-requests.ts';
import { DurableExchange } from './durable-exchange.ts';
import type { ReplicatorParts } from './exchange-parts.ts';
import { FairInbox } from './fair-inbox.ts';
import { REPLICATION_LIMITS, type ReplicationLimits } from './limits.ts';
import { LiveExchange } from './live-exchange.ts';
import { OwnNeighbours } from './neighbours.ts';
import { type ChunkSource, createRecordChunks } from './record-chunks.ts';
import { Relays } from './relay-rule.ts';
import type { RelaySource } from './relay-source.ts';
import { ReplicaPeer } from './replica-peer.ts';
import { ReplicationCounts } from './replication-counts.ts';

export class Replicator {
  readonly counts: ReplicationCounts = new ReplicationCounts();
  readonly #parts: ReplicatorParts;
  readonly #limits: ReplicationLimits;
  readonly #peers = new Map<NodeId, ReplicaPeer>();
  readonly #neighbours = new OwnNeighbours();
  readonly #chunks: ChunkSource;
  readonly #durable: DurableExchange;
  readonly #live: LiveExchange;
  readonly #relays: Relays;
  readonly #inbox: FairInbox<RelaySource, MeshLink>;
  #linksChanged = Promise.withResolvers<void>();

  constructor(parts: ReplicatorParts) {
    const { store, clock, publicKey, sign, limits = REPLICATION_LIMITS } = parts;
    const self = parts.mesh.localId;
    this.#parts = parts;
    this.#limits = limits;
    this.#relays = new Relays(self, this.#peers);
    const nowMs = (): number => clock.nowMs();
    const own = { nodeId: self, publicKey };
    const common = {
      self,
      own,
      sign,
      keys: new NodeKeys(),
      store,
      counts: this.counts,
      limits,
      nowMs,
      peers: this.#peers,
      relays: this.#relays,
    };
    this.#chunks = createRecordChunks({
      store,
      own,
      counts: this.counts,
      chunkBytesMax: limits.chunkBytesMax,
      nowMs,
    });
    this.#live = new LiveExchange(common);
    this.#inbox = new FairInbox({
      nowMs,
      owner: ({ link }) => link,
      take: (relaySource, frame) => this.#receive(relaySource, frame),
      pause: link => link.pauseReading(),
      resume: link => link.resumeReading(),
      refused: () => ++this.counts.overRate,
    });
    this.#durable = new DurableExchange(common, node => this.#live.holds(node));
  }

  /** Bytes stored for relaying: of live values, and of records that prove forks. */
  get bufferedBytes(): { readonly live: number; readonly forks: number } {
    return { live: this.#live.bytes, forks: this.#durable.forks.bytes };
  }

  /** Peers that claim what they do not deliver. */
  get undelivered(): readonly Undelivered[] {
    return this.#durable.catchUp.undelivered;
  }

  /** How often the peer did not deliver what it claims to have. */
  undeliveredBy(peer: NodeId): number {
    return this.#durable.catchUp.undeliveredBy(peer);
  }

  /** Origins and live keys queued for a peer. */
  waitingFor(peer: NodeId): number {
    return this.#peers.get(peer)?.outbox.waiting ?? 0;
  }

  /** Replicates until the abort; resolves then. Once. */
  async run(signal: AbortSignal): Promise<void> {
    const { mesh, store } = this.#parts;
    const ends = [
      store.onOwnEvents(events => this.#pushOwn(events)),
      mesh.onLink(link => this.#meet(link)),
      () => this.#leaveAll(),
    ];
    for (const link of mesh.links.values()) this.#meet(link);
    try {
      await Promise.all([this.#digestLoop(signal), this.#neighbourLoop(signal), this.#wantLoop(signal)]);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      for (const end of ends) end();
    }
  }

  #pushOwn(events: readonly Event[]): void {
    if (events.some(event => event.class === 'durable')) this.#durable.pushOwn();
    for (const event of events)
      if (event.class === 'live' && event.kind !== 'unknown') this.#live.pushOwn(event);
  }

  #meet(link: MeshLink): void {
    const { clock } = this.#parts;
    const peer = new ReplicaPeer(
      {
        link,
        chunks: this.#chunks,
        counts: this.counts,
        mayPass: entry => this.#live.mayPass(entry),
        chunkBytesMax: this.#limits.chunkBytesMax,
        nowMs: () => clock.nowMs(),
      },
      this.#limits,
    );
    const former = this.#peers.get(link.peerId);
    if (former !== undefined) this.#leave(former);
    this.#peers.set(link.peerId, peer);
    this.#relays.changed();
    this.#ends.set(peer, [
      link.onFrame((frame, publisher) => this.#inbox.put(peer.relaySource(publisher ?? peer.id), frame)),
      link.onDrain(() => peer.outbox.drained()),
      link.onClose(() => this.#leave(peer)),
    ]);
    if (this.#peers.get(link.peerId) !== peer) return;
    this.#linksChanged.resolve();
    // The dialled end replies to this hello with its own.
    if (link.isInitiator) this.#greet(peer);
  }

  #greet(peer: ReplicaPeer): void {
    const { version, reported } = this.#neighbours;
    peer.outbox.report({
      kind: 'hello',
      plimsollVersion: this.#parts.plimsollVersion.slice(0, 64),
      vectors: this.#durable.vectors(),
      live: this.#live.summary(),
      neighboursVersion: version,
      neighbours: [...reported].slice(0, MESH_LIST_LENGTH_MAX),
    });
  }

  readonly #ends = new Map<ReplicaPeer, readonly (() => void)[]>();

  #leave(peer: ReplicaPeer): void {
    for (const end of this.#ends.get(peer) ?? []) end();
    this.#ends.delete(peer);
    this.#inbox.forget(peer.link);
    if (this.#peers.get(peer.id) !== peer) return;
    this.#peers.delete(peer.id);
    this.#relays.changed();
    this.#durable.peerGone(peer.id);
    this.#live.peerGone(peer.id);
    this.#linksChanged.resolve();
  }

  #leaveAll(): void {
    for (const peer of [...this.#peers.values()]) this.#leave(peer);
  }

  #receive(relaySource: RelaySource, frame: Uint8Array): void {
    const peer = this.#peers.get(relaySource.link.peerId);
    if (peer?.link !== relaySource.link || isRequestFrame(frame)) return;
    if (!relaySource.mayRelay(frame.length)) {
      this.counts.overRate += 1;
      return;
    }
    const decoded = decodeMeshMessage(frame);
    switch (decoded.kind) {
      case 'message':
        this.#take(peer, relaySource, decoded.message);
        return;
      case 'unknown-type':
        this.counts.unknownTypes += 1;
        return;
      case 'other-version':
        this.counts.otherVersions += 1;
        relaySource.refuse(`uses version ${decoded.version} of the mesh protocol, unknown here`);
        return;
      case 'malformed':
        this.#refuse(relaySource, decoded.reason);
        return;
      default:
        decoded satisfies never;
    }
  }

  #refuse(relaySource: RelaySource, reason: string): void {
    this.counts.malformedFrames += 1;
    relaySource.fault(reason);
  }

  #take(peer: ReplicaPeer, relaySource: RelaySource, message: MeshMessage): void {
    if (peer.hasSentHello === (message.kind === 'hello')) {
      this.#refuse(relaySource, 'a hello must come first, and only once');
      return;
    }
    switch (message.kind) {
      case 'hello':
        peer.hasSentHello = true;
        if (!peer.link.isInitiator) this.#greet(peer);
        this.#relays.changed();
        peer.neighbours.take({
          version: message.neighboursVersion,
          base: -1,
          added: message.neighbours,
          removed: [],
        });
        this.#durable.compare(peer, message.vectors);
        this.#durable.forks.greet(peer);
        this.#live.greet(peer, message.live);
        return;
      case 'want':
        this.#durable.answer(peer, message.wants);
        return;
      case 'records':
        this.#durable.take(peer, relaySource, message);
        return;
      case 'fork':
        this.#durable.forks.take(peer, relaySource, message);
        return;
      case 'live':
        this.#live.take(peer, relaySource, message.entries);
        return;
      case 'digest':
        this.#durable.compare(peer, message.vectors);
        this.#live.heal(peer, message.live);
        if (message.neighboursVersion !== peer.neighbours.version)
          peer.outbox.report({ kind: 'ask-neighbours' });
        return;
      case 'neighbours':
        this.#relays.changed();
        if (peer.neighbours.take(message)) this.#live.neighboursChanged(peer);
        else peer.outbox.report({ kind: 'ask-neighbours' });
        return;
      case 'ask-neighbours':
        peer.outbox.report({ kind: 'neighbours', ...this.#neighbours.whole() });
        return;
      default:
        message satisfies never;
    }
  }

  async #digestLoop(signal: AbortSignal): Promise<void> {
    const { digestIntervalMs } = this.#limits;
    let waitMs = digestIntervalMs * digestPhase(this.#parts.mesh.localId);
    for (;;) {
      await this.#parts.clock.sleep(waitMs, signal);
      waitMs = digestIntervalMs;
      this.#live.sweep();
      this.#reportAll({
        kind: 'digest',
        vectors: this.#durable.vectors(),
        live: this.#live.summary(),
        neighboursVersion: this.#neighbours.version,
      });
    }
  }

  async #wantLoop(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#parts.clock.sleep(this.#limits.wantCheckMs, signal);
      this.#durable.catchUp.check();
    }
  }

  async #neighbourLoop(signal: AbortSignal): Promise<void> {
    const aborted = untilAborted(signal);
    for (;;) {
      await Promise.race([this.#linksChanged.promise, aborted]);
      await this.#parts.clock.sleep(this.#limits.neighbourDebounceMs, signal);
      this.#linksChanged = Promise.withResolvers();
      const change = this.#neighbours.change(new Set(this.#peers.keys()));
      if (change !== undefined) this.#reportAll({ kind: 'neighbours', ...change });
    }
  }

  /** A peer that has not sent a hello gets all of it with ours, or requests what changed since. */
  #reportAll(message: MeshMessage): void {
    const frame = encodeMeshMessage(message);
    for (const peer of this.#peers.values()) if (peer.hasSentHello) peer.outbox.enqueueEncoded(frame);
  }
}

// When a node sends its first digest. Nodes that start together, as after a power cut, would otherwise always send at
// the same moment: with 64 nodes that moment made up most of the slowest percent of all events.

/**
 * Share of the interval, from 0 to below 1: the same for a node at every start, evenly spread over nodes.
 */
const digestPhase = (node: NodeId): number => (Number.parseInt(node.slice(0, 4), 36) % 1_021) / 1_021;
