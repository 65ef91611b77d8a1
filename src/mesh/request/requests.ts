// The port of questions between direct peers: one question, one answer, in bounded time. What must not be lost or repeated
// travels as events; this is for what two nodes agree on now, such as whose probe may use an interface.

import type { NodeId } from '../../core/ids.ts';
import type { JsonValue } from '../../wire/request-message.ts';
import type { Unsubscribe } from '../mesh.ts';

export interface Requests {
  /**
   * Asks a direct peer. Never rejects but with the signal's reason, when it aborts.
   */
  ask(node: NodeId, topic: string, body: JsonValue, options: PeerRequestOptions): Promise<AskOutcome>;
  /** Answers a topic, until the returned function is called. One handler a topic: the newest. */
  serve(topic: string, handler: AskHandler): Unsubscribe;
}

export interface PeerRequestOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export type AskOutcome =
  | { readonly kind: 'answer'; readonly body: JsonValue }
  /**
   * 'refused': the peer says why. 'unreachable': no link, or it ended meanwhile. 'timeout': nothing came; a peer of an
   * older version answers nothing.
   */
  | { readonly kind: 'refused' | 'unreachable' | 'timeout'; readonly reason: string };

export interface ReceivedRequest {
  readonly from: NodeId;
  readonly body: JsonValue;
  /** Aborts when the asker no longer waits or its link ends. */
  readonly signal: AbortSignal;
}

export type AskReply =
  | { readonly kind: 'answer'; readonly body: JsonValue }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * Ends when its signal aborts, by throwing or answering. Expected failure is a refusal; what a handler throws otherwise stops
 * the owner of the requests.
 */
export type AskHandler = (asked: ReceivedRequest) => Promise<AskReply> | AskReply;

export interface RequestLimits {
  /** Questions to one peer that wait for an answer. */
  readonly asksPerPeerMax: number;
  /** Questions of one peer that are being answered. */
  readonly answersPerPeerMax: number;
  /** Questions taken of one peer: so many at once, then so many a second. */
  readonly asksBurst: number;
  readonly asksPerSecond: number;
  readonly timeoutMsMax: number;
}

export const REQUEST_LIMITS: RequestLimits = {
  asksPerPeerMax: 64,
  answersPerPeerMax: 16,
  asksBurst: 64,
  asksPerSecond: 16,
  timeoutMsMax: 120_000,
};
