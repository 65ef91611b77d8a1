// What this node publishes to its fleet: records into the two streams, readings to all subscribers, and
// records to one node that requested them.

import { createHash } from 'node:crypto';
import type { Clock } from '../../clock/clock.ts';
import { TokenBucket } from '../../clock/token-bucket.ts';
import { eventSlot } from '../../core/event-kinds.ts';
import type { NodeId } from '../../core/ids.ts';
import {
  encodeMeshMessage,
  liveFrameBytes,
  type MeshMessage,
  type WireLive,
} from '../../wire/mesh-message.ts';
import { decodeRecordHead } from '../../wire/record-head.ts';
import type { VectorEntry } from '../../wire/version-vector.ts';
import type { ChunkSource } from '../replication/record-chunks.ts';
import type { FleetMessages } from './fleet-messages.ts';
import { DIGEST, DIGEST_ENTRIES_MAX, type FleetSubjects, HELLO, RECORDS, WANT } from './fleet-subjects.ts';
import type { GroupSubscriptions } from './group-subscriptions.ts';
import { PublishedReadings } from './published-readings.ts';
import { type PublishedReading, ReadingBatches } from './reading-batches.ts';

type RecordsFrame = Extract<MeshMessage, { kind: 'records' }>;

interface FleetPublisherParts {
  readonly self: NodeId;
  readonly messages: FleetMessages;
  readonly subjects: FleetSubjects;
  readonly chunks: ChunkSource;
  readonly clock: Clock;
  readonly memberCount: () => number;
  readonly groups: GroupSubscriptions;
}

export class FleetPublisher {
  readonly #parts: FleetPublisherParts;
  readonly #reported = new PublishedReadings();
  /** The newest of each place since it was last published to nodes that subscribe to another rack. */
  readonly #slow = new Map<string, PublishedReading>();
  readonly #askers = new Map<NodeId, TokenBucket>();
  readonly #batches: ReadingBatches;

  constructor(parts: FleetPublisherParts) {
    this.#parts = parts;
    this.#batches = new ReadingBatches({
      ...parts,
      send: readings => this.#reportTogether(readings, slots => this.#readingSubject(slots)),
    });
  }

  /** Publishes readings until the signal aborts, and then what is still queued. */
  run(signal: AbortSignal): Promise<void> {
    return this.#batches.run(signal);
  }

  /**
   * Last values first: a node that starts to read between the two finds the record there.
   * @returns whether the server accepted all of it.
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

  reportLive(entries: readonly WireLive[]): void {
    const reportedAtMs = this.#parts.clock.nowMs();
    for (const entry of entries) {
      const head = decodeRecordHead(entry.body);
      const slot = eventSlot(head?.kind ?? 'unknown');
      const place = `${head?.origin} ${slot} ${head?.key}`;
      const reading = { entry, slot, reportedAtMs };
      if (head?.kind === 'progress.reported' && this.#parts.groups.isByGroups)
        this.#reportRun(head.key, entry);
      else this.#batches.put(place, reading);
      this.#putSlow(place, reading);
      if (head?.origin !== this.#parts.self) continue;
      this.#reported.put(place, head.kind, reading);
    }
  }

  /** A node joined and missed earlier readings: they are published again, with their age. */
  scheduleRetry(untilMs: number): void {
    const missed = this.#reported.until(untilMs);
    this.#reportTogether(
      missed.map(([, reading]) => reading),
      slots => this.#readingSubject(slots),
    );
    for (const [place, reading] of missed) if (!this.#slow.has(place)) this.#putSlow(place, reading);
  }

  /** About every five seconds, if a node subscribes to another rack: what it would not receive otherwise. */
  reportSlow(): void {
    const readings = [...this.#slow.values()];
    this.#slow.clear();
    this.#reportTogether(readings, () => this.#parts.subjects.ownSlow);
  }

  reportHello(): void {
    const { messages, subjects } = this.#parts;
    messages.report(subjects.ownReading(HELLO), encodeMeshMessage({ kind: 'ask-neighbours' }));
  }

  /** A sign of life, and how far this node's own journal goes: a node that missed a record requests it. */
  reportDigest(vectors: readonly VectorEntry[]): void {
    const { messages, subjects, self, groups } = this.#parts;
    const ordered = vectors.toSorted((a, b) => Number(b.origin === self) - Number(a.origin === self));
    const frame = encodeMeshMessage({
      kind: 'digest',
      vectors: ordered.slice(0, DIGEST_ENTRIES_MAX),
      live: [],
      neighboursVersion: groups.ownWay,
    });
    messages.report(subjects.ownReading(DIGEST), frame);
  }

  /** Requests what follows the position in the journal of an origin. */
  requestRecords(node: NodeId, want: VectorEntry): void {
    const { messages, subjects } = this.#parts;
    messages.report(subjects.requestSubject(node, WANT), encodeMeshMessage({ kind: 'want', wants: [want] }));
  }

  answer(asker: NodeId, wants: readonly VectorEntry[]): void {
    const { messages, subjects, chunks } = this.#parts;
    for (const { origin, epoch, through } of wants) {
      if (!this.#bucketOf(asker).take()) return;
      const chunk = chunks.chunkAfter(origin, { epoch, through });
      if (chunk !== undefined) messages.report(subjects.requestSubject(asker, RECORDS), chunk.frame);
    }
  }

  /** In as many messages as the server's limit for one requires. */
  #reportTogether(
    readings: readonly PublishedReading[],
    subjectOf: (slots: ReadonlySet<string>) => string,
  ): void {
    const bytesMax = this.#parts.messages.payloadBytesMax / 2;
    const nowMs = this.#parts.clock.nowMs();
    let entries: WireLive[] = [];
    let slots = new Set<string>();
    let bytes = 0;
    for (const { entry, slot, reportedAtMs } of readings) {
      const size = liveFrameBytes(entry);
      if (entries.length > 0 && bytes + size > bytesMax) {
        this.#reportEntries(subjectOf(slots), entries);
        [entries, slots, bytes] = [[], new Set(), 0];
      }
      entries.push({ ...entry, ageMs: entry.ageMs + nowMs - reportedAtMs });
      slots.add(slot);
      bytes += size;
    }
    if (entries.length > 0) this.#reportEntries(subjectOf(slots), entries);
  }

  /**
   * A slow reader replaces a queued message by a later one of the same name: both must have the same slots.
   */
  #readingSubject(slots: ReadonlySet<string>): string {
    const { subjects, groups } = this.#parts;
    const name = [...slots].sort().join('-');
    const what = name.length > SLOTS_NAME_MAX ? keyToken(name) : name;
    return groups.isByGroups ? subjects.ownGroupReading(what) : subjects.ownReading(what);
  }

  /** At once, and to all: runs are few, and their viewers are watching now. */
  #reportRun(runId: string, entry: WireLive): void {
    this.#reportEntries(this.#parts.subjects.ownRun(runId, PROGRESS), [entry]);
  }

  #reportEntries(subject: string, entries: readonly WireLive[]): void {
    this.#parts.messages.report(subject, encodeMeshMessage({ kind: 'live', entries }));
  }

  #putSlow(place: string, reading: PublishedReading): void {
    if (!this.#parts.groups.hasSlow) return;
    if (this.#slow.has(place) || this.#slow.size < SLOW_MAX) this.#slow.set(place, reading);
  }

  #bucketOf(asker: NodeId): TokenBucket {
    const held = this.#askers.get(asker);
    if (held !== undefined) return held;
    const oldest = this.#askers.keys().next().value;
    if (this.#askers.size >= ASKERS_MAX && oldest !== undefined) this.#askers.delete(oldest);
    const made = new TokenBucket(
      { nowMs: () => this.#parts.clock.nowMs() },
      { burst: QUERIES_BURST, perSecond: QUERIES_PER_SECOND },
    );
    this.#askers.set(asker, made);
    return made;
  }
}

/** Names of keys are private, and some are longer than a subject may be. */
const keyToken = (name: string): string => createHash('sha256').update(name).digest('base64url').slice(0, 22);

const NOTHING = new Uint8Array(0);
/** From this node, and from those that a bridge passes on. */
const SLOW_MAX = 8_192;
const PROGRESS = 'progress';
/** One token of a subject. */
const SLOTS_NAME_MAX = 64;
const ASKERS_MAX = 4_096;
const QUERIES_BURST = 128;
const QUERIES_PER_SECOND = 64;
