// Subscribers to one event, called in the order of subscription. Late subscribers lose no frames.

import type { NodeId } from '../../core/ids.ts';
import type { Unsubscribe } from '../mesh.ts';

export class Listeners<T> {
  readonly #listeners = new Set<(value: T) => void>();

  add(listener: (value: T) => void): Unsubscribe {
    // A closure of its own: one function may subscribe twice.
    const entry = (value: T): void => listener(value);
    this.#listeners.add(entry);
    return () => this.#listeners.delete(entry);
  }

  get size(): number {
    return this.#listeners.size;
  }

  emit(value: T): void {
    for (const listener of [...this.#listeners]) listener(value);
  }

  clear(): void {
    this.#listeners.clear();
  }
}

interface ReceivedFrame {
  readonly frame: Uint8Array;
  readonly publisher: NodeId | undefined;
}

/** Frames that arrive before the first listener are queued for it: a link may be up before its users are. */
export class FrameListeners {
  readonly #listeners = new Listeners<ReceivedFrame>();
  readonly #failed: (error: unknown) => void;
  #waiting: ReceivedFrame[] | undefined = [];
  #waitingBytes = 0;

  /** @param failed called with what a listener threw. */
  constructor(failed: (error: unknown) => void) {
    this.#failed = failed;
  }

  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  add(listener: (frame: Uint8Array, publisher?: NodeId) => void): Unsubscribe {
    const end = this.#listeners.add(({ frame, publisher }) => listener(frame, publisher));
    // Not at once: the code that receives a link has more to set up before frames may arrive.
    if (this.#waiting !== undefined) queueMicrotask(() => this.#release());
    return end;
  }

  emit(frame: Uint8Array, publisher?: NodeId): void {
    if (this.#waiting !== undefined) {
      this.#waiting.push({ frame, publisher });
      this.#waitingBytes += frame.length + FRAME_COST_BYTES;
      return;
    }
    try {
      this.#listeners.emit({ frame, publisher });
    } catch (error) {
      this.#failed(error);
    }
  }

  clear(): void {
    this.#listeners.clear();
    this.#waiting = [];
    this.#waitingBytes = 0;
  }

  #release(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    this.#waitingBytes = 0;
    for (const { frame, publisher } of waiting) this.emit(frame, publisher);
  }
}

/** Empty frames cost memory too. */
const FRAME_COST_BYTES = 64;
