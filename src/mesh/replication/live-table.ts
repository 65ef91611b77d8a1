// The last live value of every (origin, slot, key), as its original bytes. For peers that are behind, entries
// are queued, not values: they get the newest value once there is room. No other conflation is needed.

import type { Event } from '../../core/event.ts';
import { EVENT_KINDS, eventSlot, isEventKind } from '../../core/event-kinds.ts';
import type { NodeId } from '../../core/ids.ts';
import type { VectorEntry } from '../../wire/version-vector.ts';
import type { ReplicationLimits } from './limits.ts';
import type { Receipt } from './receipt.ts';

export interface LiveValue extends Receipt {
  readonly epoch: number;
  readonly seq: number;
  readonly body: Uint8Array;
  /** The origin's public key and signature. Undefined: only the origin can pass it on. */
  readonly proof: Uint8Array | undefined;
  /** The peer that sent it; this node for its own. */
  readonly sender: NodeId;
}

export interface LiveEntry {
  readonly origin: NodeId;
  /** Its name in the table of its origin: slot and key. */
  readonly slotKey: string;
  value: LiveValue;
  /** When it arrived here, on the local clock, ms; `receivedAtMs` may be earlier. */
  storedSinceMs: number;
  /** Peers that have exactly this value. */
  readonly seenBy: Set<NodeId>;
  /** Whether others will accept it from this node; undefined until it is first sent. */
  isProven: boolean | undefined;
}

export interface LiveHead {
  readonly origin: NodeId;
  readonly kind: string;
  readonly key: string;
}

export type LivePut = 'newer' | 'same' | 'older' | 'full';

/**
 * How far an origin's values are stored: the newest number, and the sum over all keys, which reveals a
 * missing one.
 */
export interface LiveStanding {
  readonly origin: NodeId;
  readonly start: number;
  readonly seqMax: number;
  readonly seqSum: number;
}

interface Mark {
  readonly atMs: number;
  readonly seqMax: number;
  readonly seqSum: number;
}

interface Origin {
  start: number;
  seqMax: number;
  /** Sum over the newest number of each key. */
  seqSum: number;
  putAtMs: number;
  /** Bytes of bodies. */
  bytes: number;
  /** Its past tips, oldest first, a second apart. */
  readonly marks: Mark[];
  readonly entries: Map<string, LiveEntry>;
  /** Entries that come and go, by slot: the oldest is dropped for a newer one, as in State. */
  readonly passing: Map<string, Set<LiveEntry>>;
}

export class LiveTable {
  readonly #limits: ReplicationLimits;
  readonly #origins = new Map<NodeId, Origin>();
  #bytes = 0;

  constructor(limits: ReplicationLimits) {
    this.#limits = limits;
  }

  /** Bytes of all bodies. */
  get bytes(): number {
    return this.#bytes;
  }

  /** What `put` would return, apart from limits. */
  standing(head: LiveHead, { epoch, seq }: Pick<LiveValue, 'epoch' | 'seq'>): 'newer' | 'same' | 'older' {
    const origin = this.#origins.get(head.origin);
    if (origin === undefined || epoch > origin.start) return 'newer';
    if (epoch < origin.start) return 'older';
    const existing = origin.entries.get(slotKeyOf(head));
    if (existing === undefined || seq > existing.value.seq) return 'newer';
    return seq === existing.value.seq ? 'same' : 'older';
  }

  /** If 'newer', only its sender has seen the entry; `gone` was removed to make room for it. */
  put(
    head: LiveHead,
    value: LiveValue,
    nowMs: number,
  ): { readonly put: LivePut; readonly entry?: LiveEntry; readonly gone?: readonly LiveEntry[] } {
    const origin = this.#originOf(head.origin, value.epoch);
    if (value.epoch < origin.start) return { put: 'older' };
    if (value.epoch > origin.start) this.#restart(origin, value.epoch);
    const slotKey = slotKeyOf(head);
    const entry = origin.entries.get(slotKey);
    if (entry !== undefined && value.seq <= entry.value.seq)
      return { put: value.seq === entry.value.seq ? 'same' : 'older', entry };
    const growth = value.body.length - (entry?.value.body.length ?? 0);
    const { liveBytesMax } = this.#limits;
    const { gone, refusal } = this.#giveWay(origin, { head, seq: value.seq, growth, entry });
    if (refusal !== undefined) return { put: refusal, gone };
    if (this.#bytes + growth > liveBytesMax && !this.#makeRoom(origin.bytes + growth))
      return { put: 'full', gone };
    this.#bytes += growth;
    origin.bytes += growth;
    this.#mark(origin);
    origin.seqMax = Math.max(origin.seqMax, value.seq);
    origin.seqSum += summand(value.seq) - summand(entry?.value.seq ?? 0);
    origin.putAtMs = nowMs;
    const stored: LiveEntry = entry ?? {
      origin: head.origin,
      slotKey,
      value,
      storedSinceMs: nowMs,
      seenBy: new Set<NodeId>(),
      isProven: undefined,
    };
    stored.value = value;
    stored.isProven = undefined;
    stored.storedSinceMs = nowMs;
    stored.seenBy.clear();
    stored.seenBy.add(value.sender);
    origin.entries.set(slotKey, stored);
    if (entry === undefined && passingMax(head.kind) !== undefined) passingOf(origin, head.kind).add(stored);
    return { put: 'newer', entry: stored, gone };
  }

  *entries(origin?: NodeId): Iterable<LiveEntry> {
    if (origin !== undefined) yield* this.#origins.get(origin)?.entries.values() ?? [];
    else for (const one of this.#origins.values()) yield* one.entries.values();
  }

  /** The newest number of each origin, and as its tip the sum over all keys. */
  summary(): readonly VectorEntry[] {
    return Array.from(this.#origins, ([origin, { start, seqMax, seqSum }]) => {
      return { origin, epoch: start, through: seqMax, tip: seqSum };
    });
  }

  /**
   * The tip of each origin at that moment or slightly before: what arrived since may still be on its way to
   * others.
   */
  *standingBefore(atMs: number): Iterable<LiveStanding> {
    for (const [origin, values] of this.#origins) {
      const at = values.putAtMs <= atMs ? values : values.marks.findLast(mark => mark.atMs <= atMs);
      if (at !== undefined) yield { origin, start: values.start, seqMax: at.seqMax, seqSum: at.seqSum };
    }
  }

  forgetPeer(peer: NodeId): void {
    for (const entry of this.entries()) entry.seenBy.delete(peer);
  }

  /** Drops everything of an origin. Returns the dropped entries, for queues that have not sent them yet. */
  drop(node: NodeId): readonly LiveEntry[] {
    const origin = this.#origins.get(node);
    if (origin === undefined) return [];
    const entries = [...origin.entries.values()];
    this.#restart(origin, origin.start);
    this.#origins.delete(node);
    return entries;
  }

  /** Whether an origin is admitted is decided before (origin-quota.ts). */
  #originOf(node: NodeId, start: number): Origin {
    const existing = this.#origins.get(node);
    if (existing !== undefined) return existing;
    const origin = { start, ...unreported(), bytes: 0, marks: [], entries: new Map(), passing: new Map() };
    this.#origins.set(node, origin);
    return origin;
  }

  /**
   * A node publishes entries that come and go one after the other, and does not report which are over: the
   * oldest are dropped. The newest ones are stored, regardless of the order of arrival, so that nodes store
   * the same and their sums agree.
   */
  #giveWay(
    origin: Origin,
    { head, seq, growth, entry }: Arrival,
  ): { readonly gone: readonly LiveEntry[]; readonly refusal?: 'older' | 'full' } {
    const { liveBytesPerOriginMax, liveKeysPerOriginMax } = this.#limits;
    const gone: LiveEntry[] = [];
    const passing = passingMax(head.kind);
    if (entry === undefined && passing !== undefined) {
      const others = passingOf(origin, head.kind);
      if (others.size >= passing && !this.#giveUp(origin, oldestOf([others]), seq, gone))
        return { gone, refusal: 'older' };
    }
    const isFull = (): boolean =>
      origin.bytes + growth > liveBytesPerOriginMax ||
      (entry === undefined && origin.entries.size >= liveKeysPerOriginMax);
    while (isFull())
      if (!this.#giveUp(origin, oldestOf(origin.passing.values(), entry), seq, gone))
        return { gone, refusal: 'full' };
    return { gone };
  }

  /** False if there is none, or it is newer. */
  #giveUp(origin: Origin, entry: LiveEntry | undefined, seq: number, gone: LiveEntry[]): boolean {
    if (entry === undefined || entry.value.seq > seq) return false;
    const { value, slotKey } = entry;
    origin.entries.delete(slotKey);
    for (const slot of origin.passing.values()) slot.delete(entry);
    origin.bytes -= value.body.length;
    this.#bytes -= value.body.length;
    origin.seqSum -= summand(value.seq);
    gone.push(entry);
    return true;
  }

  /** Drops the values of the origin with the most bytes, if that is more than the requesting one would have. */
  #makeRoom(bytes: number): boolean {
    let greatest: Origin | undefined;
    for (const origin of this.#origins.values())
      if (origin.bytes > (greatest?.bytes ?? bytes)) greatest = origin;
    if (greatest === undefined) return false;
    this.#restart(greatest, greatest.start);
    return true;
  }

  /** A restarted daemon sends everything again: nothing from before is passed on. */
  #restart(origin: Origin, start: number): void {
    this.#bytes -= origin.bytes;
    origin.bytes = 0;
    origin.entries.clear();
    origin.passing.clear();
    origin.marks.length = 0;
    Object.assign(origin, { start, ...unreported() });
  }

  /** Called before a value changes it. */
  #mark(origin: Origin): void {
    const last = origin.marks.at(-1);
    if (last !== undefined && origin.putAtMs - last.atMs < MARK_EVERY_MS) return;
    origin.marks.push({ atMs: origin.putAtMs, seqMax: origin.seqMax, seqSum: origin.seqSum });
    if (origin.marks.length > MARKS_MAX) origin.marks.shift();
  }
}

const unreported = (): Pick<Origin, 'seqMax' | 'seqSum' | 'putAtMs'> => ({
  seqMax: 0,
  seqSum: 0,
  putAtMs: Number.NEGATIVE_INFINITY,
});
const MARK_EVERY_MS = 1_000;
const MARKS_MAX = 4;
/** Forged numbers must not make a sum that no valid digest can carry. */
const summand = (seq: number): number => seq % 2 ** 40;

interface Arrival {
  readonly head: LiveHead;
  readonly seq: number;
  /** In bytes. */
  readonly growth: number;
  /** The stored entry of its slot and key. */
  readonly entry: LiveEntry | undefined;
}

/** How many of a kind State stores, if it stores the newest. */
const passingMax = (kind: string): number | undefined => {
  if (!isEventKind(kind)) return undefined;
  const { isNewestKept, entriesMax } = EVENT_KINDS[kind];
  return isNewestKept === true ? entriesMax : undefined;
};

const passingOf = ({ passing }: Origin, kind: string): Set<LiveEntry> => {
  const slot = eventSlot(kind);
  const existing = passing.get(slot);
  if (existing !== undefined) return existing;
  const made = new Set<LiveEntry>();
  passing.set(slot, made);
  return made;
};

const oldestOf = (slots: Iterable<ReadonlySet<LiveEntry>>, except?: LiveEntry): LiveEntry | undefined => {
  let oldest: LiveEntry | undefined;
  for (const slot of slots)
    for (const entry of slot)
      if (entry !== except && (oldest === undefined || entry.value.seq < oldest.value.seq)) oldest = entry;
  return oldest;
};

const slotKeyOf = ({ kind, key }: LiveHead): string => `${eventSlot(kind)} ${key}`;

export const liveHeadOf = (event: Event): LiveHead => ({
  origin: event.origin,
  kind: event.kind === 'unknown' ? event.unknownKind : event.kind,
  key: event.key,
});
