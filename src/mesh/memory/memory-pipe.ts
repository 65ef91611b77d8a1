// One end of a cable in memory. Frames are copied when written and arrive in a later turn of the event loop, as from
// another process.

import type { FramePipe, PipeEvents } from '../link/pipe.ts';

export class MemoryLinkPipe implements FramePipe {
  readonly #isBlocked: () => boolean;
  #other: MemoryLinkPipe | undefined;
  #events: PipeEvents | undefined;
  readonly #queue: { readonly kind: number; readonly payload: Uint8Array }[] = [];
  readonly #gone = new Set<() => void>();
  #queuedBytes = 0;
  #isFlowing = false;
  #isEnding = false;
  #isPaused = false;
  #isGone = false;
  #hasVanished = false;

  private constructor(isBlocked: () => boolean) {
    this.#isBlocked = isBlocked;
  }

  /** The two ends; each checks whether what it sends gets through. */
  static pair(
    isBlocked: () => boolean,
    isBackBlocked: () => boolean,
  ): readonly [MemoryLinkPipe, MemoryLinkPipe] {
    const near = new MemoryLinkPipe(isBlocked);
    const far = new MemoryLinkPipe(isBackBlocked);
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
    this.#queue.push({ kind, payload: payload.slice() });
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
    // The end is announced behind the frames, and does not get past a cut cable.
    if (other !== undefined && !this.#isBlocked())
      setImmediate(() => other.#leave('the peer closed the connection'));
  }

  /** Both ends see a reset, as when a process has died. */
  breakOff(): void {
    const other = this.#other;
    this.#leave('aborted');
    if (!this.#isBlocked())
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
    if (other === undefined || this.#isGone || this.#isBlocked()) return;
    if (other.#isGone) {
      if (!other.#hasVanished) this.#leave('the connection was reset');
      return;
    }
    const events = other.#events;
    if (events === undefined || other.#isPaused) return;
    const frames = this.#queue.splice(0);
    this.#queuedBytes = 0;
    for (const { kind, payload } of frames) {
      if (other.#isGone) break;
      events.heard();
      events.frame(kind, payload);
    }
    if (this.#isGone) return;
    if (this.#isEnding) this.destroy();
    else if (frames.length > 0) this.#events?.drained();
  }

  #leave(detail: string): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#queue.length = 0;
    this.#queuedBytes = 0;
    for (const listener of this.#gone) listener();
    this.#events?.closed(detail);
  }
}

const FRAME_HEAD_BYTES = 5;
