// The newest reading of each key that this node has published, for nodes that join later: a reading that
// changes once in a minute would be missing for so long. Of entries that come and go (runs) the oldest is
// dropped; a reading that is published once at the start stays.

import { EVENT_KINDS, isEventKind } from '../../core/event-kinds.ts';
import type { ToldReading } from './reading-batches.ts';

export class ToldReadings {
  readonly #told = new Map<string, ToldReading>();
  /** Those that may be dropped, most recently published last. */
  readonly #passing = new Set<string>();

  /** `kind`: of the event. */
  put(place: string, kind: string, reading: ToldReading): void {
    this.#passing.delete(place);
    if (!this.#told.has(place) && this.#told.size >= TOLD_MAX) {
      const oldest = this.#passing.values().next().value;
      if (oldest === undefined) return;
      this.#passing.delete(oldest);
      this.#told.delete(oldest);
    }
    this.#told.set(place, reading);
    if (isEventKind(kind) && EVENT_KINDS[kind].isNewestKept === true) this.#passing.add(place);
  }

  until(atMs: number): readonly (readonly [string, ToldReading])[] {
    return [...this.#told].filter(([, { toldAtMs }]) => toldAtMs <= atMs);
  }
}

export const TOLD_MAX = 512;
