// Frames of a fleet that wait while replication is busy: the newest reading of each node and kind, and everything else
// up to a bound. What has no room is dropped and counted: readings are repeated, records asked for again.

import type { NodeId } from '../../core/ids.ts';

interface Held {
  readonly frame: Uint8Array;
  readonly from: NodeId;
}

export class HeldFrames {
  readonly #deliver: (frame: Uint8Array, from: NodeId) => void;
  readonly #dropped: () => void;
  readonly #readings = new Map<string, Held>();
  #others: Held[] = [];
  #bytes = 0;
  #isPaused = false;

  constructor(deliver: (frame: Uint8Array, from: NodeId) => void, dropped: () => void) {
    this.#deliver = deliver;
    this.#dropped = dropped;
  }

  /** `kind`: of a reading, which replaces one of the same node and kind that waits. */
  put(frame: Uint8Array, from: NodeId, kind: string | undefined): void {
    if (!this.#isPaused) {
      this.#deliver(frame, from);
      return;
    }
    const place = kind === undefined ? undefined : `${from} ${kind}`;
    const former = place === undefined ? undefined : this.#readings.get(place);
    const bytes = this.#bytes + frame.length - (former?.frame.length ?? 0);
    if (former !== undefined || bytes > HELD_BYTES_MAX) this.#dropped();
    if (bytes > HELD_BYTES_MAX) return;
    this.#bytes = bytes;
    if (place === undefined) this.#others.push({ frame, from });
    else this.#readings.set(place, { frame, from });
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    while (!this.#isPaused) {
      const next = this.#others.shift() ?? this.#nextReading();
      if (next === undefined) return;
      this.#bytes -= next.frame.length;
      this.#deliver(next.frame, next.from);
    }
  }

  #nextReading(): Held | undefined {
    for (const [place, held] of this.#readings) {
      this.#readings.delete(place);
      return held;
    }
    return undefined;
  }
}

const HELD_BYTES_MAX = 16_000_000;
