// One peer of the replicator: what it has reported about itself, what is queued for it, and the sources of
// frames on its link.

import type { NodeId } from '../../core/ids.ts';
import {
  encodeMeshMessage,
  liveFrameBytes,
  type MeshMessage,
  type WireLive,
} from '../../wire/mesh-message.ts';
import { isAhead, type JournalPosition, MESH_LIST_LENGTH_MAX } from '../../wire/version-vector.ts';
import type { MeshLink } from '../mesh.ts';
import type { ReplicationLimits } from './limits.ts';
import type { LiveEntry } from './live-table.ts';
import { PeerNeighbours } from './neighbours.ts';
import { ageMsAt } from './receipt.ts';
import type { ChunkSource } from './record-chunks.ts';
import { RelaySource } from './relay-source.ts';
import type { ReplicationCounts } from './replication-counts.ts';

export class ReplicaPeer {
  readonly link: MeshLink;
  readonly neighbours: PeerNeighbours = new PeerNeighbours();
  readonly outbox: PeerOutbox;
  hasSentHello = false;
  readonly #limits: ReplicationLimits;
  readonly #nowMs: () => number;
  /** As many as its transport permits; one for a link between two nodes. */
  readonly #relaySources = new Map<NodeId, RelaySource>();

  constructor(parts: OutboxParts, limits: ReplicationLimits) {
    this.link = parts.link;
    this.outbox = new PeerOutbox(parts);
    this.#limits = limits;
    this.#nowMs = parts.nowMs;
  }

  get id(): NodeId {
    return this.link.peerId;
  }

  relaySource(node: NodeId): RelaySource {
    const existing = this.#relaySources.get(node);
    if (existing !== undefined) return existing;
    const made = new RelaySource(node, this.link, { limits: this.#limits, nowMs: this.#nowMs });
    this.#relaySources.set(node, made);
    return made;
  }
}

// What is queued for one peer. It stores no bytes, only origins with their start positions and live keys: a
// stuck peer costs no more than that, however long it is stuck, and gets the newest values when it reads
// again. Durable records stay in the journal until then.
interface OutboxParts {
  readonly link: MeshLink;
  readonly chunks: ChunkSource;
  readonly counts: ReplicationCounts;
  /** False for a value that the peer would treat as a forgery. */
  readonly mayPass: (entry: LiveEntry) => boolean;
  readonly chunkBytesMax: number;
  readonly nowMs: () => number;
}

class PeerOutbox {
  /** The peer's positions, from what it reported, what it sent and what it was sent. */
  readonly known: Map<NodeId, JournalPosition> = new Map();
  readonly #parts: OutboxParts;
  readonly #due = new Map<NodeId, JournalPosition>();
  readonly #live = new Set<LiveEntry>();
  #isWritable = true;
  #isScheduled = false;
  #livesNext = false;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
  }

  get isWritable(): boolean {
    return this.#isWritable && this.#parts.link.isOpen;
  }

  /** Queued origins and live keys. */
  get waiting(): number {
    return this.#due.size + this.#live.size;
  }

  /**
   * Sent at once, before what is queued; dropped if the peer is stuck: all of it is repeated or requested
   * again.
   */
  report(message: MeshMessage): void {
    if (this.isWritable) this.#send(encodeMeshMessage(message));
  }

  /** For a message that goes to many peers and is encoded once. */
  enqueueEncoded(frame: Uint8Array): void {
    if (this.isWritable) this.#send(frame);
  }

  /** Queues what follows the position; of several for one origin the lowest counts. */
  enqueue(origin: NodeId, from: JournalPosition): void {
    const due = this.#due.get(origin);
    if (due === undefined || isAhead(due, from)) this.#due.set(origin, from);
    this.#schedule();
  }

  enqueueLive(entry: LiveEntry): void {
    this.#live.add(entry);
    this.#schedule();
  }

  /** The entry is no longer stored: a peer that does not read must not keep it in memory. */
  forgetLive(entry: LiveEntry): void {
    this.#live.delete(entry);
  }

  drained(): void {
    this.#isWritable = true;
    this.#flush();
  }

  /** It requested what follows, so this is its position, regardless of what it was sent. */
  restartAt(origin: NodeId, position: JournalPosition): void {
    this.known.delete(origin);
    this.noteKnown(origin, position);
  }

  noteKnown(origin: NodeId, position: JournalPosition): void {
    const known = this.known.get(origin);
    // A peer may claim any number of origins; what is not remembered is sent once too often.
    if (known === undefined && this.known.size >= MESH_LIST_LENGTH_MAX) return;
    if (isAhead(position, known)) this.known.set(origin, position);
  }

  /** After this turn: everything from one turn goes into one frame. */
  #schedule(): void {
    if (this.#isScheduled || !this.isWritable) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    while (this.isWritable && this.waiting > 0) {
      const frame = this.#livesNext ? this.#liveFrame() : this.#recordsFrame();
      this.#livesNext = !this.#livesNext;
      if (frame !== undefined) this.#send(frame);
    }
  }

  #send(frame: Uint8Array): void {
    if (!this.#parts.link.send(frame)) this.#isWritable = false;
  }

  #recordsFrame(): Uint8Array | undefined {
    const { chunks, counts } = this.#parts;
    for (const [origin, from] of this.#due) {
      this.#due.delete(origin);
      const chunk = chunks.chunkAfter(origin, from);
      if (chunk === undefined) continue;
      this.noteKnown(origin, chunk.last);
      counts.recordsSent += chunk.records;
      return chunk.frame;
    }
    return undefined;
  }

  #liveFrame(): Uint8Array | undefined {
    const { link, counts, chunkBytesMax, mayPass } = this.#parts;
    const nowMs = this.#parts.nowMs();
    const entries: WireLive[] = [];
    let bytes = 0;
    for (const entry of this.#live) {
      if (bytes > chunkBytesMax) break;
      this.#live.delete(entry);
      if (entry.seenBy.has(link.peerId) || !mayPass(entry)) continue;
      entry.seenBy.add(link.peerId);
      const { body, proof } = entry.value;
      const ageMs = ageMsAt(entry.value, nowMs);
      const wire = proof === undefined ? { ageMs, body } : { ageMs, body, proof };
      entries.push(wire);
      bytes += liveFrameBytes(wire);
    }
    counts.liveSent += entries.length;
    return entries.length === 0 ? undefined : encodeMeshMessage({ kind: 'live', entries });
  }
}
