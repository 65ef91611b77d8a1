// Counts how late content chunks may have been read, in cells of an eighth of an octave: what is told is never less than what
// was counted, and at most 9 % more. Counting allocates nothing.

import { CHUNK_CELLS_MAX } from '../../wire/event-batch-layout.ts';

export class LatenessCells {
  readonly #counts = new Float64Array(CHUNK_CELLS_MAX);
  #highest = -1;

  add(lateNs: number): void {
    const cell =
      lateNs <= LEAST_NS
        ? 0
        : Math.min(CHUNK_CELLS_MAX - 1, Math.ceil(Math.log2(lateNs / LEAST_NS) * CELLS_PER_OCTAVE));
    this.#counts[cell] = (this.#counts[cell] ?? 0) + 1;
    if (cell > this.#highest) this.#highest = cell;
  }

  /** Those since the last call, lowest first. */
  take(): (readonly [lateNsMax: number, count: number])[] {
    const told: (readonly [number, number])[] = [];
    for (let cell = 0; cell <= this.#highest; cell += 1) {
      const count = this.#counts[cell] ?? 0;
      if (count > 0) told.push([Math.ceil(LEAST_NS * 2 ** (cell / CELLS_PER_OCTAVE)), count]);
    }
    this.#counts.fill(0, 0, this.#highest + 1);
    this.#highest = -1;
    return told;
  }
}

const CELLS_PER_OCTAVE = 8;
/** Nobody tells less apart. */
const LEAST_NS = 1_000;
