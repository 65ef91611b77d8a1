// When each stream writes next: a binary heap over all of them and one timer. Node's timers have millisecond resolution
// and fire late, so it sleeps until shortly before the next deadline and spins the event loop from there, which keeps
// serving the sockets. Deadlines are absolute: a late write does not delay later ones.

export interface Deadlined {
  /** Does what is due; returns the next deadline, or undefined if there is none. */
  onDue(nowMs: number): number | undefined;
}

export class DeadlineQueue {
  readonly #nowMs: () => number;
  readonly #dueMs: number[] = [];
  readonly #items: Deadlined[] = [];
  #timer: NodeJS.Timeout | undefined;
  #turn: NodeJS.Immediate | undefined;
  #wakesAtMs = Number.POSITIVE_INFINITY;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get length(): number {
    return this.#items.length;
  }

  add(item: Deadlined, dueMs: number): void {
    this.#dueMs.push(dueMs);
    this.#items.push(item);
    this.#rise(this.#items.length - 1);
    if (this.#turn === undefined && dueMs - WAKE_EARLY_MS < this.#wakesAtMs) this.#arm(this.#nowMs());
  }

  clear(): void {
    this.#dueMs.length = 0;
    this.#items.length = 0;
    this.#disarm();
  }

  readonly #serve = (): void => {
    this.#disarm();
    // What becomes due during this turn waits for the next one: sockets are read in between.
    const turnMs = this.#nowMs();
    let nowMs = turnMs;
    while (this.#items.length > 0) {
      const dueMs = this.#dueMs[0] ?? 0;
      const item = this.#items[0];
      if (dueMs > turnMs || item === undefined) break;
      const nextMs = item.onDue(nowMs);
      if (this.#items[0] !== item) continue; // cleared meanwhile
      if (nextMs === undefined) this.#removeFirst();
      else {
        this.#dueMs[0] = nextMs;
        this.#sink(0);
      }
      nowMs = this.#nowMs();
    }
    this.#arm(nowMs);
  };

  #arm(nowMs: number): void {
    this.#disarm();
    const dueMs = this.#dueMs[0];
    if (dueMs === undefined) return;
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

  #removeFirst(): void {
    const lastMs = this.#dueMs.pop();
    const last = this.#items.pop();
    if (lastMs === undefined || last === undefined || this.#items.length === 0) return;
    this.#dueMs[0] = lastMs;
    this.#items[0] = last;
    this.#sink(0);
  }

  #rise(from: number): void {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (this.#at(parent) <= this.#at(index)) return;
      this.#swap(index, parent);
      index = parent;
    }
  }

  #sink(from: number): void {
    let index = from;
    while (true) {
      const left = 2 * index + 1;
      let least = index;
      if (this.#at(left) < this.#at(least)) least = left;
      if (this.#at(left + 1) < this.#at(least)) least = left + 1;
      if (least === index) return;
      this.#swap(index, least);
      index = least;
    }
  }

  #at(index: number): number {
    return index < this.#dueMs.length ? (this.#dueMs[index] ?? 0) : Number.POSITIVE_INFINITY;
  }

  #swap(a: number, b: number): void {
    const dueA = this.#dueMs[a];
    const dueB = this.#dueMs[b];
    const itemA = this.#items[a];
    const itemB = this.#items[b];
    if (dueA === undefined || dueB === undefined || itemA === undefined || itemB === undefined) return;
    this.#dueMs[a] = dueB;
    this.#dueMs[b] = dueA;
    this.#items[a] = itemB;
    this.#items[b] = itemA;
  }
}

/** A timer fires up to 1 ms late, and a little more under load. */
const WAKE_EARLY_MS = 1.2;
/** Node's timers take 31 bits. */
const TIMEOUT_MS_MAX = 2 ** 31 - 1;
