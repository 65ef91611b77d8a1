// The memory that the threads of a probe share: where they wait for each other, so all of them load the machine during
// every measured span.

/** Cells of the Int32Array. */
const ARRIVED = 0;
const FINISHED = 1;
const CELLS = 2;

export class SharedRounds {
  readonly memory: SharedArrayBuffer;
  readonly #threads: number;
  readonly #cells: Int32Array<SharedArrayBuffer>;

  constructor(threads: number, memory: SharedArrayBuffer = new SharedArrayBuffer(4 * CELLS)) {
    this.memory = memory;
    this.#threads = threads;
    this.#cells = new Int32Array(memory);
  }

  /** Blocks this thread until all have reached the round; rounds count from 0. @throws if one does not arrive. */
  waitForAll(round: number): void {
    const all = this.#threads * (round + 1);
    if (Atomics.add(this.#cells, ARRIVED, 1) + 1 === all) {
      Atomics.notify(this.#cells, ARRIVED);
      return;
    }
    while (true) {
      const seen = Atomics.load(this.#cells, ARRIVED);
      if (seen >= all) return;
      if (Atomics.wait(this.#cells, ARRIVED, seen, ARRIVAL_MS_MAX) === 'timed-out') {
        throw new Error('a thread of the probe did not start');
      }
    }
  }

  finish(): void {
    Atomics.add(this.#cells, FINISHED, 1);
  }

  haveAllFinished(round: number): boolean {
    return Atomics.load(this.#cells, FINISHED) >= this.#threads * (round + 1);
  }
}

const ARRIVAL_MS_MAX = 60_000;
