// What this node publishes to its fleet: records into the two streams, readings to whoever listens, and records to one
// node that asked for them.

import { createHash } from 'node:crypto';
import { TokenBucket } from '../../clock/token-bucket.ts';
import { eventSlot } from '../../core/event-kinds.ts';
import type { NodeId } from '../../core/ids.ts';
import type { MeshMessage, WireLive } from '../../wire/mesh-message.ts';
import { encodeMeshMessage, liveFrameBytes } from '../../wire/mesh-message.ts';
import { decodeRecordHead } from '../../wire/record-head.ts';
import type { VectorEntry } from '../../wire/version-vector.ts';
import type { ChunkSource } from '../replication/record-chunks.ts';
import type { FleetMessages } from './fleet-messages.ts';
import type { FleetSubjects } from './fleet-subjects.ts';
import { DIGEST, DIGEST_ENTRIES_MAX, HELLO, RECORDS, WANT } from './fleet-subjects.ts';

type RecordsFrame = Extract<MeshMessage, { kind: 'records' }>;

interface ToldReading {
  readonly entry: WireLive;
  readonly slot: string;
  readonly toldAtMs: number;
}

export interface FleetPublisherParts {
  readonly self: NodeId;
  readonly messages: FleetMessages;
  readonly subjects: FleetSubjects;
  readonly chunks: ChunkSource;
  readonly nowMs: () => number;
}

export class FleetPublisher {
  readonly #parts: FleetPublisherParts;
  /** The newest reading of each key, for nodes that come later: what changes once in a minute would be missing so long. */
  readonly #told = new Map<string, ToldReading>();
  readonly #askers = new Map<NodeId, TokenBucket>();

  constructor(parts: FleetPublisherParts) {
    this.#parts = parts;
  }

  /**
   * Last values first: whoever begins to read between the two finds the record there. @returns whether the server took
   * all of it.
   */
  async storeRecords(message: RecordsFrame, frame: Uint8Array): Promise<boolean> {
    const { messages, subjects, self } = this.#parts;
    const { origin, epoch, after, through, records } = message;
    const stored = records.map(async wire => {
      const head = decodeRecordHead(wire.body);
      if (head === undefined) return true;
      const { seq, kind, key } = head;
      const name = origin === self ? key : `${origin} ${key}`;
      const state = { kind: 'records' as const, origin, epoch, after: seq - 1, through, records: [wire] };
      return messages.store(
        subjects.ownState(eventSlot(kind), name === '' ? '' : keyToken(name)),
        encodeMeshMessage(state),
      );
    });
    const last = decodeRecordHead(records.at(-1)?.body ?? NOTHING)?.seq ?? after;
    stored.push(messages.store(subjects.ownEvent, frame, `${origin}:${epoch}:${after}:${last}`));
    return (await Promise.all(stored)).every(isStored => isStored);
  }

  async storeFork(frame: Uint8Array): Promise<void> {
    const { messages, subjects } = this.#parts;
    await messages.store(subjects.ownEvent, frame);
  }

  tellLive(entries: readonly WireLive[]): void {
    const { nowMs } = this.#parts;
    const bySlot = new Map<string, WireLive[]>();
    for (const entry of entries) {
      const head = decodeRecordHead(entry.body);
      const slot = eventSlot(head?.kind ?? 'unknown');
      const of = bySlot.get(slot) ?? [];
      if (of.length === 0) bySlot.set(slot, of);
      of.push(entry);
      if (head?.origin !== this.#parts.self) continue;
      const place = `${slot} ${head.key}`;
      if (this.#told.has(place) || this.#told.size < TOLD_MAX)
        this.#told.set(place, { entry, slot, toldAtMs: nowMs() });
    }
    for (const [slot, of] of bySlot) this.#tellSlot(slot, of);
  }

  /** Somebody has come and missed what was told until then: it is told again, with the age that it has. */
  tellAgain(untilMs: number): void {
    const nowMs = this.#parts.nowMs();
    for (const { entry, slot, toldAtMs } of this.#told.values()) {
      const heldMs = nowMs - toldAtMs;
      if (toldAtMs <= untilMs) this.#tellSlot(slot, [{ ...entry, ageMs: entry.ageMs + heldMs }]);
    }
  }

  tellHello(): void {
    const { messages, subjects } = this.#parts;
    messages.tell(subjects.ownReading(HELLO), encodeMeshMessage({ kind: 'ask-neighbours' }));
  }

  /** Proof of life, and how far this node's own journal goes: whoever missed a record asks for it. */
  tellDigest(vectors: readonly VectorEntry[]): void {
    const { messages, subjects, self } = this.#parts;
    const ordered = vectors.toSorted((a, b) => Number(b.origin === self) - Number(a.origin === self));
    const frame = encodeMeshMessage({
      kind: 'digest',
      vectors: ordered.slice(0, DIGEST_ENTRIES_MAX),
      live: [],
      neighboursVersion: 0,
    });
    messages.tell(subjects.ownReading(DIGEST), frame);
  }

  /** For what follows the place in the journal of an origin. */
  ask(node: NodeId, want: VectorEntry): void {
    const { messages, subjects } = this.#parts;
    messages.tell(subjects.ask(node, WANT), encodeMeshMessage({ kind: 'want', wants: [want] }));
  }

  answer(asker: NodeId, wants: readonly VectorEntry[]): void {
    const { messages, subjects, chunks } = this.#parts;
    for (const { origin, epoch, through } of wants) {
      if (!this.#bucketOf(asker).take()) return;
      const chunk = chunks.chunkAfter(origin, { epoch, through });
      if (chunk !== undefined) messages.tell(subjects.ask(asker, RECORDS), chunk.frame);
    }
  }

  /** In as many messages as the server's bound for one asks for. */
  #tellSlot(slot: string, entries: readonly WireLive[]): void {
    const { messages, subjects } = this.#parts;
    const bytesMax = messages.payloadBytesMax / 2;
    let part: WireLive[] = [];
    let bytes = 0;
    for (const entry of entries) {
      const size = liveFrameBytes(entry);
      if (part.length > 0 && bytes + size > bytesMax) {
        messages.tell(subjects.ownReading(slot), encodeMeshMessage({ kind: 'live', entries: part }));
        part = [];
        bytes = 0;
      }
      part.push(entry);
      bytes += size;
    }
    if (part.length > 0)
      messages.tell(subjects.ownReading(slot), encodeMeshMessage({ kind: 'live', entries: part }));
  }

  #bucketOf(asker: NodeId): TokenBucket {
    const held = this.#askers.get(asker);
    if (held !== undefined) return held;
    const oldest = this.#askers.keys().next().value;
    if (this.#askers.size >= ASKERS_MAX && oldest !== undefined) this.#askers.delete(oldest);
    const made = new TokenBucket(this.#parts, { burst: ASKS_BURST, perSecond: ASKS_PER_SECOND });
    this.#askers.set(asker, made);
    return made;
  }
}

/** What keys are called is nobody's business, and some are longer than a subject may be. */
const keyToken = (name: string): string => createHash('sha256').update(name).digest('base64url').slice(0, 22);

const NOTHING = new Uint8Array(0);
const TOLD_MAX = 512;
const ASKERS_MAX = 4_096;
const ASKS_BURST = 128;
const ASKS_PER_SECOND = 64;
