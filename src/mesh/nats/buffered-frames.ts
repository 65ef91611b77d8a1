// Frames of a fleet that wait while replication is busy: the newest reading of each node and kind, everything
// else up to a limit, and what the server stores of each origin, which is made into frames as they are taken.
// What has no room is dropped and counted: readings are repeated, records requested again.

import type { NodeId } from '../../core/ids.ts';

interface BufferedFrame {
  readonly frame: Uint8Array;
  readonly from: NodeId;
}

interface Series {
  readonly frames: Iterator<Uint8Array>;
  readonly from: NodeId;
}

export class BufferedFrames {
  readonly #deliver: (frame: Uint8Array, from: NodeId) => void;
  readonly #dropped: () => void;
  readonly #readings = new Map<string, BufferedFrame>();
  readonly #series = new Map<NodeId, Series>();
  #others: BufferedFrame[] = [];
  #bytes = 0;
  #isPaused = false;
  #isFlowing = false;

  constructor(deliver: (frame: Uint8Array, from: NodeId) => void, dropped: () => void) {
    this.#deliver = deliver;
    this.#dropped = dropped;
  }

  /** `kind`: of a reading, which replaces a queued one of the same node and kind. */
  put(frame: Uint8Array, from: NodeId, kind: string | undefined): void {
    if (!this.#isPaused) {
      this.#deliver(frame, from);
      return;
    }
    const key = kind === undefined ? undefined : `${from} ${kind}`;
    const former = key === undefined ? undefined : this.#readings.get(key);
    const bytes = this.#bytes + costOf(frame) - (former === undefined ? 0 : costOf(former.frame));
    if (former !== undefined || bytes > BUFFERED_BYTES_MAX) this.#dropped();
    if (bytes > BUFFERED_BYTES_MAX) return;
    this.#bytes = bytes;
    if (key === undefined) this.#others.push({ frame, from });
    else this.#readings.set(key, { frame, from });
  }

  isFollowing(origin: NodeId): boolean {
    return this.#series.has(origin);
  }

  /**
   * Replaces what is still queued of an origin. Several origins alternate frame by frame, so that the
   * beginnings of a thousand come before the end of one: call `flow` when all are added.
   */
  follow(origin: NodeId, series: Series): void {
    this.#series.set(origin, series);
  }

  /** A frame may cause further requests while it is taken: those are processed after it, from here. */
  flow(): void {
    if (this.#isFlowing) return;
    this.#isFlowing = true;
    try {
      while (!this.#isPaused) {
        const next = this.#others.shift() ?? this.#nextReading();
        if (next !== undefined) this.#bytes -= costOf(next.frame);
        const taken = next ?? this.#nextOfSeries();
        if (taken === undefined) return;
        this.#deliver(taken.frame, taken.from);
      }
    } finally {
      this.#isFlowing = false;
    }
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.flow();
  }

  #nextOfSeries(): BufferedFrame | undefined {
    for (const [origin, series] of this.#series) {
      const { value, done } = series.frames.next();
      this.#series.delete(origin);
      if (done === true) continue;
      this.#series.set(origin, series);
      return { frame: value, from: series.from };
    }
    return undefined;
  }

  #nextReading(): BufferedFrame | undefined {
    for (const [key, reading] of this.#readings) {
      this.#readings.delete(key);
      return reading;
    }
    return undefined;
  }
}

/** Memory of a frame, with its key: an empty one costs memory too. */
const costOf = (frame: Uint8Array): number => frame.length + FRAME_COST_BYTES;

const FRAME_COST_BYTES = 512;
const BUFFERED_BYTES_MAX = 16_000_000;
