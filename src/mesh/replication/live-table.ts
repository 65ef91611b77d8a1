// The last live value of every (origin, slot, key), as the bytes it came in. Peers that are behind are owed entries,
// not values: they get the newest value once there is room. No other conflation is needed.

import type { Event } from '../../core/event.ts';
import { eventSlot } from '../../core/event-kinds.ts';
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
  /** The peer it came from; this node for its own. */
  readonly sender: NodeId;
}

export interface LiveEntry {
  readonly origin: NodeId;
  value: LiveValue;
  /** When it came here, on the local clock, ms; `receivedAtMs` may lie before. */
  heldSinceMs: number;
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

/** How far an origin's values are held: the newest number, and the sum over all keys, which reveals a missing one. */
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
  /** Of the newest number of each key. */
  seqSum: number;
  putAtMs: number;
  /** Of bodies. */
  bytes: number;
  /** Its past tips, oldest first, a second apart. */
  readonly marks: Mark[];
  readonly entries: Map<string, LiveEntry>;
}

export class LiveTable {
  readonly #limits: ReplicationLimits;
  readonly #origins = new Map<NodeId, Origin>();
  #bytes = 0;

  constructor(limits: ReplicationLimits) {
    this.#limits = limits;
  }

  /** Of bodies, all together. */
  get bytes(): number {
    return this.#bytes;
  }

  /** What `put` would return, apart from limits. */
  standing(head: LiveHead, { epoch, seq }: Pick<LiveValue, 'epoch' | 'seq'>): 'newer' | 'same' | 'older' {
    const origin = this.#origins.get(head.origin);
    if (origin === undefined || epoch > origin.start) return 'newer';
    if (epoch < origin.start) return 'older';
    const held = origin.entries.get(placeOf(head));
    if (held === undefined || seq > held.value.seq) return 'newer';
    return seq === held.value.seq ? 'same' : 'older';
  }

  /** If 'newer', only its sender has seen the entry. */
  put(
    head: LiveHead,
    value: LiveValue,
    nowMs: number,
  ): { readonly put: LivePut; readonly entry?: LiveEntry } {
    const origin = this.#originOf(head.origin, value.epoch);
    if (value.epoch < origin.start) return { put: 'older' };
    if (value.epoch > origin.start) this.#restart(origin, value.epoch);
    const place = placeOf(head);
    const entry = origin.entries.get(place);
    if (entry !== undefined && value.seq <= entry.value.seq)
      return { put: value.seq === entry.value.seq ? 'same' : 'older', entry };
    const growth = value.body.length - (entry?.value.body.length ?? 0);
    const { liveBytesMax, liveBytesPerOriginMax, liveKeysPerOriginMax } = this.#limits;
    if (origin.bytes + growth > liveBytesPerOriginMax) return { put: 'full' };
    if (entry === undefined && origin.entries.size >= liveKeysPerOriginMax) return { put: 'full' };
    if (this.#bytes + growth > liveBytesMax && !this.#makeRoom(origin.bytes + growth)) return { put: 'full' };
    this.#bytes += growth;
    origin.bytes += growth;
    this.#mark(origin);
    origin.seqMax = Math.max(origin.seqMax, value.seq);
    origin.seqSum += summand(value.seq) - summand(entry?.value.seq ?? 0);
    origin.putAtMs = nowMs;
    const held: LiveEntry = entry ?? {
      origin: head.origin,
      value,
      heldSinceMs: nowMs,
      seenBy: new Set<NodeId>(),
      isProven: undefined,
    };
    held.value = value;
    held.isProven = undefined;
    held.heldSinceMs = nowMs;
    held.seenBy.clear();
    held.seenBy.add(value.sender);
    origin.entries.set(place, held);
    return { put: 'newer', entry: held };
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

  /** The tip of each origin at that moment or slightly before: what came since may still be on its way to others. */
  *standingBefore(atMs: number): Iterable<LiveStanding> {
    for (const [origin, held] of this.#origins) {
      const at = held.putAtMs <= atMs ? held : held.marks.findLast(mark => mark.atMs <= atMs);
      if (at !== undefined) yield { origin, start: held.start, seqMax: at.seqMax, seqSum: at.seqSum };
    }
  }

  forgetPeer(peer: NodeId): void {
    for (const entry of this.entries()) entry.seenBy.delete(peer);
  }

  /** Drops everything of an origin. Returns what was held, for queues that still have it to send. */
  drop(node: NodeId): readonly LiveEntry[] {
    const origin = this.#origins.get(node);
    if (origin === undefined) return [];
    const entries = [...origin.entries.values()];
    this.#restart(origin, origin.start);
    this.#origins.delete(node);
    return entries;
  }

  /** Whether a place has been given is decided before (origin-places.ts). */
  #originOf(node: NodeId, start: number): Origin {
    const held = this.#origins.get(node);
    if (held !== undefined) return held;
    const origin = { start, ...untold(), bytes: 0, marks: [], entries: new Map<string, LiveEntry>() };
    this.#origins.set(node, origin);
    return origin;
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
    origin.marks.length = 0;
    Object.assign(origin, { start, ...untold() });
  }

  /** Before a value changes it. */
  #mark(origin: Origin): void {
    const last = origin.marks.at(-1);
    if (last !== undefined && origin.putAtMs - last.atMs < MARK_EVERY_MS) return;
    origin.marks.push({ atMs: origin.putAtMs, seqMax: origin.seqMax, seqSum: origin.seqSum });
    if (origin.marks.length > MARKS_MAX) origin.marks.shift();
  }
}

const untold = (): Pick<Origin, 'seqMax' | 'seqSum' | 'putAtMs'> => ({
  seqMax: 0,
  seqSum: 0,
  putAtMs: Number.NEGATIVE_INFINITY,
});
const MARK_EVERY_MS = 1_000;
const MARKS_MAX = 4;
/** Forged numbers must not make a sum that no valid digest can carry. */
const summand = (seq: number): number => seq % 2 ** 40;

const placeOf = ({ kind, key }: LiveHead): string => `${eventSlot(kind)} ${key}`;

export const liveHeadOf = (event: Event): LiveHead => ({
  origin: event.origin,
  kind: event.kind === 'unknown' ? event.unknownKind : event.kind,
  key: event.key,
});
