// When each stream writes next: a binary heap over all of them and one timer. Node's timers have millisecond resolution
// and fire late, so it sleeps until shortly before the next deadline and spins the event loop from there, which keeps
// serving the sockets. Deadlines are absolute: a late write does not delay later ones.

import { DueHeap } from '../clock/due-heap.ts';

export interface Deadlined {
  /** Does what is due; returns the next deadline, or undefined if there is none. */
  onDue(nowMs: number): number | undefined;
}

export class DeadlineQueue {
  readonly #nowMs: () => number;
  readonly #heap: DueHeap<Deadlined> = new DueHeap();
  #timer: NodeJS.Timeout | undefined;
  #turn: NodeJS.Immediate | undefined;
  #wakesAtMs = Number.POSITIVE_INFINITY;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get length(): number {
    return this.#heap.length;
  }

  add(item: Deadlined, dueMs: number): void {
    this.#heap.add(item, dueMs);
    if (this.#turn === undefined && dueMs - WAKE_EARLY_MS < this.#wakesAtMs) this.#arm(this.#nowMs());
  }

  clear(): void {
    this.#heap.clear();
    this.#disarm();
  }

  readonly #serve = (): void => {
    this.#disarm();
    // What becomes due during this turn waits for the next one: sockets are read in between.
    const turnMs = this.#nowMs();
    let nowMs = turnMs;
    const heap = this.#heap;
    for (let item = heap.first; item !== undefined && heap.firstDue <= turnMs; item = heap.first) {
      const nextMs = item.onDue(nowMs);
      if (heap.first !== item) continue; // cleared meanwhile
      if (nextMs === undefined) heap.removeFirst();
      else heap.postponeFirst(nextMs);
      nowMs = this.#nowMs();
    }
    this.#arm(nowMs);
  };

  #arm(nowMs: number): void {
    this.#disarm();
    const dueMs = this.#heap.firstDue;
    if (dueMs === Number.POSITIVE_INFINITY) return;
    const sleepMs = Math.floor(dueMs - nowMs - WAKE_EARLY_MS);
    if (sleepMs < 1) {
      this.#wakesAtMs = nowMs;
      this.#turn = setImmediate(this.#serve);
      return;
    }
    this.#wakesAtMs = nowMs + sleepMs;
    this.#timer = setTimeout(this.#serve, Math.min(sleepMs, TIMEOUT_MS_MAX));
  }

  #disarm(): void {
    clearTimeout(this.#timer);
    if (this.#turn !== undefined) clearImmediate(this.#turn);
    this.#timer = undefined;
    this.#turn = undefined;
    this.#wakesAtMs = Number.POSITIVE_INFINITY;
  }
}

/** A timer fires up to 1 ms late, and a little more under load. */
const WAKE_EARLY_MS = 1.2;
/** Node's timers take 31 bits. */
const TIMEOUT_MS_MAX = 2 ** 31 - 1;
