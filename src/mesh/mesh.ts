// The port of the mesh: authenticated links between nodes, over which frames travel whole and in order.
// Replication sees only this; sockets, TLS and discovery are hidden by it. One link per peer, whichever end
// dialled.

import type { HostPort } from '../core/address/host-port.ts';
import type { NodeId } from '../core/ids.ts';
import { type Problem, ProblemError } from '../core/problem.ts';
import type { UnreachableCause } from '../wire/mesh-status.ts';

export interface MeshTransport extends AsyncDisposable {
  readonly localId: NodeId;
  /** Where peers reach this node; undefined before `start`, and for a node that only dials. */
  readonly listensOn: HostPort | undefined;
  /** The links that are up, one per peer. */
  readonly links: ReadonlyMap<NodeId, MeshLink>;
  /** Counts of everything refused or failed since the start. */
  readonly refusalCounts: ReadonlyMap<RefusalReason, number>;
  /**
   * Binds the address, so `listensOn` is known. Dialling peers wait until `start`: before the users of the
   * mesh have subscribed, nothing would receive a link that comes up.
   * @throws MeshError `address-in-use` | `address-unusable`.
   */
  listen(): Promise<void>;
  /**
   * Accepts and starts to dial; listens first if `listen` was not called. Resolves when peers can connect. An
   * abort closes every link and the listener, like disposing.
   * @throws MeshError `address-in-use` | `address-unusable`.
   */
  start(signal: AbortSignal): Promise<void>;
  /** An address that may lead to a peer. Given again, it is retried soon, however often it failed. */
  addCandidate(candidate: MeshCandidate): void;
  /**
   * Called for each link that is up. The first frames may follow at once; they wait for the first subscriber.
   * @returns the function that ends the subscription, as all `on…` here do.
   */
  onLink(listener: (link: MeshLink) => void): Unsubscribe;
  onRefused(listener: (refusal: MeshRefusal) => void): Unsubscribe;
  onConflict(listener: (conflict: IdentityConflict) => void): Unsubscribe;
}

export interface MeshLink {
  readonly peerId: NodeId;
  /** Raw ed25519 key, 32 bytes, proven on this link; `peerId` is its hash. */
  readonly peerPublicKey: Uint8Array;
  /** The start number of the peer's daemon: the epoch of its live events. Greater after each restart. */
  readonly peerStart: number;
  /** As this node sees the peer; scoped for IPv6 link-local: "fe80::1%en3". The port is the dialled one only if `isInitiator`. */
  readonly remoteAddress: HostPort;
  /** True when this node dialled. */
  readonly isInitiator: boolean;
  /** Bytes queued here until the peer accepts them. */
  readonly queuedBytes: number;
  readonly isOpen: boolean;
  /**
   * Queues one frame, whole or not at all. The bytes must not be changed afterwards.
   * @returns false if the sender should wait for `onDrain`; the frame was still queued. Above
   * `MeshLimits.queueBytesMax` the link closes with `overflow`. On a closed link nothing happens, and it
   * returns false.
   * @throws RangeError when the frame is longer than `MeshLimits.frameBytesMax`.
   */
  send(frame: Uint8Array): boolean;
  /**
   * The listener owns the frame. A listener that throws closes the link with `malformed`. Frames that arrived before
   * the first subscription follow a moment later, up to `MeshLimits.queueBytesMax`. `publisher` on a group link: the
   * node that sent it; otherwise the peer did.
   */
  onFrame(listener: (frame: Uint8Array, publisher?: NodeId) => void): Unsubscribe;
  /**
   * Stops reading until `resumeReading`; what has been read already still arrives. The peer's queue fills, so it sends
   * only the newest values. Meanwhile its silence does not count as a lost connection.
   */
  pauseReading(): void;
  resumeReading(): void;
  /** The queue fell below half of `MeshLimits.queueBytesHigh` after `send` gave false. */
  onDrain(listener: () => void): Unsubscribe;
  /** Called once, whichever end closed it. On a closed link the listener is called at once. */
  onClose(listener: (close: LinkClose) => void): Unsubscribe;
  /** Sends the reason to the peer if possible, and closes. Idempotent. `detail` is for people. */
  close(reason: CloseReason, detail?: string): void;
  /** For a link that leads to many nodes at once, through their server; undefined: only to its peer. */
  readonly group?: LinkGroup;
}

/**
 * Its link's peer represents all of them: what is sent reaches each, and what arrives contains the sender.
 */
export interface LinkGroup {
  /** Ignores this node, for a while at least. `detail` is for people. */
  mute(publisher: NodeId, detail: string): void;
}

export type Unsubscribe = () => void;

export interface MeshCandidate {
  /** A name, IPv4, or IPv6, scoped if link-local: "fe80::1%en3". */
  readonly address: string;
  readonly port: number;
  /** The local interface on which its beacon arrived, if any. */
  readonly interfaceName?: string;
  /** Static candidates are retried indefinitely; others are forgotten after `MeshLimits.dialFailuresMax` failures. */
  readonly source: CandidateSource;
  /** If known, it is not dialled while a link to it is up. */
  readonly peerId?: NodeId;
}

export type CandidateSource = 'static' | 'beacon' | 'peer';

export type CloseReason =
  /** One end stops. */
  | 'stopped'
  /** Nothing arrived for `MeshLimits.deadAfterMs`. */
  | 'silent'
  /** The connection broke, or the peer's process exited unexpectedly. */
  | 'lost'
  /** Another link to the same peer is kept. */
  | 'duplicate'
  /** The peer has restarted, and this link was from before that. */
  | 'replaced'
  | 'identity-in-use'
  | 'overflow'
  | 'malformed'
  | 'key-removed';

export interface LinkClose {
  readonly reason: CloseReason;
  readonly by: 'self' | 'peer';
  /** For people; may be ''. */
  readonly detail: string;
}

export type RefusalReason =
  /** The peer has the key id but not the key, or names no key id that this node accepts. */
  | 'wrong-key'
  /** Not a node: HTTP, garbage, TLS without a cluster key. */
  | 'not-a-node'
  | 'version'
  /** The proof of identity or of the key is invalid. */
  | 'bad-proof'
  | 'malformed'
  | 'identity-in-use'
  | 'self'
  /** The handshake took too long. */
  | 'too-slow'
  /** Too many handshakes, links, or attempts from one address. */
  | 'too-many'
  | 'unreachable'
  | 'lost';

/** Why a handshake failed. */
export interface RefusalMeaning {
  readonly reason: RefusalReason;
  /** Only for `unreachable`. */
  readonly cause?: UnreachableCause;
  /** One sentence for people, with what to do if that is known. */
  readonly detail: string;
}

export interface MeshRefusal extends RefusalMeaning {
  readonly direction: 'dialled' | 'accepted';
  readonly address: HostPort;
}

/** Two running daemons have one identity: a person copied a home. */
export interface IdentityConflict {
  readonly nodeId: NodeId;
  /** True when it is this node's identity. */
  readonly isOwn: boolean;
  /** Where the two were seen; the first is undefined if it is this process or unknown. */
  readonly firstAddress: HostPort | undefined;
  readonly secondAddress: HostPort;
}

/** A node's identity towards its peers. */
export interface MeshIdentity {
  readonly nodeId: NodeId;
  /** Raw ed25519 public key, 32 bytes. */
  readonly publicKey: Uint8Array;
  /** ed25519 signature, 64 bytes. */
  sign(bytes: Uint8Array): Uint8Array;
}

/** Every number in docs/limits.md about links; times in ms. */
export const MESH_LIMITS = {
  pingIntervalMs: 2_000,
  deadAfterMs: 6_000,
  /** How long the previous link of an identity has to answer before a new one replaces it. */
  holderAnswerMs: 1_000,
  handshakeMs: 5_000,
  frameBytesMax: 4 * 1024 * 1024,
  /** Incomplete frames over all links; above it the link with the most is closed. */
  partialBytesMax: 32 * 1024 * 1024,
  /** `send` returns false above this. */
  queueBytesHigh: 1024 * 1024,
  queueBytesMax: 8_000_000,
  linksMax: 512,
  /** Concurrent incoming handshakes, in total and from one address. */
  handshakesMax: 32,
  handshakesPerAddressMax: 8,
  /** Connections accepted from one address: burst, then rate per second. */
  acceptBurst: 64,
  acceptsPerSecond: 16,
  dialsMax: 8,
  dialTimeoutMs: 4_000,
  backoffMsMin: 500,
  backoffMsMax: 15_000,
  /**
   * The node with the greater id, if it has the peer's id, leaves the first dial to the other one for this
   * long.
   */
  yieldMs: 4_000,
  dialFailuresMax: 8,
  candidatesMax: 4_096,
};

export type MeshLimits = Readonly<typeof MESH_LIMITS>;

type MeshProblem = Problem<'address-in-use' | 'address-unusable' | 'bad-key'>;

export class MeshError extends ProblemError<MeshProblem> {
  override readonly name = 'MeshError';
}
