// Which peer is asked for what is missing here. Each origin is requested from one peer at a time, so a node that
// returns to a large mesh gets everything once, not once from each peer. Claiming costs nothing, so no peer is waited
// for long: one that does not deliver in time is marked and asked less and less often, and several of the others that
// claim it are asked at once.

import type { NodeId } from '../../core/ids.ts';
import type { VectorEntry } from '../../wire/version-vector.ts';
import type { ExchangeParts } from './exchange-parts.ts';
import type { Place } from './positions.ts';
import { isAhead } from './positions.ts';
import type { ReplicaPeer } from './replica-peer.ts';

type CatchUpParts = Pick<ExchangeParts, 'store' | 'peers' | 'counts' | 'limits' | 'nowMs'>;

interface Ask {
  /** What the peer claims to hold. */
  readonly target: Place;
  readonly atMs: number;
}

interface Failure {
  readonly count: number;
  /** It is not asked for that origin again before this time. */
  readonly untilMs: number;
}

/** The record of one peer as a source of catch-up. */
interface SourceRecord {
  readonly asks: Map<NodeId, Ask>;
  readonly failures: Map<NodeId, Failure>;
  /** Requests in a row, and in all, that brought nothing in time. */
  failed: number;
  undelivered: number;
  /** From the last answered request to its reply. */
  answerMs: number;
}

export class CatchUpAsks {
  readonly #parts: CatchUpParts;
  readonly #records = new Map<NodeId, SourceRecord>();

  constructor(parts: CatchUpParts) {
    this.#parts = parts;
  }

  /** How often the peer did not deliver what it claimed to hold, since its link came up. */
  undeliveredBy(peer: NodeId): number {
    return this.#records.get(peer)?.undelivered ?? 0;
  }

  /** Whether the peer has just been asked for the origin in vain. */
  isFailing(peer: NodeId, origin: NodeId): boolean {
    const failure = this.#records.get(peer)?.failures.get(origin);
    return failure !== undefined && failure.untilMs > this.#parts.nowMs();
  }

  /** Asks the best peers for what is missing of these origins, except what is on its way. */
  seek(origins: Iterable<NodeId>): void {
    const { store } = this.#parts;
    const wants = new Map<ReplicaPeer, VectorEntry[]>();
    for (const origin of origins) {
      const place = store.position(origin);
      for (const peer of this.#toAsk(origin, place)) {
        const asked = wants.get(peer) ?? [];
        asked.push({ origin, epoch: place?.epoch ?? 0, through: place?.through ?? 0 });
        wants.set(peer, asked);
      }
    }
    for (const [peer, asked] of wants) peer.outbox.tell({ kind: 'want', wants: asked });
  }

  /** Records requested from this peer arrived, whether or not they were still new. */
  delivered(peer: NodeId, origin: NodeId): void {
    const record = this.#records.get(peer);
    const ask = record?.asks.get(origin);
    if (record === undefined || ask === undefined) return;
    record.asks.delete(origin);
    record.failures.delete(origin);
    record.failed = 0;
    record.answerMs = this.#parts.nowMs() - ask.atMs;
  }

  /** Marks peers that have not delivered in time, and asks others. Call it about every second. */
  check(): void {
    const { store, counts, limits, nowMs } = this.#parts;
    const before = nowMs() - limits.wantTimeoutMs;
    const missing = new Set<NodeId>();
    for (const record of this.#records.values())
      for (const [origin, { target, atMs }] of record.asks) {
        if (atMs > before) continue;
        record.asks.delete(origin);
        if (!isAhead(target, store.position(origin))) continue;
        missing.add(origin);
        this.#fail(record, origin);
        counts.undelivered += 1;
      }
    this.seek(missing);
  }

  /** What was on its way from it is requested from others at once. */
  peerGone(peer: NodeId): void {
    const record = this.#records.get(peer);
    this.#records.delete(peer);
    if (record !== undefined) this.seek(record.asks.keys());
  }

  #fail(record: SourceRecord, origin: NodeId): void {
    const { limits, nowMs } = this.#parts;
    const count = (record.failures.get(origin)?.count ?? 0) + 1;
    const pauseMs = Math.min(limits.wantPauseMsMax, limits.wantTimeoutMs * 2 ** Math.min(count - 1, 20));
    record.failures.set(origin, { count, untilMs: nowMs() + pauseMs });
    record.failed += 1;
    record.undelivered += 1;
  }

  /** The peers to ask now; they count as asked. */
  #toAsk(origin: NodeId, place: Place | undefined): readonly ReplicaPeer[] {
    const claimants: ReplicaPeer[] = [];
    let asked = 0;
    let hasFailed = false;
    for (const peer of this.#parts.peers.values()) {
      const target = peer.outbox.known.get(origin);
      if (!peer.hasSaidHello || target === undefined || !isAhead(target, place)) continue;
      const record = this.#records.get(peer.id);
      const ask = record?.asks.get(origin);
      if (ask !== undefined && isAhead(ask.target, place)) asked += 1;
      else if (this.isFailing(peer.id, origin)) hasFailed = true;
      else if (peer.outbox.isWritable && (record?.asks.size ?? 0) < ASKS_OF_PEER_MAX) claimants.push(peer);
    }
    const itself = claimants.find(({ id }) => id === origin);
    const places = (hasFailed ? ASKED_AT_ONCE_MAX : 1) - asked;
    const chosen = itself === undefined ? this.#best(claimants).slice(0, Math.max(0, places)) : [itself];
    return asked > 0 && itself !== undefined ? [] : chosen.filter(peer => this.#ask(peer, origin));
  }

  /** First those that have delivered, then those with few open requests, then the fast ones. */
  #best(peers: readonly ReplicaPeer[]): readonly ReplicaPeer[] {
    const rank = (peer: ReplicaPeer): readonly [number, number, number] => {
      const record = this.#records.get(peer.id);
      return [record?.failed ?? 0, record?.asks.size ?? 0, record?.answerMs ?? 0];
    };
    return peers
      .map(peer => ({ peer, rank: rank(peer) }))
      .sort((a, b) => a.rank[0] - b.rank[0] || a.rank[1] - b.rank[1] || a.rank[2] - b.rank[2])
      .map(({ peer }) => peer);
  }

  #ask(peer: ReplicaPeer, origin: NodeId): boolean {
    const target = peer.outbox.known.get(origin);
    if (target === undefined) return false;
    const record = this.#records.get(peer.id) ?? newRecord();
    this.#records.set(peer.id, record);
    record.asks.set(origin, { target, atMs: this.#parts.nowMs() });
    return true;
  }
}

const newRecord = (): SourceRecord => ({
  asks: new Map(),
  failures: new Map(),
  failed: 0,
  undelivered: 0,
  answerMs: 0,
});

/** Origins requested from one peer at a time: a peer that claims everything takes no place from others. */
const ASKS_OF_PEER_MAX = 1_024;
/** Peers asked for one origin at a time, once one of them has not delivered it. */
const ASKED_AT_ONCE_MAX = 3;
