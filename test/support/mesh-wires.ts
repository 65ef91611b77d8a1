// Links between replicators on which a test can cut, delay, repeat and swap frames. Less than a mesh transport (no
// dialling, no pings), so that a test about replication decides itself what happens on each link and when.

import type { NodeId } from '../../src/core/ids.ts';
import { Listeners } from '../../src/mesh/link/listeners.ts';
import type { CloseReason, LinkClose, MeshLink } from '../../src/mesh/mesh.ts';

export interface WiredNode {
  readonly localId: NodeId;
  readonly publicKey: Uint8Array;
}

/** What the replicator sees of a mesh. */
export class WiredMesh {
  readonly localId: NodeId;
  readonly links: Map<NodeId, WiredLink> = new Map();
  readonly #met = new Listeners<MeshLink>();

  constructor(localId: NodeId) {
    this.localId = localId;
  }

  onLink(listener: (link: MeshLink) => void): () => void {
    return this.#met.add(listener);
  }

  meet(link: WiredLink): void {
    this.links.set(link.peerId, link);
    link.onClose(() => {
      if (this.links.get(link.peerId) === link) this.links.delete(link.peerId);
    });
    this.#met.emit(link);
  }
}

/** What happens to a frame on its way: delivered as often and in the order that comes back. */
export type Disturb = (frames: readonly Uint8Array[]) => readonly Uint8Array[];

/** One end of a link. */
export class WiredLink implements MeshLink {
  readonly peerId: NodeId;
  readonly peerPublicKey: Uint8Array;
  readonly peerStart = 1;
  readonly remoteAddress = { host: 'wire', port: 1 };
  readonly isInitiator: boolean;
  isOpen = true;
  /** Frames sent from this end. */
  sentFrames = 0;
  /** When true, frames from this end wait, and the sender is notified. */
  isPaused = false;
  disturb: Disturb = frames => frames;
  #queue: Uint8Array[] = [];
  #isScheduled = false;
  #isDrainDue = false;
  /** While reading is paused. */
  #unread: Uint8Array[] | undefined;
  #other: WiredLink | undefined;
  readonly #frames = new Listeners<Uint8Array>();
  readonly #drains = new Listeners<undefined>();
  readonly #closes = new Listeners<LinkClose>();
  #closed: LinkClose | undefined;

  constructor(peer: WiredNode, isInitiator: boolean) {
    this.peerId = peer.localId;
    this.peerPublicKey = peer.publicKey;
    this.isInitiator = isInitiator;
  }

  static pair(a: WiredNode, b: WiredNode): readonly [WiredLink, WiredLink] {
    const [toB, toA] = [new WiredLink(b, true), new WiredLink(a, false)];
    toB.#other = toA;
    toA.#other = toB;
    return [toB, toA];
  }

  get queuedBytes(): number {
    return this.#queue.reduce((sum, frame) => sum + frame.length, 0);
  }

  send(frame: Uint8Array): boolean {
    if (!this.isOpen) return false;
    this.sentFrames += 1;
    this.#queue.push(frame);
    this.#schedule();
    this.#isDrainDue ||= this.isPaused;
    return !this.isPaused;
  }

  /** Lets everything that was held go. */
  release(): void {
    this.isPaused = false;
    this.#schedule();
  }

  onFrame(listener: (frame: Uint8Array) => void): () => void {
    return this.#frames.add(listener);
  }

  onDrain(listener: () => void): () => void {
    return this.#drains.add(listener);
  }

  onClose(listener: (close: LinkClose) => void): () => void {
    if (this.#closed !== undefined) listener(this.#closed);
    return this.#closes.add(listener);
  }

  close(reason: CloseReason, detail = ''): void {
    this.#end({ reason, by: 'self', detail });
    const other = this.#other;
    if (other !== undefined) other.#end({ reason, by: 'peer', detail });
  }

  /** As if the other end had sent it. */
  inject(frame: Uint8Array): void {
    if (!this.isOpen) return;
    if (this.#unread === undefined) this.#frames.emit(frame);
    else this.#unread.push(frame);
  }

  pauseReading(): void {
    this.#unread ??= [];
  }

  resumeReading(): void {
    const unread = this.#unread ?? [];
    this.#unread = undefined;
    for (const frame of unread) this.inject(frame);
  }

  #end(close: LinkClose): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#queue = [];
    this.#closed = close;
    this.#closes.emit(close);
  }

  #schedule(): void {
    if (this.#isScheduled || this.isPaused) return;
    this.#isScheduled = true;
    queueMicrotask(() => this.#deliver());
  }

  #deliver(): void {
    this.#isScheduled = false;
    const frames = this.disturb(this.#queue);
    this.#queue = [];
    for (const frame of frames) if (this.isOpen) this.#other?.inject(frame);
    if (!this.#isDrainDue || !this.isOpen) return;
    this.#isDrainDue = false;
    this.#drains.emit(undefined);
  }
}
