// The fleet as one peer of replication. What the replicator sends to it is published once for all nodes; what
// nodes publish arrives as their frames. So vectors, signatures, limits and the relay rule are those of the
// mesh, and a node that has both is a bridge by that rule: no event circulates.

import type { HostPort } from '../../core/address/host-port.ts';
import type { NodeId } from '../../core/ids.ts';
import { decodeMeshMessage, encodeMeshMessage, type MeshMessage } from '../../wire/mesh-message.ts';
import { isAhead, type VectorEntry } from '../../wire/version-vector.ts';
import { FrameListeners, Listeners } from '../link/listeners.ts';
import {
  type CloseReason,
  type LinkClose,
  type LinkGroup,
  MESH_LIMITS,
  type MeshLink,
  type Unsubscribe,
} from '../mesh.ts';
import { BufferedFrames } from './buffered-frames.ts';
import { FleetClaims } from './fleet-claims.ts';
import { FleetDigests } from './fleet-digests.ts';
import type { FleetMembers } from './fleet-members.ts';
import type { FleetMessages, ReceivedMessage } from './fleet-messages.ts';
import type { FleetPublisher } from './fleet-publisher.ts';
import { DIGEST, WANT } from './fleet-subjects.ts';
import { RecordSources } from './record-sources.ts';
import type { StateSnapshot } from './state-snapshot.ts';

type RecordsFrame = Extract<MeshMessage, { kind: 'records' }>;

interface NatsLinkParts {
  readonly self: NodeId;
  /** Represents all nodes of the fleet; the same for each of them. */
  readonly fleetId: NodeId;
  readonly remoteAddress: HostPort;
  readonly messages: FleetMessages;
  readonly publisher: FleetPublisher;
  readonly members: FleetMembers;
  readonly snapshot: StateSnapshot;
  readonly plimsollVersion: string;
  readonly chunkBytesMax: number;
  readonly nowMs: () => number;
  readonly muted: (node: NodeId, detail: string) => void;
  readonly dropped: () => void;
  /** The server has accepted everything that it was sent. */
  readonly settled: () => void;
}

export class NatsLink implements MeshLink {
  readonly peerId: NodeId;
  readonly peerPublicKey: Uint8Array = new Uint8Array(32);
  readonly peerStart = 0;
  readonly isInitiator = false;
  readonly remoteAddress: HostPort;
  readonly group: LinkGroup;
  readonly #parts: NatsLinkParts;
  readonly #frames: FrameListeners;
  readonly #drains = new Listeners<void>();
  readonly #closes = new Listeners<LinkClose>();
  readonly #buffered: BufferedFrames;
  readonly #sources: RecordSources;
  readonly #claims: FleetClaims;
  #digests = 0;
  #close: LinkClose | undefined;
  #isFull = false;
  readonly #digestsReceived: FleetDigests;
  /** From where the server did not accept the records of an origin. */
  readonly #lost = new Map<NodeId, VectorEntry>();
  #neighboursVersion = 0;
  #openedAtMs: number;

  constructor(parts: NatsLinkParts) {
    this.#parts = parts;
    this.peerId = parts.fleetId;
    this.remoteAddress = parts.remoteAddress;
    this.#claims = new FleetClaims(parts);
    for (const entry of parts.snapshot.vectors()) this.#claims.stored(entry.origin, entry);
    this.#digestsReceived = new FleetDigests({ members: parts.members, claims: this.#claims });
    this.#openedAtMs = parts.nowMs();
    this.#frames = new FrameListeners(error => this.close('malformed', String(error)));
    this.#buffered = new BufferedFrames((frame, from) => this.#frames.emit(frame, from), parts.dropped);
    this.#sources = new RecordSources({
      ...parts,
      claims: this.#claims,
      follow: (origin, series) => this.#buffered.follow(origin, series),
    });
    this.group = { mute: (node, detail) => this.#mute(node, detail) };
    parts.messages.onDrained(() => this.#reportDrained());
  }

  get isOpen(): boolean {
    return this.#close === undefined;
  }

  get queuedBytes(): number {
    return this.isOpen ? this.#parts.messages.queuedBytes : 0;
  }

  /** The fleet's greeting: what the server stores, and which nodes are present. */
  greet(): void {
    this.#publish({
      kind: 'hello',
      plimsollVersion: this.#parts.plimsollVersion.slice(0, 64),
      vectors: this.#sources.vectors(),
      live: [],
      neighboursVersion: this.#neighboursVersion,
      neighbours: [...this.#parts.members.nodes],
    });
  }

  send(frame: Uint8Array): boolean {
    if (frame.length > MESH_LIMITS.frameBytesMax)
      throw new RangeError(`a frame of ${frame.length} bytes is longer than ${MESH_LIMITS.frameBytesMax}`);
    if (!this.isOpen) return false;
    const decoded = decodeMeshMessage(frame);
    if (decoded.kind === 'message') this.#take(decoded.message, frame);
    if (this.queuedBytes > MESH_LIMITS.queueBytesMax) {
      this.close('overflow', `${this.queuedBytes} bytes wait for a server that does not read`);
      return false;
    }
    this.#isFull ||= this.queuedBytes > MESH_LIMITS.queueBytesHigh;
    return !this.#isFull;
  }

  /** A message of another node, opened and fresh. */
  receive({ channel, publisher, what, frame }: ReceivedMessage): void {
    if (!this.isOpen || this.#parts.members.isMuted(publisher)) return;
    if (channel === 'reading' && what === DIGEST) this.#digestsReceived.receive(publisher, frame);
    else if (channel === 'ask' && what === WANT) this.#answer(publisher, frame);
    else {
      if (channel === 'event') this.#claims.storedFrame(frame);
      const isReplaced = channel === 'reading' || channel === 'run';
      this.#buffered.put(frame, publisher, isReplaced ? what : undefined);
    }
  }

  /** About every second: which nodes joined and left. */
  membersChanged(): void {
    this.#neighboursVersion += 1;
    this.#publishNeighbours();
  }

  /** About every few seconds: what the server did not accept is requested again. */
  publishLost(): void {
    const wants = [...this.#lost.values()];
    this.#lost.clear();
    if (wants.length > 0) this.#publish({ kind: 'want', wants });
  }

  /** About every five seconds: how far the nodes report to be, all at once. */
  publishDigest(): void {
    if (this.#parts.nowMs() - this.#openedAtMs > SNAPSHOT_KEPT_MS) this.#sources.forgetSnapshot();
    const vectors = this.#digestsReceived.take();
    this.#publish({ kind: 'digest', vectors, live: [], neighboursVersion: this.#neighboursVersion });
  }

  onFrame(listener: (frame: Uint8Array, publisher?: NodeId) => void): Unsubscribe {
    return this.#frames.add(listener);
  }

  pauseReading(): void {
    this.#buffered.pause();
  }

  resumeReading(): void {
    this.#buffered.resume();
  }

  onDrain(listener: () => void): Unsubscribe {
    return this.#drains.add(listener);
  }

  onClose(listener: (close: LinkClose) => void): Unsubscribe {
    if (this.#close === undefined) return this.#closes.add(listener);
    listener(this.#close);
    return () => undefined;
  }

  close(reason: CloseReason, detail = ''): void {
    this.end({ reason, by: 'self', detail });
  }

  end(close: LinkClose): void {
    if (!this.isOpen) return;
    this.#close = close;
    this.#closes.emit(close);
    for (const listeners of [this.#closes, this.#frames, this.#drains]) listeners.clear();
  }

  #take(message: MeshMessage, frame: Uint8Array): void {
    const { publisher, self } = this.#parts;
    switch (message.kind) {
      case 'hello':
        // The fleet needs what this node wrote and the server does not store.
        this.#publish({ kind: 'want', wants: [this.#sources.storedOf(self)] });
        publisher.reportHello();
        return;
      case 'want':
        // For an origin whose last values are being read, the rest follows by itself.
        for (const want of message.wants)
          if (!this.#buffered.isFollowing(want.origin)) this.#sources.want(want);
        this.#buffered.flow();
        return;
      case 'records':
        this.#store(message, frame);
        return;
      case 'fork':
        this.#watch(publisher.storeFork(frame));
        return;
      case 'live':
        publisher.reportLive(message.entries);
        return;
      case 'digest':
        publisher.reportDigest(message.vectors.filter(({ origin }) => this.#isOursToReport(origin)));
        this.#publishWantsOfOthers(message.vectors);
        return;
      case 'ask-neighbours':
        this.#publishNeighbours();
        return;
      case 'neighbours':
        return;
      default:
        message satisfies never;
    }
  }

  /** Its own position, and those of nodes that are not in the fleet themselves. */
  #isOursToReport(origin: NodeId): boolean {
    return origin === this.#parts.self || !this.#parts.members.has(origin);
  }

  /** Not at once: other nodes may be about to claim it. */
  #publishWantsOfOthers(vectors: readonly VectorEntry[]): void {
    this.#digests += 1;
    if (this.#digests < DIGESTS_BEFORE_CLAIM) return;
    const wants = this.#claims.due(vectors);
    if (wants.length > 0) this.#publish({ kind: 'want', wants });
  }

  /** What the server does not accept is published again after a while, from that position on. */
  #store(message: RecordsFrame, frame: Uint8Array): void {
    const { origin, epoch, after } = message;
    this.#watch(
      this.#parts.publisher.storeRecords(message, frame).then(isStored => {
        if (!this.isOpen) return;
        if (isStored) {
          this.#claims.storedFrame(frame);
          if (this.#lost.size === 0) this.#parts.settled();
          return;
        }
        const lost = this.#lost.get(origin);
        if (lost === undefined || isAhead(lost, { epoch, through: after }))
          this.#lost.set(origin, { origin, epoch, through: after });
      }),
    );
  }

  #watch(task: Promise<void>): void {
    task.catch((error: unknown) => this.close('malformed', String(error)));
  }

  /** Another node requests records that this one has; it gets one frame, and requests more. */
  #answer(requester: NodeId, frame: Uint8Array): void {
    const decoded = decodeMeshMessage(frame);
    if (decoded.kind !== 'message' || decoded.message.kind !== 'want') return;
    this.#parts.publisher.answer(requester, decoded.message.wants);
  }

  /** For a while: if a server checks nothing, another node may have published under its id. */
  #mute(node: NodeId, detail: string): void {
    this.#parts.members.mute(node);
    this.#parts.muted(node, detail);
  }

  #publishNeighbours(): void {
    const added = [...this.#parts.members.nodes];
    this.#publish({ kind: 'neighbours', version: this.#neighboursVersion, base: -1, added, removed: [] });
  }

  #publish(message: MeshMessage): void {
    if (this.isOpen) this.#frames.emit(encodeMeshMessage(message), this.peerId);
  }

  #reportDrained(): void {
    if (!this.#isFull || !this.isOpen || this.queuedBytes > MESH_LIMITS.queueBytesHigh / 2) return;
    this.#isFull = false;
    this.#drains.emit();
  }
}

/** From this node, since the link is up: those of others have arrived meanwhile. */
const DIGESTS_BEFORE_CLAIM = 2;
const SNAPSHOT_KEPT_MS = 60_000;
