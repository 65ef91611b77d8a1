// What probing needs from the mesh: to send a request to a peer and to reply to one. The mesh's requests have
// this interface.

import type { NodeId } from '../core/ids.ts';
import type { JsonValue } from '../wire/request-message.ts';

export interface PeerRequests {
  /** Rejects only with the signal's reason, when it aborts. */
  request(
    node: NodeId,
    topic: string,
    body: JsonValue,
    options: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<PeerOutcome>;
  /** @returns the function that ends it */
  serve(topic: string, handler: (requested: PeerQuestion) => Promise<PeerReply> | PeerReply): () => void;
}

type PeerOutcome =
  | { readonly kind: 'answer'; readonly body: JsonValue }
  | { readonly kind: 'refused' | 'unreachable' | 'timeout'; readonly reason: string };

export interface PeerQuestion {
  readonly from: NodeId;
  readonly body: JsonValue;
  readonly signal: AbortSignal;
}

export type PeerReply =
  | { readonly kind: 'answer'; readonly body: JsonValue }
  | { readonly kind: 'refused'; readonly reason: string };
