// The port of the mesh: authenticated links between nodes, over which frames travel whole and in order. Whoever replicates
// sees only this; sockets, TLS and discovery stay behind it. One link a peer, whoever dialled it.

import type { HostPort } from '../core/address/host-port.ts';
import type { NodeId } from '../core/ids.ts';
import type { Problem } from '../core/problem.ts';
import { ProblemError } from '../core/problem.ts';
import type { UnreachableCause } from '../wire/mesh-status.ts';

export interface MeshTransport extends AsyncDisposable {
  readonly localId: NodeId;
  /** Where peers reach this node; undefined before `start`, and for a node that only dials. */
  readonly listensOn: HostPort | undefined;
  /** The links that are up, one a peer. */
  readonly links: ReadonlyMap<NodeId, MeshLink>;
  /** Of everything that was turned away or failed, since the start. */
  readonly refusalCounts: ReadonlyMap<RefusalReason, number>;
  /**
   * Takes the address, so that `listensOn` is known. Whoever dials it waits until `start`: a link that comes up before those
   * who use it subscribe would have nobody to hear it.
   * @throws MeshError `address-in-use` | `address-unusable`.
   */
  listen(): Promise<void>;
  /**
   * Accepts and begins to dial; listens first where that was not done. Resolves when peers can connect. An abort closes
   * every link and the listener, like disposing.
   * @throws MeshError `address-in-use` | `address-unusable`.
   */
  start(signal: AbortSignal): Promise<void>;
  /** An address that may lead to a peer. Told again, it is tried again soon, however often it failed. */
  addCandidate(candidate: MeshCandidate): void;
  /**
   * Called for each link that is up. The first frames may follow at once; they wait for whoever subscribes to them first.
   * @returns the function that ends the subscription; so do all `on…` here.
   */
  onLink(listener: (link: MeshLink) => void): Unsubscribe;
  onRefused(listener: (refusal: MeshRefusal) => void): Unsubscribe;
  onConflict(listener: (conflict: IdentityConflict) => void): Unsubscribe;
}

export interface MeshLink {
  readonly peerId: NodeId;
  /** Raw ed25519 key that `peerId` is the hash of, 32 bytes; proven on this link. */
  readonly peerPublicKey: Uint8Array;
  /** The start number of the peer's daemon: the epoch of its live events. Greater after each restart. */
  readonly peerStart: number;
  /** As this node sees the peer; scoped for IPv6 link-local: "fe80::1%en3". The port is the dialled one only if `isInitiator`. */
  readonly remoteAddress: HostPort;
  /** True when this node dialled. */
  readonly isInitiator: boolean;
  /** What waits here for the peer to take it. */
  readonly queuedBytes: number;
  readonly isOpen: boolean;
  /**
   * Queues one frame, whole or not at all. The bytes must not be changed afterwards.
   * @returns false when the sender should wait for `onDrain`; the frame was still taken. Past `MeshLimits.queueBytesMax`
   * the link closes with `overflow`. On a closed link nothing happens and false comes back.
   * @throws RangeError when the frame is longer than `MeshLimits.frameBytesMax`.
   */
  send(frame: Uint8Array): boolean;
  /**
   * A frame is the listener's to keep. A listener that throws closes the link with `malformed`. What came before the first one
   * subscribed follows a moment later, up to `MeshLimits.queueBytesMax`.
   */
  onFrame(listener: (frame: Uint8Array) => void): Unsubscribe;
  /**
   * Nothing more is read until `resumeReading`, but for what has been read already: the peer's queue fills, so that it sends the
   * newest value alone instead of all of them. Its silence is not held against it meanwhile.
   */
  pauseReading(): void;
  resumeReading(): void;
  /** The queue fell below half of `MeshLimits.queueBytesHigh` after `send` gave false. */
  onDrain(listener: () => void): Unsubscribe;
  /** Once, whoever closed it. Subscribing to a closed link calls at once. */
  onClose(listener: (close: LinkClose) => void): Unsubscribe;
  /** Says why to the peer where that is possible, and closes. Idempotent. `detail` is for people. */
  close(reason: CloseReason, detail?: string): void;
}

export type Unsubscribe = () => void;

export interface MeshCandidate {
  /** A name, IPv4, or IPv6, scoped where it is link-local: "fe80::1%en3". */
  readonly address: string;
  readonly port: number;
  /** The local interface on which it was heard, if any. */
  readonly interfaceName?: string;
  /** Static candidates are retried for ever; others are forgotten after `MeshLimits.dialFailuresMax` failures. */
  readonly source: CandidateSource;
  /** Where it is known: no dial while a link to it is up. */
  readonly peerId?: NodeId;
}

export type CandidateSource = 'static' | 'beacon' | 'peer';

export type CloseReason =
  /** One end stops. */
  | 'stopped'
  /** Nothing was heard for `MeshLimits.deadAfterMs`. */
  | 'silent'
  /** The connection broke, or the peer's process ended without a word. */
  | 'lost'
  /** Another link to the same peer is kept. */
  | 'duplicate'
  /** The peer has started again and this was a link of its former life. */
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
  /** It knows the same key id, but not the key; or no key id that this node accepts. */
  | 'wrong-key'
  /** What speaks there is no node: HTTP, garbage, TLS without a cluster key. */
  | 'not-a-node'
  | 'version'
  /** The proof of identity or of the key does not hold. */
  | 'bad-proof'
  | 'malformed'
  | 'identity-in-use'
  | 'self'
  /** Longer than the handshake may take. */
  | 'too-slow'
  /** Too many handshakes, links, or attempts from one address. */
  | 'too-many'
  | 'unreachable'
  | 'lost';

/** Why a handshake came to nothing. */
export interface RefusalMeaning {
  readonly reason: RefusalReason;
  /** Of `unreachable`. */
  readonly cause?: UnreachableCause;
  /** One sentence for people, with what to do where that is known. */
  readonly detail: string;
}

export interface MeshRefusal extends RefusalMeaning {
  readonly direction: 'dialled' | 'accepted';
  readonly address: HostPort;
}

/** Two running daemons have one identity: somebody copied a home. */
export interface IdentityConflict {
  readonly nodeId: NodeId;
  /** True when it is the identity of this very node. */
  readonly isOwn: boolean;
  /** Where the two were seen; the first is undefined where it is this process, or not known. */
  readonly firstAddress: HostPort | undefined;
  readonly secondAddress: HostPort;
}

/** Who a node is towards its peers. */
export interface MeshIdentity {
  readonly nodeId: NodeId;
  /** Raw ed25519 public key, 32 bytes. */
  readonly publicKey: Uint8Array;
  /** ed25519 signature, 64 bytes. */
  sign(bytes: Uint8Array): Uint8Array;
}

/** Every number of docs/limits.md that concerns links; times in ms. */
export interface MeshLimits {
  readonly pingIntervalMs: number;
  readonly deadAfterMs: number;
  /** How long the former link of an identity has to answer before a new one replaces it. */
  readonly holderAnswerMs: number;
  readonly handshakeMs: number;
  readonly frameBytesMax: number;
  /** Of frames that are not whole, over all links; past it the link that holds most is closed. */
  readonly partialBytesMax: number;
  /** `send` answers false above this. */
  readonly queueBytesHigh: number;
  readonly queueBytesMax: number;
  readonly linksMax: number;
  /** Handshakes of others at once, in all and from one address. */
  readonly handshakesMax: number;
  readonly handshakesPerAddressMax: number;
  /** Connections accepted from one address: so many at once, then so many a second. */
  readonly acceptBurst: number;
  readonly acceptsPerSecond: number;
  readonly dialsMax: number;
  readonly dialTimeoutMs: number;
  readonly backoffMsMin: number;
  readonly backoffMsMax: number;
  /** The node with the greater id leaves the first dial to the other one for so long, where it knows the peer's id. */
  readonly yieldMs: number;
  readonly dialFailuresMax: number;
  readonly candidatesMax: number;
}

export const MESH_LIMITS: MeshLimits = {
  pingIntervalMs: 2_000,
  deadAfterMs: 6_000,
  holderAnswerMs: 1_000,
  handshakeMs: 5_000,
  frameBytesMax: 4 * 1024 * 1024,
  partialBytesMax: 32 * 1024 * 1024,
  queueBytesHigh: 1024 * 1024,
  queueBytesMax: 8_000_000,
  linksMax: 512,
  handshakesMax: 32,
  handshakesPerAddressMax: 8,
  acceptBurst: 64,
  acceptsPerSecond: 16,
  dialsMax: 8,
  dialTimeoutMs: 4_000,
  backoffMsMin: 500,
  backoffMsMax: 15_000,
  yieldMs: 4_000,
  dialFailuresMax: 8,
  candidatesMax: 4_096,
};

export type MeshProblem = Problem<'address-in-use' | 'address-unusable' | 'bad-key'>;

export class MeshError extends ProblemError<MeshProblem> {
  override readonly name = 'MeshError';
}
