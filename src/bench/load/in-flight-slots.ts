// The slots of `--max-in-flight`, each with the time since which it is free. The oldest is taken first, as in a queue
// with that many servers: the time an arrival waited for it is due to the cap, and the rest of its delay is ours.

/** Allocates nothing after construction: a slot is taken for each sample. */
export class InFlightSlots {
  readonly #freeSinceNs: Float64Array;
  #first = 0;
  #free: number;

  constructor(count: number) {
    this.#freeSinceNs = new Float64Array(count);
    this.#free = count;
  }

  get free(): number {
    return this.#free;
  }

  /** Requires a free slot. @returns how long an arrival that was due at `dueNs` had to wait for it. */
  take(dueNs: number): number {
    const sinceNs = this.#freeSinceNs[this.#first] ?? 0;
    this.#first = (this.#first + 1) % this.#freeSinceNs.length;
    this.#free -= 1;
    return Math.max(0, sinceNs - dueNs);
  }

  release(nowNs: number): void {
    this.#freeSinceNs[(this.#first + this.#free) % this.#freeSinceNs.length] = nowNs;
    this.#free += 1;
  }
}
