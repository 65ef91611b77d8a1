// Live events between this node and its peers: the last value of each key, relayed as its original bytes,
// with its origin's signature. A peer that is behind gets the newest; older values are dropped on the way,
// because they are not needed. On its origin's own link, where nearly all values arrive, a value is accepted
// without checking the signature.

import type { Event, KnownEvent } from '../../core/event.ts';
import type { NodeId } from '../../core/ids.ts';
import { encodeRecordBody } from '../../wire/durable-record.ts';
import { LIVE_BODY_BYTES_MAX, PROOF_BYTES, type WireLive } from '../../wire/mesh-message.ts';
import { PUBLIC_KEY_BYTES } from '../../wire/node-signature.ts';
import {
  isAhead,
  type JournalPosition,
  MESH_LIST_LENGTH_MAX,
  type VectorEntry,
} from '../../wire/version-vector.ts';
import type { ExchangeParts } from './exchange-parts.ts';
import { type LiveRead, readLive } from './live-read.ts';
import { type LiveEntry, type LiveStanding, LiveTable, type LiveValue, liveHeadOf } from './live-table.ts';
import { OriginQuota } from './origin-quota.ts';
import { joinedProof } from './record-proof.ts';
import type { RelaySource } from './relay-source.ts';
import type { ReplicaPeer } from './replica-peer.ts';
import { StandIns } from './stand-ins.ts';

/** A digest repairs only values stored for at least this long, ms: younger ones are still on their way. */
const HEAL_AFTER_MS = 2_000;

export class LiveExchange {
  readonly #parts: ExchangeParts;
  readonly #table: LiveTable;
  readonly #standIns: StandIns;
  readonly #quota: OriginQuota;
  /** The last of its own that this daemon published. */
  #reported: JournalPosition | undefined;
  /** Nodes evicted since the last sweep. */
  readonly #evicted = new Set<NodeId>();

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
    this.#table = new LiveTable(parts.limits);
    this.#standIns = new StandIns(parts.nowMs);
    const { limits, nowMs, peers } = parts;
    this.#quota = new OriginQuota({ limits: limits.liveOrigins, nowMs, peers });
  }

  get bytes(): number {
    return this.#table.bytes;
  }

  holds(origin: NodeId): boolean {
    return this.#quota.has(origin);
  }

  summary(): readonly VectorEntry[] {
    return this.#table.summary().slice(0, MESH_LIST_LENGTH_MAX);
  }

  pushOwn(event: KnownEvent): void {
    const { self, own, sign, counts, peers, nowMs } = this.#parts;
    const body = encodeRecordBody(event, event);
    if (body.length > LIVE_BODY_BYTES_MAX) {
      counts.liveRefused += 1;
      return;
    }
    const { epoch, seq, ageMs, receivedAtMs } = event;
    this.#reported = { epoch, through: seq };
    const proof = joinedProof(own.publicKey, sign(body));
    const value = { epoch, seq, body, proof, sender: self, ageMs, receivedAtMs };
    const { put, entry, gone = [] } = this.#table.put(liveHeadOf(event), value, nowMs());
    this.#forget(gone);
    if (put === 'full') counts.liveRefused += 1;
    if (put !== 'newer' || entry === undefined) return;
    for (const peer of peers.values()) if (peer.hasSentHello) peer.outbox.enqueueLive(entry);
  }

  /**
   * On connecting: every last value that no nearer node sends, except those that the peer reports to have.
   */
  greet(peer: ReplicaPeer, has: readonly VectorEntry[]): void {
    const vector = new Map(has.map(entry => [entry.origin, entry]));
    for (const entry of this.#table.entries())
      if (isBehind(entry, vector.get(entry.origin))) this.#offer(peer, entry);
    // Values of its own that it does not have: it was restored from a copy, and one of them reveals that.
    const own = [...this.#table.entries(peer.id)].sort((a, b) => b.value.seq - a.value.seq)[0];
    if (own !== undefined && isBehind(own, vector.get(peer.id))) peer.outbox.enqueueLive(own);
  }

  /**
   * Regardless of the relay rule: a peer that lacks what was here a moment ago was not sent it. It gets the
   * old values, and everything from now on if this node replaces the relay.
   */
  heal(peer: ReplicaPeer, has: readonly VectorEntry[]): void {
    const { self, nowMs, relays } = this.#parts;
    const vector = new Map(has.map(entry => [entry.origin, entry]));
    const before = nowMs() - HEAL_AFTER_MS;
    for (const standing of this.#table.standingBefore(before)) {
      const { origin } = standing;
      if (origin === peer.id) continue;
      const missing = [...this.#table.entries(origin)].filter(({ seenBy }) => !seenBy.has(peer.id));
      // A group does not summarise what its nodes have: what was sent here and did not come back from it is
      // missing.
      const isLevel =
        peer.link.group === undefined ? !lacks(vector.get(origin), standing) : missing.length === 0;
      if (isLevel) {
        this.#standIns.level(peer, origin);
        continue;
      }
      const sender = missing[0]?.value.sender;
      // A peer linked to the origin gets its values from there; late if one of them is overloaded, and copies would
      // make that worse.
      if (sender !== undefined && sender !== self && !relays.areNeighbours(origin, peer.id))
        this.#standIns.behind(peer, origin, relays.rank(sender, peer.id));
      const isOurs = this.#standIns.isFor(origin, peer);
      for (const entry of missing)
        if (isOurs || entry.storedSinceMs <= before) peer.outbox.enqueueLive(entry);
    }
  }

  /**
   * The node whose job it was may be gone: resends what this peer may now lack, and what came through it.
   */
  neighboursChanged(peer: ReplicaPeer): void {
    for (const entry of this.#table.entries()) {
      this.#offer(peer, entry);
      if (entry.value.sender !== peer.id) continue;
      for (const other of this.#parts.peers.values()) if (other.hasSentHello) this.#offer(other, entry);
    }
  }

  peerGone(peer: NodeId): void {
    this.#standIns.peerGone(peer);
    this.#table.forgetPeer(peer);
  }

  /**
   * Its own values and those with checked signatures; one received from its origin is checked when it is first passed
   * on, so this node is not taken for a forger because of it.
   */
  mayPass(entry: LiveEntry): boolean {
    const { self, counts } = this.#parts;
    const { value, origin } = entry;
    if (value.sender === self) return true;
    entry.isProven ??= this.#isProven(origin, value);
    if (!entry.isProven) counts.unprovable += 1;
    return entry.isProven;
  }

  /** Periodically: drops what invented nodes have left, here and in state, all at once. */
  sweep(): void {
    const { store, limits, nowMs } = this.#parts;
    for (const origin of this.#quota.silentSince(nowMs() - limits.liveDroppedMs))
      if (store.position(origin) === undefined) this.#evict(origin);
    const gone = [...this.#evicted].filter(origin => !this.#quota.has(origin));
    this.#evicted.clear();
    if (gone.length > 0) store.dropLive(gone);
  }

  take(peer: ReplicaPeer, from: RelaySource, entries: readonly WireLive[]): void {
    const { counts, nowMs, store } = this.#parts;
    if (!from.maySend(entries.length)) {
      counts.overRate += 1;
      return;
    }
    const events: Event[] = [];
    const moved: LiveEntry[] = [];
    for (const wire of entries) {
      const read = readLive(wire, nowMs());
      if (read === undefined) {
        counts.malformedFrames += 1;
        from.fault('an invalid live event');
        continue;
      }
      const entry = this.#receive(peer, from, read);
      if (entry === undefined) continue;
      moved.push(entry.entry);
      if (!entry.isNew) continue;
      if (read.event === undefined) counts.unreadable += 1;
      else events.push(read.event);
    }
    counts.liveApplied += events.length;
    if (events.length > 0) store.applyLive(events);
    this.#relay(peer, moved);
  }

  #receive(
    peer: ReplicaPeer,
    from: RelaySource,
    { head, value }: LiveRead,
  ): { readonly entry: LiveEntry; readonly isNew: boolean } | undefined {
    const { self, counts, nowMs } = this.#parts;
    if (head.origin === self) {
      this.#receiveOwn(from, value);
      return undefined;
    }
    const isRelayed = head.origin !== from.id;
    if (!this.#quota.mayRelay(head.origin, from.id)) {
      counts.liveRefused += 1;
      return undefined;
    }
    const mustBeProven = isRelayed && this.#table.standing(head, value) === 'newer';
    if (mustBeProven && !this.#isProven(head.origin, value)) {
      counts.forged += 1;
      from.fault(`a live event of ${head.origin} that it did not sign`);
      return undefined;
    }
    if (!this.#isAdmitted(head.origin, from.id)) {
      counts.liveRefused += 1;
      return undefined;
    }
    const { put, entry, gone = [] } = this.#table.put(head, { ...value, sender: peer.id }, nowMs());
    this.#forget(gone);
    switch (put) {
      case 'newer':
        this.#quota.received(head.origin, from.id, value.receivedAtMs);
        if (entry === undefined) return undefined;
        if (mustBeProven) entry.isProven = true;
        return { entry, isNew: true };
      case 'same':
        counts.liveRepeated += 1;
        entry?.seenBy.add(peer.id);
        return entry === undefined ? undefined : { entry, isNew: false };
      case 'older':
        counts.liveRepeated += 1;
        return undefined;
      case 'full':
        counts.liveRefused += 1;
        return undefined;
      default:
        return put satisfies never;
    }
  }

  #receiveOwn(from: RelaySource, value: LiveRead['value']): void {
    const { self, counts, store } = this.#parts;
    if (!isAhead({ epoch: value.epoch, through: value.seq }, this.#reported)) return;
    if (this.#isProven(self, value)) {
      store.raiseStart(value.epoch);
      return;
    }
    counts.forged += 1;
    from.fault('a live event of this node that it did not sign');
  }

  #isAdmitted(origin: NodeId, relaySource: NodeId): boolean {
    if (this.#quota.has(origin)) return true;
    const admission = this.#quota.admit(origin, relaySource);
    if (admission.kind === 'admitted' && admission.evicted !== undefined) this.#evict(admission.evicted);
    return admission.kind === 'admitted';
  }

  #evict(origin: NodeId): void {
    this.#parts.counts.originsEvicted += 1;
    this.#quota.drop(origin);
    this.#evicted.add(origin);
    this.#forget(this.#table.drop(origin));
  }

  #forget(entries: readonly LiveEntry[]): void {
    for (const entry of entries) for (const peer of this.#parts.peers.values()) peer.outbox.forgetLive(entry);
  }

  #isProven(origin: NodeId, { proof, body }: Pick<LiveValue, 'proof' | 'body'>): boolean {
    if (proof?.length !== PROOF_BYTES) return false;
    const signature = proof.subarray(PUBLIC_KEY_BYTES);
    return this.#parts.keys.isSignedBy(origin, proof.subarray(0, PUBLIC_KEY_BYTES), body, signature);
  }

  #relay(sender: ReplicaPeer, entries: readonly LiveEntry[]): void {
    if (entries.length === 0) return;
    for (const peer of this.#parts.relays.to(sender.id)) for (const entry of entries) enqueue(peer, entry);
    for (const entry of entries) for (const peer of this.#standIns.for(entry.origin)) enqueue(peer, entry);
  }

  #offer(peer: ReplicaPeer, entry: LiveEntry): void {
    const { self, relays } = this.#parts;
    if (entry.origin === peer.id || entry.seenBy.has(peer.id)) return;
    const { sender } = entry.value;
    if (sender === self || relays.isOne(sender, peer.id)) peer.outbox.enqueueLive(entry);
  }
}

const enqueue = (peer: ReplicaPeer, entry: LiveEntry): void => {
  if (entry.origin !== peer.id && !entry.seenBy.has(peer.id)) peer.outbox.enqueueLive(entry);
};

/** By the sum over all keys, if the peer sends it. */
const lacks = (has: VectorEntry | undefined, { start, seqMax, seqSum }: LiveStanding): boolean => {
  if (has === undefined || has.epoch < start) return true;
  if (has.epoch > start) return false;
  return has.tip === undefined ? has.through < seqMax : has.tip < seqSum;
};

const isBehind = ({ value }: LiveEntry, has: VectorEntry | undefined): boolean =>
  isAhead({ epoch: value.epoch, through: value.seq }, has);
