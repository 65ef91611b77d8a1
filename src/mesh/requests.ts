// The port of requests between direct peers: one request, one reply, in bounded time. What must not be lost or repeated
// is sent as events; this is for what two nodes agree on now, such as whose probe may use an interface.

import type { NodeId } from '../core/ids.ts';
import type { JsonValue } from '../wire/request-message.ts';
import type { Unsubscribe } from './mesh.ts';

export interface Requests {
  /** Sends a request to a direct peer. Rejects only with the signal's reason, when it aborts. */
  request(node: NodeId, topic: string, body: JsonValue, options: PeerRequestOptions): Promise<QueryOutcome>;
  /** Handles a topic, until the returned function is called. One handler per topic: the newest. */
  serve(topic: string, handler: QueryHandler): Unsubscribe;
}

export interface PeerRequestOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export type QueryOutcome =
  | { readonly kind: 'answer'; readonly body: JsonValue }
  /**
   * 'refused': the peer gives a reason. 'unreachable': no link, or it ended meanwhile. 'timeout': no reply.
   */
  | { readonly kind: 'refused' | 'unreachable' | 'timeout'; readonly reason: string };

interface ReceivedRequest {
  readonly from: NodeId;
  readonly body: JsonValue;
  /** Aborts when the requesting peer no longer waits or its link ends. */
  readonly signal: AbortSignal;
}

export type QueryReply =
  | { readonly kind: 'answer'; readonly body: JsonValue }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * Ends when its signal aborts, by throwing or replying. Expected failure is a refusal; anything else a
 * handler throws stops the owner of the requests.
 */
export type QueryHandler = (requested: ReceivedRequest) => Promise<QueryReply> | QueryReply;

export const REQUEST_LIMITS = {
  /** Requests to one peer that wait for a reply. */
  requestsPerPeerMax: 64,
  /** Requests of one peer that are being handled. */
  answersPerPeerMax: 16,
  /** Requests accepted from one peer: burst, then rate per second. */
  queriesBurst: 64,
  queriesPerSecond: 16,
  /** Requests and replies of one peer that are read at all: burst, then rate per second. */
  framesBurst: 1_024,
  framesPerSecond: 256,
  timeoutMsMax: 120_000,
};

export type RequestLimits = Readonly<typeof REQUEST_LIMITS>;
