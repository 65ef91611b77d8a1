// State that all threads of a load generator share: sample numbers, progress, heartbeats. Shared memory, because a
// thread that hangs or died answers no message.

import { BEAT_NS } from '../../core/run/event-record.ts';
import { BEATS_MAX } from '../../wire/event-batch-layout.ts';

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

// The heartbeat of a load or parse thread: a timer that is due every 20 ms or so, with or without traffic, and how
// late it fired by the monotonic clock. Anything that stops a thread (a signal, a quota, other programs) also stops its
// heartbeat, and its measurements of that time are not reliable. A beat allocates nothing.
export class Heartbeat {
  /** Of the beats since `clear`, the first `count`. */
  readonly latenessNs: Float64Array = new Float64Array(BEATS_MAX);
  count = 0;
  #lastNs: number;

  constructor(nowNs: number) {
    this.#lastNs = nowNs;
  }

  /** @param afterNs how long after the previous beat it was due. @returns how late it came, ns. */
  beat(nowNs: number, afterNs: number = BEAT_NS): number {
    const lateNs = Math.max(0, nowNs - this.#lastNs - afterNs);
    this.#lastNs = nowNs;
    // There are never more beats than cells between two reports; if there were, the last cell would keep the longest.
    const at = Math.min(this.count, BEATS_MAX - 1);
    this.latenessNs[at] = at < this.count ? Math.max(this.latenessNs[at] ?? 0, lateNs) : lateNs;
    this.count = at + 1;
    return lateNs;
  }

  /** At the end: an overdue beat counts, too. */
  last(nowNs: number): void {
    if (nowNs - this.#lastNs > BEAT_NS) this.beat(nowNs);
  }

  clear(): void {
    this.count = 0;
  }
}
