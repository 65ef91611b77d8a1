// Counts what the gaps between chunks of completed samples may truly be, by how late the stamps at both ends may be, in the cells
// of a histogram: what a percentile of them is at the least and at the most follows from these alone. Counting allocates nothing.

import { recordOf } from '../../core/record-of.ts';
import { GAP_EDGES, type GapEdge, type GapEdgesRecord } from '../../core/run/event-record.ts';
import { Histogram } from '../../core/statistics/histogram.ts';
import { GAP_CELLS_MAX } from '../../wire/event-batch-layout.ts';

/** Of one read: by what is known, and whatever happened while its thread slept. */
export interface ReadLate {
  readonly lateNs: number;
  readonly lateNsMax: number;
}

export class GapEdges {
  readonly #edges: Readonly<Record<GapEdge, Histogram>> = recordOf(
    GAP_EDGES,
    () => new Histogram({ low: 1, high: HIGHEST_NS }),
  );

  /**
   * @param late two figures of each stamp, as of a read
   * @param choiceOf of each chunk, whose gap is to the one before of the same choice; empty: there is one choice
   */
  add(
    stampsNs: Float64Array,
    late: Float32Array,
    { count, choiceOf }: { readonly count: number; readonly choiceOf: readonly number[] },
  ): void {
    if (choiceOf.length === 0) {
      for (let at = 1; at < count; at += 1) this.#add(stampsNs, late, at, at - 1);
      return;
    }
    const lastAt = new Map<number, number>();
    for (let at = 0; at < count; at += 1) {
      const choice = choiceOf[at] ?? 0;
      const before = lastAt.get(choice);
      if (before !== undefined) this.#add(stampsNs, late, at, before);
      lastAt.set(choice, at);
    }
  }

  #add(stampsNs: Float64Array, late: Float32Array, at: number, before: number): void {
    const { knownLeast, knownMost, surelyLeast, surelyMost } = this.#edges;
    const gapNs = (stampsNs[at] ?? 0) - (stampsNs[before] ?? 0);
    knownLeast.record(Math.max(1, gapNs - (late[2 * at] ?? 0)));
    knownMost.record(Math.max(1, gapNs + (late[2 * before] ?? 0)));
    surelyLeast.record(Math.max(1, gapNs - (late[2 * at + 1] ?? 0)));
    surelyMost.record(Math.max(1, gapNs + (late[2 * before + 1] ?? 0)));
  }

  /** Those since the last call. */
  *take(of: Pick<GapEdgesRecord, 'atNs' | 'thread'>): Generator<GapEdgesRecord, void, void> {
    for (const edge of GAP_EDGES) {
      const counts = this.#edges[edge];
      if (counts.count === 0) continue;
      const cells = [...counts.cells()];
      for (let at = 0; at < cells.length; at += GAP_CELLS_MAX)
        yield { kind: 'client.gaps', ...of, edge, cells: cells.slice(at, at + GAP_CELLS_MAX) };
      counts.clear();
    }
  }
}

/** An hour, as of any time. */
const HIGHEST_NS = 3_600_000_000_000;
