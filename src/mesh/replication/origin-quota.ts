// The nodes whose values are stored here, and the peers that sent them. Anyone with the key can invent
// thousands of nodes, so a node that is not linked itself takes its slot from the share of the peer that
// sends it: a burst, then a rate per second, and no peer more than its share while there are others. When all
// slots are taken, silent nodes are evicted first, then those of the peer that sent the most; a node that is
// linked itself always has one.

import { AddressBuckets } from '../../clock/token-bucket.ts';
import type { NodeId } from '../../core/ids.ts';

export interface OriginLimits {
  readonly originsMax: number;
  /** Nodes that one peer may introduce: burst, and rate per second. */
  readonly relayedBurst: number;
  readonly relayedPerSecond: number;
  /** A node silent for this long can be evicted for any other, ms. */
  readonly silentMs: number;
}

interface OriginQuotaParts {
  readonly limits: OriginLimits;
  readonly nowMs: () => number;
  /** Peers that are linked now. */
  readonly peers: { readonly size: number; has(node: NodeId): boolean };
}

interface Slot {
  /** The peer that sent its newest value; the node itself if it is linked. */
  relaySource: NodeId;
  lastMessageAtMs: number;
}

type QuotaDecision =
  | { readonly kind: 'admitted'; readonly evicted: NodeId | undefined }
  | { readonly kind: 'refused' };

export class OriginQuota {
  readonly #parts: OriginQuotaParts;
  readonly #origins = new Map<NodeId, Slot>();
  readonly #counts = new Map<NodeId, number>();
  readonly #rates: AddressBuckets;

  constructor(parts: OriginQuotaParts) {
    this.#parts = parts;
    const { relayedBurst, relayedPerSecond } = parts.limits;
    const rate = { burst: relayedBurst, perSecond: relayedPerSecond };
    this.#rates = new AddressBuckets(parts, rate, RELAY_SOURCES_MAX);
  }

  get size(): number {
    return this.#origins.size;
  }

  has(origin: NodeId): boolean {
    return this.#origins.has(origin);
  }

  /** Whether the peer may introduce one more node now; checked before any expensive work. */
  mayRelay(origin: NodeId, relaySource: NodeId): boolean {
    if (origin === relaySource || this.#origins.has(origin)) return true;
    return this.#countOf(relaySource) < this.#shareMax && this.#rates.of(relaySource).take();
  }

  /** A slot for a node that has none. */
  admit(origin: NodeId, relaySource: NodeId): QuotaDecision {
    let evicted: NodeId | undefined;
    if (this.#origins.size >= this.#parts.limits.originsMax) {
      evicted = this.#victim(origin, relaySource);
      if (evicted === undefined) return { kind: 'refused' };
      this.drop(evicted);
    }
    this.#origins.set(origin, { relaySource, lastMessageAtMs: this.#parts.nowMs() });
    this.#count(relaySource, 1);
    return { kind: 'admitted', evicted };
  }

  /** A value of a node that has a slot was new. `lastMessageAtMs` is in the past for a value that was already old. */
  received(origin: NodeId, relaySource: NodeId, lastMessageAtMs: number): void {
    const slot = this.#origins.get(origin);
    if (slot === undefined) return;
    slot.lastMessageAtMs = Math.max(slot.lastMessageAtMs, lastMessageAtMs);
    if (slot.relaySource === relaySource) return;
    this.#count(slot.relaySource, -1);
    this.#count(relaySource, 1);
    slot.relaySource = relaySource;
  }

  drop(origin: NodeId): void {
    const slot = this.#origins.get(origin);
    if (slot === undefined) return;
    this.#origins.delete(origin);
    this.#count(slot.relaySource, -1);
  }

  /** Nodes that are not linked and have sent nothing since. */
  silentSince(atMs: number): readonly NodeId[] {
    return [...this.#origins]
      .filter(([origin, { lastMessageAtMs }]) => lastMessageAtMs <= atMs && !this.#parts.peers.has(origin))
      .map(([origin]) => origin);
  }

  /** A single peer may fill the table: there is no other to reserve slots for. */
  get #shareMax(): number {
    const { originsMax } = this.#parts.limits;
    return this.#parts.peers.size > 1 ? Math.floor(originsMax / 2) : originsMax;
  }

  #victim(origin: NodeId, relaySource: NodeId): NodeId | undefined {
    const { limits, nowMs, peers } = this.#parts;
    const most = this.#mainRelaySource();
    let oldest: NodeId | undefined;
    let oldestOfMost: NodeId | undefined;
    const lastMessageAtMs = (node: NodeId | undefined): number =>
      node === undefined ? Number.POSITIVE_INFINITY : (this.#origins.get(node)?.lastMessageAtMs ?? 0);
    for (const [node, slot] of this.#origins) {
      if (peers.has(node)) continue;
      if (slot.lastMessageAtMs < lastMessageAtMs(oldest)) oldest = node;
      if (slot.relaySource === most && slot.lastMessageAtMs < lastMessageAtMs(oldestOfMost))
        oldestOfMost = node;
    }
    if (nowMs() - lastMessageAtMs(oldest) >= limits.silentMs) return oldest;
    const isDue =
      origin === relaySource || (most !== undefined && this.#countOf(relaySource) + 1 < this.#countOf(most));
    return isDue ? (oldestOfMost ?? oldest) : undefined;
  }

  #mainRelaySource(): NodeId | undefined {
    let most: NodeId | undefined;
    for (const [relaySource, count] of this.#counts) if (count > this.#countOf(most)) most = relaySource;
    return most;
  }

  #countOf(relaySource: NodeId | undefined): number {
    return relaySource === undefined ? 0 : (this.#counts.get(relaySource) ?? 0);
  }

  #count(relaySource: NodeId, change: 1 | -1): void {
    const count = this.#countOf(relaySource) + change;
    if (count === 0) this.#counts.delete(relaySource);
    else this.#counts.set(relaySource, count);
  }
}

/** Peers whose rate is tracked. */
const RELAY_SOURCES_MAX = 1_024;
