// Requests over the links of a mesh. A peer that sends too many requests, sends unexpected replies, or stays
// silent costs no more than its limits; an unknown topic is refused, so different versions can work together.

import { type Clock, untilAborted } from '../clock/clock.ts';
import { deadline } from '../clock/deadline.ts';
import { TokenBucket } from '../clock/token-bucket.ts';
import type { NodeId } from '../core/ids.ts';
import {
  decodeRequest,
  encodeRequest,
  isRequestFrame,
  type JsonValue,
  REFUSAL_LENGTH_MAX,
  type RequestMessage,
} from '../wire/request-message.ts';
import type { MeshLink, MeshTransport, Unsubscribe } from './mesh.ts';
import {
  type PeerRequestOptions,
  type QueryHandler,
  type QueryOutcome,
  type QueryReply,
  REQUEST_LIMITS,
  type RequestLimits,
  type Requests,
} from './requests.ts';

interface MeshRequestsParts {
  readonly mesh: Pick<MeshTransport, 'links' | 'onLink'>;
  readonly clock: Clock;
  readonly limits?: RequestLimits;
}

type SentRequest = Extract<RequestMessage, { kind: 'ask' }>;

interface Peer {
  readonly link: MeshLink;
  readonly requests: TokenBucket;
  readonly frames: TokenBucket;
  /** Aborts when the link ends. */
  readonly gone: AbortController;
  readonly waiting: Map<number, (outcome: QueryOutcome) => void>;
  answering: number;
}

export class MeshRequests implements Requests {
  readonly counts: RequestCounts = new RequestCounts();
  readonly #parts: MeshRequestsParts;
  readonly #limits: RequestLimits;
  readonly #peers = new Map<NodeId, Peer>();
  readonly #handlers = new Map<string, QueryHandler>();
  readonly #tasks = new Set<Promise<void>>();
  readonly #failure = Promise.withResolvers<never>();
  #nextId = 1;

  constructor(parts: MeshRequestsParts) {
    this.#parts = parts;
    this.#limits = parts.limits ?? REQUEST_LIMITS;
    this.#failure.promise.catch(() => undefined); // `run` reports it
  }

  /**
   * Serves peers until the abort; resolves when every handler has ended.
   * @throws what a handler threw
   */
  async run(signal: AbortSignal): Promise<void> {
    const { mesh } = this.#parts;
    const end = mesh.onLink(link => this.#meet(link));
    for (const link of mesh.links.values()) this.#meet(link);
    try {
      await Promise.race([untilAborted(signal), this.#failure.promise]);
    } finally {
      end();
      for (const peer of this.#peers.values()) peer.gone.abort();
      this.#peers.clear();
      await Promise.all(this.#tasks);
    }
  }

  serve(topic: string, handler: QueryHandler): Unsubscribe {
    this.#handlers.set(topic, handler);
    return () => {
      if (this.#handlers.get(topic) === handler) this.#handlers.delete(topic);
    };
  }

  async request(
    node: NodeId,
    topic: string,
    body: JsonValue,
    options: PeerRequestOptions,
  ): Promise<QueryOutcome> {
    options.signal.throwIfAborted();
    const peer = this.#peers.get(node);
    if (peer === undefined) return { kind: 'unreachable', reason: 'there is no link to it' };
    if (peer.waiting.size >= this.#limits.requestsPerPeerMax)
      return { kind: 'refused', reason: 'too many requests to it are waiting already' };
    const id = this.#nextId;
    this.#nextId += 1;
    const timeoutMs = Math.min(options.timeoutMs, this.#limits.timeoutMsMax);
    const frame = encodeRequest({ kind: 'ask', id, topic, timeoutMs, body });
    if (frame === undefined) return { kind: 'refused', reason: 'the request is too long' };
    using limit = deadline(this.#parts.clock, timeoutMs, options.signal);
    const outcome = Promise.withResolvers<QueryOutcome>();
    const report = (): void =>
      outcome.resolve({ kind: 'timeout', reason: `it did not answer within ${timeoutMs / 1_000} s` });
    const leave = (): void => outcome.resolve({ kind: 'unreachable', reason: 'its link was closed' });
    limit.signal.addEventListener('abort', report, { once: true });
    peer.gone.signal.addEventListener('abort', leave, { once: true });
    peer.waiting.set(id, outcome.resolve);
    try {
      peer.link.send(frame);
      if (!peer.link.isOpen) leave();
      return await outcome.promise;
    } finally {
      peer.waiting.delete(id);
      limit.signal.removeEventListener('abort', report);
      peer.gone.signal.removeEventListener('abort', leave);
      options.signal.throwIfAborted();
    }
  }

  #meet(link: MeshLink): void {
    const { clock } = this.#parts;
    const { queriesBurst, queriesPerSecond, framesBurst, framesPerSecond } = this.#limits;
    const peer: Peer = {
      link,
      requests: new TokenBucket(clock, { burst: queriesBurst, perSecond: queriesPerSecond }),
      frames: new TokenBucket(clock, { burst: framesBurst, perSecond: framesPerSecond }),
      gone: new AbortController(),
      waiting: new Map(),
      answering: 0,
    };
    this.#peers.get(link.peerId)?.gone.abort();
    this.#peers.set(link.peerId, peer);
    link.onFrame(frame => this.#receive(peer, frame));
    link.onClose(() => {
      if (this.#peers.get(link.peerId) === peer) this.#peers.delete(link.peerId);
      peer.gone.abort();
    });
  }

  #receive(peer: Peer, frame: Uint8Array): void {
    if (peer.gone.signal.aborted || !isRequestFrame(frame)) return;
    // Before any of it is read: a malformed message, or a reply to nothing, costs as much as a valid one.
    if (!peer.frames.take()) {
      this.counts.overRate += 1;
      return;
    }
    const decoded = decodeRequest(frame);
    if (decoded.kind === 'malformed') {
      this.counts.malformed += 1;
      return;
    }
    const { message } = decoded;
    if (message.kind === 'ask') {
      this.#take(peer, message);
      return;
    }
    const settle = peer.waiting.get(message.id);
    if (settle === undefined) this.counts.unrequested += 1;
    else if (message.kind === 'answer') settle({ kind: 'answer', body: message.body });
    else settle({ kind: 'refused', reason: message.reason });
  }

  #take(peer: Peer, request: SentRequest): void {
    if (!peer.requests.take()) {
      this.counts.overRate += 1;
      return;
    }
    const handler = this.#handlers.get(request.topic);
    if (handler === undefined) {
      this.counts.unknownTopics += 1;
      this.#reply(peer, request.id, { kind: 'refused', reason: 'this version does not know the request' });
    } else if (peer.answering >= this.#limits.answersPerPeerMax) {
      this.counts.overRate += 1;
      this.#reply(peer, request.id, { kind: 'refused', reason: 'too many requests at once' });
    } else {
      const task = this.#answer(peer, request, handler)
        .catch(error => this.#failure.reject(error))
        .finally(() => this.#tasks.delete(task));
      this.#tasks.add(task);
    }
  }

  async #answer(peer: Peer, request: SentRequest, handler: QueryHandler): Promise<void> {
    const timeoutMs = Math.min(request.timeoutMs, this.#limits.timeoutMsMax);
    using limit = deadline(this.#parts.clock, timeoutMs, peer.gone.signal);
    peer.answering += 1;
    try {
      this.counts.answered += 1;
      this.#reply(
        peer,
        request.id,
        await handler({ from: peer.link.peerId, body: request.body, signal: limit.signal }),
      );
    } catch (error) {
      // A handler that was aborted may stop by throwing.
      if (!limit.signal.aborted) throw error;
    } finally {
      peer.answering -= 1;
    }
  }

  #reply(peer: Peer, id: number, reply: QueryReply): void {
    if (peer.gone.signal.aborted) return;
    const frame = encodeRequest(
      reply.kind === 'answer'
        ? { kind: 'answer', id, body: reply.body }
        : { kind: 'refusal', id, reason: reply.reason.slice(0, REFUSAL_LENGTH_MAX) },
    );
    const tooLong = { kind: 'refusal', id, reason: 'the reply is too long' } as const;
    const sent = frame ?? encodeRequest(tooLong);
    if (sent !== undefined) peer.link.send(sent);
  }
}

class RequestCounts {
  answered = 0;
  unknownTopics = 0;
  /** Above the rate of a peer, or too many at once. */
  overRate = 0;
  malformed = 0;
  /** Replies without a pending request: late, or invented. */
  unrequested = 0;
}
