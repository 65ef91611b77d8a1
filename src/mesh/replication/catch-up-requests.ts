// The choice of the peer from which missing records are requested. Each origin is requested from one peer at
// a time, so a node that returns to a large mesh gets everything once, not once from each peer. Claiming
// costs nothing, so the wait for a peer is short: one that does not deliver in time is marked and used less
// and less often, finally once a day, and several of the others that claim it are used at once. Only what
// advances this node counts as delivered: old records do not.

import type { NodeId } from '../../core/ids.ts';
import { isAhead, type JournalPosition, type VectorEntry } from '../../wire/version-vector.ts';
import type { ExchangeParts } from './exchange-parts.ts';
import type { ReplicaPeer } from './replica-peer.ts';

type CatchUpParts = Pick<ExchangeParts, 'store' | 'peers' | 'counts' | 'limits' | 'nowMs'>;

interface SentRequest {
  /** What the peer claims to have. */
  readonly target: JournalPosition;
  /** What was stored here at that time. */
  readonly from: JournalPosition | undefined;
  readonly atMs: number;
}

interface Failure {
  readonly count: number;
  /** Nothing is requested from it for that origin before this time. */
  readonly untilMs: number;
  /** Replies in a row that were neither all of it nor a full frame. */
  readonly parts: number;
}

/** What a frame of records brings. */
interface FrameOfRecords {
  readonly last: JournalPosition;
  /** No correct node puts more into one frame. */
  readonly isFull: boolean;
}

/** A peer that claims what it does not deliver. */
export interface Undelivered {
  readonly peer: NodeId;
  /** Requests without a timely delivery. */
  readonly count: number;
  /** Origins for which it is used at most once a day. */
  readonly givenUp: number;
}

/** The record of one peer as a source of catch-up; it outlives the link, or a new link would clear it. */
interface SourceRecord {
  readonly requests: Map<NodeId, SentRequest>;
  /** In the order of the last failure. */
  readonly failures: Map<NodeId, Failure>;
  /** Consecutive and total requests without a timely delivery. */
  failed: number;
  undelivered: number;
  /** From the last answered request to its reply. */
  answerMs: number;
}

export class CatchUpRequests {
  readonly #parts: CatchUpParts;
  readonly #records = new Map<NodeId, SourceRecord>();

  constructor(parts: CatchUpParts) {
    this.#parts = parts;
  }

  /** How often the peer did not deliver what it claimed to have. */
  undeliveredBy(peer: NodeId): number {
    return this.#records.get(peer)?.undelivered ?? 0;
  }

  /** Linked peers that fail now. */
  get undelivered(): readonly Undelivered[] {
    const { limits, peers } = this.#parts;
    return [...this.#records].flatMap(([peer, { failures, undelivered: count }]) => {
      if (!peers.has(peer)) return [];
      const counts = [...failures.values()].map(failure => failure.count);
      const givenUp = counts.filter(each => each >= limits.wantsMax).length;
      return counts.some(each => each > 0) ? [{ peer, count, givenUp }] : [];
    });
  }

  /** Whether a request to the peer for the origin has just failed. */
  isFailing(peer: NodeId, origin: NodeId): boolean {
    const failure = this.#records.get(peer)?.failures.get(origin);
    return failure !== undefined && failure.untilMs > this.#parts.nowMs();
  }

  /** Requests what is missing of these origins from the best peers, except what is already requested. */
  seek(origins: Iterable<NodeId>): void {
    const { store } = this.#parts;
    const wants = new Map<ReplicaPeer, VectorEntry[]>();
    for (const origin of origins) {
      const position = store.position(origin);
      for (const peer of this.#toRequest(origin, position)) {
        const requested = wants.get(peer) ?? [];
        requested.push({ origin, epoch: position?.epoch ?? 0, through: position?.through ?? 0 });
        wants.set(peer, requested);
      }
    }
    for (const [peer, requested] of wants) peer.outbox.report({ kind: 'want', wants: requested });
  }

  /**
   * Records of the origin arrived from this peer, up to `last`. What was requested is delivered by all of it
   * or by a full frame. Less is a part, and too many of those in a row are a failure: a peer that sends
   * record after record would delay everything.
   */
  received(peer: NodeId, origin: NodeId, { last, isFull }: FrameOfRecords): void {
    const record = this.#records.get(peer);
    const request = record?.requests.get(origin);
    if (record === undefined || request === undefined) return;
    if (!isAhead(last, request.from)) return;
    record.requests.delete(origin);
    if (isFull || !isAhead(request.target, last)) {
      record.failures.delete(origin);
      record.failed = 0;
      record.answerMs = this.#parts.nowMs() - request.atMs;
      return;
    }
    const { count = 0, untilMs = 0, parts = 0 } = record.failures.get(origin) ?? {};
    if (parts < PARTS_MAX) this.#remember(record, origin, { count, untilMs, parts: parts + 1 });
    else this.#fail(record, origin);
  }

  /** The peer has sent something of the origin beyond what is known here: it may be used again. */
  hasShown(peer: NodeId, origin: NodeId): void {
    const { limits, nowMs } = this.#parts;
    const failures = this.#records.get(peer)?.failures;
    const failure = failures?.get(origin);
    if (failure === undefined) return;
    const untilMs = Math.min(failure.untilMs, nowMs() + limits.wantPauseMsMax);
    failures?.set(origin, { ...failure, untilMs });
  }

  /** Marks peers that have not delivered in time, and uses others. Call it about every second. */
  check(): void {
    const { store, counts, limits, nowMs } = this.#parts;
    const before = nowMs() - limits.wantTimeoutMs;
    const missing = new Set<NodeId>();
    for (const record of this.#records.values())
      for (const [origin, { target, atMs }] of record.requests) {
        if (atMs > before) continue;
        record.requests.delete(origin);
        if (!isAhead(target, store.position(origin))) continue;
        missing.add(origin);
        this.#fail(record, origin);
        counts.undelivered += 1;
      }
    this.seek(missing);
  }

  /** What was requested from it is requested from others at once. */
  peerGone(peer: NodeId): void {
    const record = this.#records.get(peer);
    if (record === undefined) return;
    const { limits, nowMs, store } = this.#parts;
    const requested = [...record.requests];
    record.requests.clear();
    // One that leaves instead of delivering is no better; but a link that breaks often must not stop its peer for a day.
    for (const [origin, { target }] of requested) {
      if (!isAhead(target, store.position(origin))) continue;
      const { count = 0, untilMs = 0, parts = 0 } = record.failures.get(origin) ?? {};
      this.#remember(record, origin, {
        count: Math.max(count, Math.min(count + 1, limits.wantsMax - 1)),
        untilMs: Math.max(untilMs, nowMs() + limits.wantTimeoutMs),
        parts,
      });
      record.undelivered += 1;
    }
    if (record.failures.size === 0) this.#records.delete(peer);
    this.seek(requested.map(([origin]) => origin));
  }

  #fail(record: SourceRecord, origin: NodeId): void {
    const { limits, nowMs } = this.#parts;
    const count = (record.failures.get(origin)?.count ?? 0) + 1;
    const pauseMs =
      count < limits.wantsMax
        ? Math.min(limits.wantPauseMsMax, limits.wantTimeoutMs * 2 ** Math.min(count - 1, 20))
        : limits.wantRestMs;
    this.#remember(record, origin, { count, untilMs: nowMs() + pauseMs, parts: 0 });
    record.failed += 1;
    record.undelivered += 1;
  }

  #remember({ failures }: SourceRecord, origin: NodeId, failure: Failure): void {
    failures.delete(origin);
    failures.set(origin, failure);
    const [oldest] = failures.keys();
    if (failures.size > FAILURES_OF_PEER_MAX && oldest !== undefined) failures.delete(oldest);
  }

  /** The peers to use now; their requests are counted. */
  #toRequest(origin: NodeId, position: JournalPosition | undefined): readonly ReplicaPeer[] {
    const claimants: ReplicaPeer[] = [];
    let requested = 0;
    let hasFailed = false;
    for (const peer of this.#parts.peers.values()) {
      const target = peer.outbox.known.get(origin);
      if (!peer.hasSentHello || target === undefined || !isAhead(target, position)) continue;
      const record = this.#records.get(peer.id);
      const request = record?.requests.get(origin);
      if (request !== undefined && isAhead(request.target, position)) requested += 1;
      else if (this.isFailing(peer.id, origin)) hasFailed = true;
      else if (peer.outbox.isWritable && (record?.requests.size ?? 0) < REQUESTS_OF_PEER_MAX)
        claimants.push(peer);
    }
    const itself = claimants.find(({ id }) => id === origin);
    const slots = (hasFailed ? REQUESTED_AT_ONCE_MAX : 1) - requested;
    const chosen = itself === undefined ? this.#best(claimants).slice(0, Math.max(0, slots)) : [itself];
    return requested > 0 && itself !== undefined ? [] : chosen.filter(peer => this.#request(peer, origin));
  }

  /** First those that have delivered, then those with few open requests, then the fast ones. */
  #best(peers: readonly ReplicaPeer[]): readonly ReplicaPeer[] {
    const rank = (peer: ReplicaPeer): readonly [number, number, number] => {
      const record = this.#records.get(peer.id);
      return [record?.failed ?? 0, record?.requests.size ?? 0, record?.answerMs ?? 0];
    };
    return peers
      .map(peer => ({ peer, rank: rank(peer) }))
      .sort((a, b) => a.rank[0] - b.rank[0] || a.rank[1] - b.rank[1] || a.rank[2] - b.rank[2])
      .map(({ peer }) => peer);
  }

  #request(peer: ReplicaPeer, origin: NodeId): boolean {
    const { store, nowMs, peers } = this.#parts;
    const target = peer.outbox.known.get(origin);
    if (target === undefined) return false;
    const record = this.#records.get(peer.id) ?? newRecord();
    this.#records.set(peer.id, record);
    // Peers that are gone make room first.
    const gone = this.#records.size > PEERS_MAX && [...this.#records.keys()].find(id => !peers.has(id));
    if (gone !== false && gone !== undefined) this.#records.delete(gone);
    record.requests.set(origin, { target, from: store.position(origin), atMs: nowMs() });
    return true;
  }
}

const newRecord = (): SourceRecord => ({
  requests: new Map(),
  failures: new Map(),
  failed: 0,
  undelivered: 0,
  answerMs: 0,
});

/** Peers of which failures are remembered; and origins of one peer. */
const PEERS_MAX = 1_024;
const FAILURES_OF_PEER_MAX = 1_024;
/** A peer that is read at the moment may send a frame of a few records first. */
const PARTS_MAX = 16;
/** Origins requested from one peer at a time: a peer that claims everything takes no slot from others. */
const REQUESTS_OF_PEER_MAX = 1_024;
/** Peers asked for one origin at a time, once one of them has not delivered it. */
const REQUESTED_AT_ONCE_MAX = 3;
