// The newest reading of each key that this node has published, for nodes that join later: a reading that
// changes once in a minute would be missing for so long. Of entries that come and go (runs) the oldest is
// dropped; a reading that is published once at the start stays.

import { EVENT_KINDS, isEventKind } from '../../core/event-kinds.ts';
import type { PublishedReading } from './reading-batches.ts';

export class PublishedReadings {
  readonly #reported = new Map<string, PublishedReading>();
  /** Entries that may be dropped, most recently published last. */
  readonly #passing = new Set<string>();

  /** `kind`: of the event. */
  put(place: string, kind: string, reading: PublishedReading): void {
    this.#passing.delete(place);
    if (!this.#reported.has(place) && this.#reported.size >= REPORTED_MAX) {
      const oldest = this.#passing.values().next().value;
      if (oldest === undefined) return;
      this.#passing.delete(oldest);
      this.#reported.delete(oldest);
    }
    this.#reported.set(place, reading);
    if (isEventKind(kind) && EVENT_KINDS[kind].isNewestKept === true) this.#passing.add(place);
  }

  until(atMs: number): readonly (readonly [string, PublishedReading])[] {
    return [...this.#reported].filter(([, { reportedAtMs }]) => reportedAtMs <= atMs);
  }
}

export const REPORTED_MAX = 512;
