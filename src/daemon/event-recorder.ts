// Numbers this node's events. A durable event is on disk before anything sees it; one that the disk refuses waits here,
// the newest of each key, and is retried.

import { randomBytes } from 'node:crypto';
import type { Clock } from '../clock/clock.ts';
import type { Event } from '../core/event.ts';
import { eventClass, eventSlot, type Fact, factKey } from '../core/event-kinds.ts';
import { counted, ofCount } from '../core/figure/figure.ts';
import type { Problem } from '../core/problem.ts';
import { type Journal, JournalError } from '../journal/journal.ts';
import { encodeRecordBody } from '../wire/durable-record.ts';
import type { Cluster } from './cluster.ts';
import type { NodeKey } from './node-key.ts';
import type { Notices } from './notices.ts';

interface EventRecorderParts {
  readonly key: NodeKey;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly cluster: Cluster;
  readonly notices: Notices;
  /**
   * In every durable record of this start and of no other one. A home that was restored from a copy may record the same facts under
   * the same numbers as before: with this the bytes differ, and peers detect that it is another history. Default: random.
   */
  readonly nonce?: string;
}

/** Facts that wait for the disk, one for each (slot, key); past this the oldest is dropped, and the notice reports it. */
export const WAITING_FACTS_MAX = 1_000;
/** How long to wait after the disk refused, ms. */
export const JOURNAL_RETRY_MS = 2_000;

/**
 * 'reported': visible to all, and on disk if durable. 'waiting': the disk refused it, and it would be lost with this
 * process.
 */
export type Recorded = 'reported' | 'waiting';

export class EventRecorder {
  readonly #parts: EventRecorderParts;
  readonly #nonce: string;
  readonly #waiting = new Map<string, { readonly fact: Fact; readonly sinceMs: number }>();
  #liveSeq = 0;
  #durableSeq: number;
  #droppedFacts = 0;
  #refusal: Problem | undefined;
  #retryAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: EventRecorderParts) {
    this.#parts = parts;
    this.#nonce = parts.nonce ?? randomBytes(NONCE_BYTES).toString('base64url');
    this.#durableSeq =
      parts.journal
        .origins()
        .find(({ origin, epoch }) => origin === parts.key.nodeId && epoch === parts.journal.ownEpoch)
        ?.through ?? 0;
  }

  /** @param ageMs how long the fact has been true already. */
  record(fact: Fact, ageMs = 0): Recorded {
    if (eventClass(fact.kind) === 'live') this.#recordLive(fact, ageMs);
    else this.#recordDurable(fact, ageMs);
    // All waiting events are flushed together: if any is left, so is this one.
    return eventClass(fact.kind) === 'live' || this.#waiting.size === 0 ? 'reported' : 'waiting';
  }

  /** After the journal has started a new epoch: numbering restarts. */
  epochStarted(): void {
    this.#durableSeq = 0;
  }

  /** Tries again what the disk refused. */
  retry(): void {
    if (this.#waiting.size > 0 && this.#parts.clock.nowMs() >= this.#retryAtMs) this.#flush();
  }

  #recordLive(fact: Fact, ageMs: number): void {
    const { key, clock, journal, cluster } = this.#parts;
    this.#liveSeq += 1;
    cluster.dispatch([
      {
        ...fact,
        origin: key.nodeId,
        epoch: journal.startNumber,
        class: 'live',
        seq: this.#liveSeq,
        key: factKey(fact),
        ageMs,
        receivedAtMs: clock.nowMs(),
      },
    ]);
  }

  #recordDurable(fact: Fact, ageMs: number): void {
    const key = `${eventSlot(fact.kind)} ${factKey(fact)}`;
    this.#waiting.delete(key);
    this.#waiting.set(key, { fact, sinceMs: this.#parts.clock.nowMs() - ageMs });
    const oldest = this.#waiting.keys().next().value;
    if (this.#waiting.size > WAITING_FACTS_MAX && oldest !== undefined) {
      this.#waiting.delete(oldest);
      this.#droppedFacts += 1;
    }
    if (this.#parts.clock.nowMs() >= this.#retryAtMs) this.#flush();
    else this.#reportWaiting();
  }

  /** Everything waiting in one append: one wait for the disk, however many events arrive at once. */
  #flush(): void {
    const { key, clock, journal, cluster, notices } = this.#parts;
    const nowMs = clock.nowMs();
    const drafts = [...this.#waiting.values()].map(({ fact, sinceMs }, index) => {
      const position = { origin: key.nodeId, epoch: journal.ownEpoch, seq: this.#durableSeq + 1 + index };
      const body = encodeRecordBody(position, fact, this.#nonce);
      const ageMs = Math.max(0, nowMs - sinceMs);
      return { fact, position, body, ageMs, signature: key.sign(body) };
    });
    try {
      journal.append(
        drafts.map(({ fact, position, body, ageMs, signature }) => {
          return { ...position, kind: fact.kind, key: factKey(fact), body, signature, ageMs };
        }),
      );
    } catch (error) {
      if (!(error instanceof JournalError)) throw error;
      this.#retryAtMs = nowMs + JOURNAL_RETRY_MS;
      this.#refusal = error.problem;
      this.#reportWaiting();
      return;
    }
    notices.clear(JOURNAL_NOTICE);
    this.#durableSeq += drafts.length;
    this.#waiting.clear();
    cluster.dispatch(
      drafts.map(({ fact, position, ageMs }): Event => {
        return { ...fact, ...position, class: 'durable', key: factKey(fact), ageMs, receivedAtMs: nowMs };
      }),
    );
  }

  #reportWaiting(): void {
    const lost =
      this.#droppedFacts === 0
        ? ''
        : ` ${counted(this.#droppedFacts, 'older event')} ${ofCount(this.#droppedFacts, 'was', 'were')} lost.`;
    if (this.#refusal === undefined) return;
    const { problem, advice } = this.#refusal;
    this.#parts.notices.raise({
      id: JOURNAL_NOTICE,
      code: JOURNAL_NOTICE,
      problem,
      advice: `${advice} Events waiting for the journal: ${this.#waiting.size}.${lost}`.trim(),
      waitingCount: this.#waiting.size,
      lostCount: this.#droppedFacts,
    });
  }
}

/** Of one node's starts, of which thousands are made, two are equal once in 10^15. */
const NONCE_BYTES = 9;
const JOURNAL_NOTICE = 'journal-write';
