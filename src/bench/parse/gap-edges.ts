// Counts the possible values of the gaps between chunks of completed samples, by the possible lateness of the stamps
// at both ends, in the cells of a histogram: the lower and upper limit of a percentile follow from these alone.
// Counting allocates nothing.

import { recordOf } from '../../core/record-of.ts';
import { GAP_EDGES, type GapEdge, type GapEdgesRecord } from '../../core/run/event-record.ts';
import { Histogram } from '../../core/statistics/histogram.ts';
import { GAP_CELLS_MAX } from '../../wire/event-batch-layout.ts';

/** Lateness of one read: by known causes, and the upper limit of any delay while its thread slept. */
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
   * @param late two figures for each stamp, as for a read
   * @param choiceOf for each chunk, whose gap is to the previous one of the same choice; empty: there is one choice
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
