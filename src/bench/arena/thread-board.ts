// State that all threads of a load generator share: sample numbers, progress, heartbeats. Shared memory, because a
// thread that hangs or died answers no message.

export interface ThreadBoardMemory {
  readonly cells: SharedArrayBuffer;
  readonly threads: number;
}

export const createThreadBoardMemory = (threads: number, firstSampleId = 0): ThreadBoardMemory => {
  const cells = new SharedArrayBuffer((HEAD_CELLS + threads * THREAD_CELLS) * Int32Array.BYTES_PER_ELEMENT);
  new Int32Array(cells)[NEXT_SAMPLE] = firstSampleId;
  return { cells, threads };
};

/** Counts wrap at 2³²; no run has so many samples. */
export class ThreadBoard {
  readonly #cells: Int32Array;
  readonly #threads: number;

  constructor({ cells, threads }: ThreadBoardMemory) {
    this.#cells = new Int32Array(cells);
    this.#threads = threads;
  }

  /**
   * The number of the next sample, each returned once, `step` after the previous one. For closed loops and warm-up.
   */
  takeSampleId(step: number): number {
    return Atomics.add(this.#cells, NEXT_SAMPLE, step) >>> 0;
  }

  /** Where the numbers continue: numbers taken past a phase's limit were never sent. */
  setNextSampleId(sampleId: number): void {
    Atomics.store(this.#cells, NEXT_SAMPLE, sampleId | 0);
  }

  /** How many measured samples were taken before this one: where the numbers begin before the measured window. */
  takeMeasured(): number {
    return Atomics.add(this.#cells, MEASURED, 1) >>> 0;
  }

  add(thread: number, cell: ThreadCell, amount: number): void {
    Atomics.add(this.#cells, this.#index(thread, cell), amount);
  }

  get(thread: number, cell: ThreadCell): number {
    return Atomics.load(this.#cells, this.#index(thread, cell)) >>> 0;
  }

  total(cell: ThreadCell): number {
    let sum = 0;
    for (let thread = 0; thread < this.#threads; thread += 1) sum += this.get(thread, cell);
    return sum;
  }

  #index(thread: number, cell: ThreadCell): number {
    return HEAD_CELLS + thread * THREAD_CELLS + CELLS[cell];
  }
}

type ThreadCell = keyof typeof CELLS;

const CELLS = { heartbeat: 0, issued: 1, ended: 2, dropped: 3, arenaFull: 4, warmup: 5 } as const;
const NEXT_SAMPLE = 0;
const MEASURED = 1;
/** A cache line apart each. */
const HEAD_CELLS = 16;
const THREAD_CELLS = 16;
