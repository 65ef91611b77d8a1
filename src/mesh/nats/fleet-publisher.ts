// What this node publishes to its fleet: records into the two streams, readings to all subscribers, and
// records to one node that requested them.

import { createHash } from 'node:crypto';
import { type Clock, pause, unlessAborted } from '../../clock/clock.ts';
import { TokenBucket } from '../../clock/token-bucket.ts';
import { EVENT_KINDS, eventSlot, isEventKind } from '../../core/event-kinds.ts';
import type { NodeId } from '../../core/ids.ts';
import { decodeRecordHead } from '../../wire/durable-record.ts';
import {
  encodeMeshMessage,
  liveFrameBytes,
  type MeshMessage,
  type WireLive,
} from '../../wire/mesh-message.ts';
import type { VectorEntry } from '../../wire/version-vector.ts';
import type { ChunkSource } from '../replication/record-chunks.ts';
import { FLEET_WAYS, type FleetMembers } from './fleet-members.ts';
import type { FleetMessages } from './fleet-messages.ts';
import {
  DIGEST,
  DIGEST_ENTRIES_MAX,
  type FleetSubjects,
  type FleetSubscriptions,
  HELLO,
  RECORDS,
  WANT,
} from './fleet-subjects.ts';

type RecordsFrame = Extract<MeshMessage, { kind: 'records' }>;

interface FleetPublisherParts {
  readonly self: NodeId;
  readonly messages: FleetMessages;
  readonly subjects: FleetSubjects;
  readonly chunks: ChunkSource;
  readonly clock: Clock;
  readonly memberCount: () => number;
  readonly members: Pick<FleetMembers, 'hasOfGroups'>;
  /** What this node receives. */
  readonly subscriptions: FleetSubscriptions;
}

export class FleetPublisher {
  readonly #parts: FleetPublisherParts;
  readonly #reported = new PublishedReadings();
  /** The newest of each key since it was last published to nodes that subscribe to another rack. */
  readonly #slow = new Map<string, PublishedReading>();
  readonly #requesters = new Map<NodeId, TokenBucket>();
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
      const key = `${head?.origin} ${slot} ${head?.key}`;
      const reading = { entry, slot, reportedAtMs };
      if (head?.kind === 'progress.reported') this.#reportRun(head.key, entry);
      else this.#batches.put(key, reading);
      this.#putSlow(key, reading);
      if (head?.origin !== this.#parts.self) continue;
      this.#reported.put(key, head.kind, reading);
    }
  }

  /** A node joined and missed earlier readings: they are published again, with their age. */
  scheduleRetry(untilMs: number): void {
    const missed = this.#reported.until(untilMs);
    this.#reportTogether(
      missed.map(([, reading]) => reading),
      slots => this.#readingSubject(slots),
    );
    for (const [key, reading] of missed) if (!this.#slow.has(key)) this.#putSlow(key, reading);
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
    const { messages, subjects, self, subscriptions } = this.#parts;
    const ordered = vectors.toSorted((a, b) => Number(b.origin === self) - Number(a.origin === self));
    const frame = encodeMeshMessage({
      kind: 'digest',
      vectors: ordered.slice(0, DIGEST_ENTRIES_MAX),
      live: [],
      neighboursVersion: FLEET_WAYS[subscriptions],
    });
    messages.report(subjects.ownReading(DIGEST), frame);
  }

  /** Requests what follows the position in the journal of an origin. */
  requestRecords(node: NodeId, want: VectorEntry): void {
    const { messages, subjects } = this.#parts;
    messages.report(subjects.requestSubject(node, WANT), encodeMeshMessage({ kind: 'want', wants: [want] }));
  }

  answer(requester: NodeId, wants: readonly VectorEntry[]): void {
    const { messages, subjects, chunks } = this.#parts;
    for (const { origin, epoch, through } of wants) {
      if (!this.#bucketOf(requester).take()) return;
      const chunk = chunks.chunkAfter(origin, { epoch, through });
      if (chunk !== undefined) messages.report(subjects.requestSubject(requester, RECORDS), chunk.frame);
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
    const name = [...slots].sort().join('-');
    const what = name.length > SLOTS_NAME_MAX ? keyToken(name) : name;
    return this.#parts.subjects.ownGroupReading(what);
  }

  /** At once, and to all: runs are few, and their viewers are watching now. */
  #reportRun(runId: string, entry: WireLive): void {
    this.#reportEntries(this.#parts.subjects.ownRun(runId, PROGRESS), [entry]);
  }

  #reportEntries(subject: string, entries: readonly WireLive[]): void {
    this.#parts.messages.report(subject, encodeMeshMessage({ kind: 'live', entries }));
  }

  #putSlow(key: string, reading: PublishedReading): void {
    if (!this.#parts.members.hasOfGroups) return;
    if (this.#slow.has(key) || this.#slow.size < SLOW_MAX) this.#slow.set(key, reading);
  }

  #bucketOf(requester: NodeId): TokenBucket {
    const existing = this.#requesters.get(requester);
    if (existing !== undefined) return existing;
    const oldest = this.#requesters.keys().next().value;
    if (this.#requesters.size >= REQUESTERS_MAX && oldest !== undefined) this.#requesters.delete(oldest);
    const made = new TokenBucket(
      { nowMs: () => this.#parts.clock.nowMs() },
      { burst: QUERIES_BURST, perSecond: QUERIES_PER_SECOND },
    );
    this.#requesters.set(requester, made);
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
const REQUESTERS_MAX = 4_096;
const QUERIES_BURST = 128;
const QUERIES_PER_SECOND = 64;

// The newest reading of each key that this node has published, for nodes that join later: a reading that
// changes once in a minute would be missing for so long. Of entries that come and go (runs) the oldest is
// dropped; a reading that is published once at the start stays.
export class PublishedReadings {
  readonly #reported = new Map<string, PublishedReading>();
  /** Entries that may be dropped, most recently published last. */
  readonly #passing = new Set<string>();

  /** `kind`: of the event. */
  put(key: string, kind: string, reading: PublishedReading): void {
    this.#passing.delete(key);
    if (!this.#reported.has(key) && this.#reported.size >= REPORTED_MAX) {
      const oldest = this.#passing.values().next().value;
      if (oldest === undefined) return;
      this.#passing.delete(oldest);
      this.#reported.delete(oldest);
    }
    this.#reported.set(key, reading);
    if (isEventKind(kind) && EVENT_KINDS[kind].isNewestKept === true) this.#passing.add(key);
  }

  until(atMs: number): readonly (readonly [string, PublishedReading])[] {
    return [...this.#reported].filter(([, { reportedAtMs }]) => reportedAtMs <= atMs);
  }
}

export const REPORTED_MAX = 512;

// Queued readings for a fleet: readings of the same moment are sent as one message, and a node of a large
// fleet sends fewer of them. The messages of all other members are nearly all that a fleet costs each member.
export interface PublishedReading {
  readonly entry: WireLive;
  readonly slot: string;
  /** The time to which the entry's age refers. */
  readonly reportedAtMs: number;
}

interface ReadingBatchesParts {
  readonly clock: Clock;
  readonly memberCount: () => number;
  readonly send: (readings: readonly PublishedReading[]) => void;
}

export class ReadingBatches {
  readonly #parts: ReadingBatchesParts;
  /** The newest of each key. */
  readonly #waiting = new Map<string, PublishedReading>();
  #bytes = 0;
  #sentAtMs = Number.NEGATIVE_INFINITY;
  #begun = Promise.withResolvers<void>();

  constructor(parts: ReadingBatchesParts) {
    this.#parts = parts;
  }

  put(key: string, reading: PublishedReading): void {
    this.#bytes += reading.entry.body.length - (this.#waiting.get(key)?.entry.body.length ?? 0);
    this.#waiting.set(key, reading);
    if (this.#bytes > BATCH_BYTES_MAX) this.#send();
    else this.#begun.resolve();
  }

  /** Sends until the signal aborts, and then what is still queued. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    while (!signal.aborted) {
      await unlessAborted(this.#begun.promise, signal);
      const sinceMs = clock.nowMs() - this.#sentAtMs;
      await pause(clock, Math.max(TOGETHER_MS, this.#everyMs - sinceMs), signal);
      this.#send();
    }
  }

  /**
   * So that a reader receives about 1,250 messages a second from a thousand members, and no more from fewer.
   */
  get #everyMs(): number {
    return Math.min(EVERY_MS_MAX, Math.max(EVERY_MS_MIN, MS_A_MEMBER * this.#parts.memberCount()));
  }

  #send(): void {
    if (this.#waiting.size === 0) return;
    const readings = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#bytes = 0;
    this.#sentAtMs = this.#parts.clock.nowMs();
    this.#begun = Promise.withResolvers();
    this.#parts.send(readings);
  }
}

/** What gatherers report in one turn arrives within a few ms. */
const TOGETHER_MS = 20;
const EVERY_MS_MIN = 100;
const MS_A_MEMBER = 0.8;
/**
 * Below the second in which sources report: with as much as that, the queue would fill as fast as it is
 * emptied, and everything would be late.
 */
const EVERY_MS_MAX = 800;
const BATCH_BYTES_MAX = 262_144;
