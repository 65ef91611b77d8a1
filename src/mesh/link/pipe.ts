// What an adapter provides: pipes to a peer whose identity is proven. Everything after that
// (pings, one link per peer, copied homes) is the same code for every adapter.

import type { FramePipe } from '../../channel/frame-pipe.ts';
import type { HostPort } from '../../core/address/host-port.ts';
import type { NodeId } from '../../core/ids.ts';
import type { MeshCandidate, MeshRefusal } from '../mesh.ts';

export interface PeerHello {
  readonly nodeId: NodeId;
  readonly publicKey: Uint8Array;
  readonly start: number;
  /**
   * Random for each transport: distinguishes a second link of one process from a link of another process with
   * this identity.
   */
  readonly instance: string;
}

/** A pipe whose other end has proven its identity. */
export interface Handshake {
  readonly pipe: FramePipe;
  readonly peer: PeerHello;
  readonly remoteAddress: HostPort;
  readonly isInitiator: boolean;
  /** Id of the cluster key that was used; '' if the adapter has none. */
  readonly keyId: string;
}

export type DialOutcome =
  | { readonly kind: 'handshake'; readonly handshake: Handshake }
  | { readonly kind: 'refused'; readonly refusal: MeshRefusal };

export interface AcceptEvents {
  accepted(handshake: Handshake): void;
  refused(refusal: MeshRefusal): void;
}

export interface Connector {
  readonly listensOn: HostPort | undefined;
  /**
   * Once. Peers that dial from now on wait until `accept`.
   * @throws MeshError
   */
  listen(): Promise<void>;
  /** Once, after `listen`. */
  accept(events: AcceptEvents): void;
  /** Throws only the signal's reason. */
  dial(candidate: MeshCandidate, signal: AbortSignal): Promise<DialOutcome>;
  /** Whether a link that was opened with this key may stay. */
  acceptsKey(keyId: string): boolean;
  /** Ends the listener and every handshake; resolves when nothing is open. */
  close(): Promise<void>;
}

/** The first byte of each frame after the handshake. */
export const FRAME = { data: 0, ping: 1, pong: 2, ready: 3, bye: 4 } as const;
