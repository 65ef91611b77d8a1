// Turns readings into events. A live reading is recorded every time; a durable one only when it has changed, otherwise
// a live confirmation renews its age, so the journal grows with changes and not with time.

import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../clock/clock.ts';
import { eventClass, type Fact } from '../core/event-kinds.ts';
import type { NodeId } from '../core/ids.ts';
import { type ReadingConfirmed, readingKey } from '../core/node/gathered.ts';
import { gatheredFact, type Reading, readingEntry, readingVendor, statusFact } from '../core/node/reading.ts';
import type { State } from '../core/state.ts';
import type { ReadingSink } from '../gather/arbitration.ts';
import type { GatheredKind, Gatherer } from '../gather/gatherer.ts';
import { LastingTypes } from './lasting-types.ts';

/**
 * The same failure is reported again only after this, ms: a source that fails twice a second is not reported twice a
 * second.
 */
export const FAILURE_REPEAT_MS = 5_000;

interface ReadingRecorderParts {
  readonly nodeId: NodeId;
  readonly clock: Clock;
  readonly state: () => State;
  readonly record: (fact: Fact) => void;
  /** Called with the key of every reading that was reported, failed or is absent: "memory", "gpus nvidia". */
  readonly onPublished: (key: string) => void;
}

export class ReadingRecorder implements ReadingSink {
  readonly #parts: ReadingRecorderParts;
  readonly #types = new LastingTypes();
  readonly #failures = new Map<string, { readonly reason: string; readonly atMs: number }>();

  constructor(parts: ReadingRecorderParts) {
    this.#parts = parts;
  }

  reading(gatherer: Gatherer, source: string, found: Reading): void {
    const reading = this.#settled(found);
    const status = statusOf(
      { reading: reading.kind, vendor: readingVendor(reading) },
      source,
      gatherer.intervalMs,
    );
    const key = readingKey(status);
    this.#failures.delete(key);
    const fact = gatheredFact(reading, { source, intervalMs: gatherer.intervalMs });
    if (eventClass(fact.kind) === 'live') this.#parts.record(fact);
    else {
      // A status other than "confirmed" must be replaced even if the value has not changed.
      if (!this.#isHeld(reading, source)) this.#parts.record(fact);
      this.#parts.record(statusFact({ ...status, kind: 'confirmed' }));
    }
    this.#parts.onPublished(key);
  }

  failure(gatherer: Gatherer, kind: GatheredKind, source: string, reason: string, code?: string): void {
    this.#report('failed', { gatherer, kind, source, reason, code });
  }

  absence(gatherer: Gatherer, kind: GatheredKind, source: string, reason: string): void {
    this.#report('absent', { gatherer, kind, source, reason, code: undefined });
  }

  #report(
    standing: 'failed' | 'absent',
    {
      gatherer,
      kind,
      source,
      reason,
      code,
    }: {
      readonly gatherer: Gatherer;
      readonly kind: GatheredKind;
      readonly source: string;
      readonly reason: string;
      readonly code: string | undefined;
    },
  ): void {
    const key = readingKey(kind);
    const nowMs = this.#parts.clock.nowMs();
    const last = this.#failures.get(key);
    if (last?.reason === reason && nowMs - last.atMs < FAILURE_REPEAT_MS) return;
    this.#failures.set(key, { reason, atMs: nowMs });
    const status = {
      ...statusOf(kind, source, gatherer.intervalMs),
      kind: standing,
      reason: shortened(reason),
    };
    this.#parts.record(statusFact(code === undefined ? status : { ...status, code }));
    this.#parts.onPublished(key);
  }

  #settled(reading: Reading): Reading {
    if (reading.kind !== 'network') return reading;
    const held = this.#parts.state().nodeNetworks[this.#parts.nodeId]?.value;
    return { kind: 'network', value: this.#types.settled(reading, held) };
  }

  /** Whether state already holds exactly this value, from this run or from the journal. */
  #isHeld(reading: Reading, source: string): boolean {
    const held = readingEntry(this.#parts.state(), this.#parts.nodeId, {
      reading: reading.kind,
      vendor: readingVendor(reading),
    });
    return held !== undefined && held.source === source && isDeepStrictEqual(held.value, reading.value);
  }
}

const statusOf = (kind: GatheredKind, source: string, intervalMs: number): ReadingConfirmed => ({
  reading: kind.reading,
  vendor: kind.vendor,
  source,
  intervalMs,
});

/** A tool's error text may be long, or no text at all; what is replicated and shown is one line. */
const shortened = (reason: string): string => {
  const whole = reason.trim().replace(/\s+/g, ' ');
  const words = whole.split(NO_TEXT);
  const line =
    words.length <= NO_TEXT_MAX + 1 ? whole : `${words[0]?.trim()} (bytes that are not text)`.trim();
  return line.length <= REASON_LENGTH_MAX ? line : `${line.slice(0, REASON_LENGTH_MAX - 1)}…`;
};

const REASON_LENGTH_MAX = 300;
/** The replacement for invalid UTF-8 bytes; a single one is a name in another encoding, several are a binary file. */
const NO_TEXT = '\ufffd';
const NO_TEXT_MAX = 2;
