// Queued readings for a fleet: readings of the same moment are sent as one message, and a node of a large
// fleet sends fewer of them. The messages of all other members are nearly all that a fleet costs each member.

import type { Clock } from '../../clock/clock.ts';
import { pause, unlessAborted } from '../../clock/until-aborted.ts';
import type { WireLive } from '../../wire/mesh-message.ts';

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
  /** The newest of each place. */
  readonly #waiting = new Map<string, PublishedReading>();
  #bytes = 0;
  #sentAtMs = Number.NEGATIVE_INFINITY;
  #begun = Promise.withResolvers<void>();

  constructor(parts: ReadingBatchesParts) {
    this.#parts = parts;
  }

  put(place: string, reading: PublishedReading): void {
    this.#bytes += reading.entry.body.length - (this.#waiting.get(place)?.entry.body.length ?? 0);
    this.#waiting.set(place, reading);
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
