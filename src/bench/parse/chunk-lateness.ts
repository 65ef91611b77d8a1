// Counts how late content chunks may have been read, by the work of their thread alone and with what it slept before. What is
// told is never less than what was counted, and at most 9 % more. Counting allocates nothing.

import type { ChunkLatenessRecord } from '../../core/run/event-record.ts';
import { COARSE_CELLS, coarseCeiling, coarseCell } from '../../core/statistics/coarse-cells.ts';

/** Of one read. */
export interface ReadLate {
  readonly lateNs: number;
  readonly lateNsMax: number;
}

export class ChunkLateness {
  readonly #own = new Cells();
  readonly #most = new Cells();

  add(lateNs: number, lateNsMax: number): void {
    this.#own.add(lateNs);
    this.#most.add(lateNsMax);
  }

  /** Those since the last call. */
  *take(of: Pick<ChunkLatenessRecord, 'atNs' | 'thread'>): Generator<ChunkLatenessRecord, void, void> {
    const own = this.#own.take();
    if (own.length === 0) return;
    yield { kind: 'client.chunks', ...of, isMax: false, cells: own };
    yield { kind: 'client.chunks', ...of, isMax: true, cells: this.#most.take() };
  }
}

class Cells {
  readonly #counts = new Float64Array(COARSE_CELLS);
  #highest = -1;

  add(lateNs: number): void {
    const cell = coarseCell(lateNs);
    this.#counts[cell] = (this.#counts[cell] ?? 0) + 1;
    if (cell > this.#highest) this.#highest = cell;
  }

  /** Lowest first. */
  take(): (readonly [lateNsMax: number, count: number])[] {
    const told: (readonly [number, number])[] = [];
    for (let cell = 0; cell <= this.#highest; cell += 1) {
      const count = this.#counts[cell] ?? 0;
      if (count > 0) told.push([coarseCeiling(cell), count]);
    }
    this.#counts.fill(0, 0, this.#highest + 1);
    this.#highest = -1;
    return told;
  }
}
