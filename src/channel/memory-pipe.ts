// One end of a cable in memory. Frames are copied when written and arrive in their order, in a later turn of the event loop,
// as from another process, or after the cable's delay.

import { type Clock, pause } from '../clock/clock.ts';
import type { FramePipe, PipeEvents } from './frame-pipe.ts';

/** What a cable does to frames in one direction. */
export interface CableWay {
  readonly isBlocked: () => boolean;
  /** From writing to arrival, of frames written from now on. */
  readonly delayMs: () => number;
}

interface Frame {
  readonly kind: number;
  readonly payload: Uint8Array;
  readonly dueMs: number;
}

export class MemoryLinkPipe implements FramePipe {
  readonly #clock: Clock;
  readonly #way: CableWay;
  #other: MemoryLinkPipe | undefined;
  #events: PipeEvents | undefined;
  readonly #queue: Frame[] = [];
  readonly #gone = new Set<() => void>();
  /** Aborted when this end is gone: frames in transit are discarded. */
  readonly #over = new AbortController();
  #lastDueMs = 0;
  #isWaiting = false;
  #queuedBytes = 0;
  #isFlowing = false;
  #isEnding = false;
  #isPaused = false;
  #isGone = false;
  #hasVanished = false;

  private constructor(clock: Clock, way: CableWay) {
    this.#clock = clock;
    this.#way = way;
  }

  /** The two ends; each uses the direction of its own frames. */
  static pair(clock: Clock, there: CableWay, back: CableWay): readonly [MemoryLinkPipe, MemoryLinkPipe] {
    const near = new MemoryLinkPipe(clock, there);
    const far = new MemoryLinkPipe(clock, back);
    near.#other = far;
    far.#other = near;
    return [near, far];
  }

  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  listen(events: PipeEvents): void {
    this.#events = events;
    this.#other?.flow();
    if (this.#isGone) setImmediate(() => events.closed('the connection is closed'));
  }

  write(kind: number, payload: Uint8Array): void {
    if (this.#isGone || this.#isEnding) return;
    this.#lastDueMs = Math.max(this.#lastDueMs, this.#clock.nowMs() + this.#way.delayMs());
    this.#queue.push({ kind, payload: payload.slice(), dueMs: this.#lastDueMs });
    this.#queuedBytes += FRAME_HEAD_BYTES + payload.length;
    this.flow();
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#other?.flow();
  }

  end(): void {
    this.#isEnding = true;
    this.flow();
  }

  destroy(): void {
    if (this.#isGone) return;
    this.#leave('closed here');
    const other = this.#other;
    // The end is delivered after the frames, and does not pass a cut cable.
    if (other !== undefined && !this.#way.isBlocked())
      setImmediate(() => other.#leave('the peer closed the connection'));
  }

  /** Both ends see a reset, as when a process has died. */
  breakOff(): void {
    const other = this.#other;
    this.#leave('aborted');
    if (!this.#way.isBlocked())
      setImmediate(() => {
        if (other !== undefined) other.#leave('the connection was reset');
      });
  }

  /** This end is gone, and the other one is not notified. */
  vanish(): void {
    this.#hasVanished = true;
    this.#leave('gone');
  }

  onGone(listener: () => void): void {
    this.#gone.add(listener);
  }

  /** Delivers what is queued, if it can. */
  flow(): void {
    if (this.#isFlowing || this.#isGone) return;
    this.#isFlowing = true;
    setImmediate(() => {
      this.#isFlowing = false;
      this.#pass();
    });
  }

  #pass(): void {
    const other = this.#other;
    if (other === undefined || this.#isGone || this.#way.isBlocked()) return;
    if (other.#isGone) {
      if (!other.#hasVanished) this.#leave('the connection was reset');
      return;
    }
    const events = other.#events;
    if (events === undefined || other.#isPaused) return;
    const nowMs = this.#clock.nowMs();
    const later = this.#queue.findIndex(({ dueMs }) => dueMs > nowMs);
    const frames = this.#queue.splice(0, later < 0 ? this.#queue.length : later);
    for (const { payload } of frames) this.#queuedBytes -= FRAME_HEAD_BYTES + payload.length;
    void this.#waitForNext(nowMs);
    for (const { kind, payload } of frames) {
      if (other.#isGone) break;
      events.received();
      events.frame(kind, payload);
    }
    if (this.#isGone) return;
    if (this.#queue.length > 0) return;
    if (this.#isEnding) this.destroy();
    else if (frames.length > 0) this.#events?.drained();
  }

  async #waitForNext(nowMs: number): Promise<void> {
    const next = this.#queue[0];
    if (next === undefined || this.#isWaiting) return;
    this.#isWaiting = true;
    await pause(this.#clock, next.dueMs - nowMs, this.#over.signal);
    this.#isWaiting = false;
    this.flow();
  }

  #leave(detail: string): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#over.abort();
    this.#queue.length = 0;
    this.#queuedBytes = 0;
    for (const listener of this.#gone) listener();
    this.#events?.closed(detail);
  }
}

const FRAME_HEAD_BYTES = 5;
