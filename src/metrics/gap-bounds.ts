// Bounds of the gaps between chunks: a gap is too long by the lateness of its end and too short by that of its start.
// The possible values of each are counted where its stamps are (bench/parse/gap-edges.ts). For the mean of a stream
// only its first and last chunk count.

import { recordOf } from '../core/record-of.ts';
import { type EndedSample, gapsByChoice } from '../core/run/ended-sample.ts';
import {
  type ErrorBound,
  GAP_EDGES,
  type GapEdge,
  type GapEdgesRecord,
  type SampleLateness,
} from '../core/run/event-record.ts';
import { Histogram } from '../core/statistics/histogram.ts';
import type { RankedValues } from '../core/statistics/percentile.ts';
import type { BoundedValues } from './bound-percentiles.ts';
import { TimeBins } from './time-bins.ts';
import type { MarkedLateness } from './wake-lateness.ts';

export class GapBounds {
  readonly #edges: Readonly<Record<GapEdge, Histogram>> = recordOf(
    GAP_EDGES,
    () => new Histogram({ low: 1, high: 3_600_000_000_000 }),
  );
  readonly #starts = new TimeBins();
  readonly #ends = new TimeBins();
  /** Of streams. */
  readonly #lasts = new TimeBins();
  readonly #sums = { firstNs: 0, lastNs: 0, firstNsMax: 0, lastNsMax: 0 };
  #samples = 0;
  #count = 0;

  /** 0 while no thread has reported any. */
  get count(): number {
    return this.#edges.knownLeast.count === 0 ? 0 : this.#count;
  }

  /** In the form for a coordinator. */
  get edges(): Readonly<Record<GapEdge, Histogram>> {
    return this.#edges;
  }

  observed({
    edge,
    cells,
  }: Pick<GapEdgesRecord, 'edge'> & { readonly cells: Iterable<readonly [number, number]> }): void {
    for (const [cell, count] of cells) this.#edges[edge].addCell(cell, count);
  }

  completed(sample: EndedSample, late: SampleLateness): void {
    const { chunkGapsNs, firstContentNs, endNs } = sample;
    if (chunkGapsNs.length === 0) return;
    let atNs = firstContentNs;
    for (const gapNs of chunkGapsNs) {
      this.#starts.add(atNs);
      atNs += gapNs;
      this.#ends.add(atNs);
    }
    this.#lasts.add(endNs);
    this.#count += gapsByChoice(sample).length;
    this.#samples += 1;
    this.#sums.firstNs += late.firstContentLateNs;
    this.#sums.lastNs += late.lastContentLateNs;
    this.#sums.firstNsMax += late.firstContentLateNsMax;
    this.#sums.lastNsMax += late.lastContentLateNsMax;
  }

  mean({ beyondKnown, beyondSleep }: MarkedLateness): ErrorBound {
    const bins = this.#lasts.effectiveCount;
    const wakesNs = this.#samples * beyondKnown.meanMaxNs(bins);
    const blockedNs = this.#samples * beyondSleep.meanMaxNs(bins);
    const { firstNs, lastNs, firstNsMax, lastNsMax } = this.#sums;
    return {
      above: Math.min(lastNs + wakesNs, lastNsMax + blockedNs) / this.#count,
      below: Math.min(firstNs + wakesNs, firstNsMax + blockedNs) / this.#count,
    };
  }

  ways({ beyondKnown, beyondSleep }: MarkedLateness): readonly BoundedValues[] {
    return [
      { least: this.#atLeast('knownLeast'), lags: beyondKnown.lags(this.#ends) },
      { most: this.#atMost('knownMost'), lags: beyondKnown.lags(this.#starts) },
      { least: this.#atLeast('surelyLeast'), lags: beyondSleep.lags(this.#ends) },
      { most: this.#atMost('surelyMost'), lags: beyondSleep.lags(this.#starts) },
    ];
  }

  /** Gaps whose limits have not arrived yet may have any value: as many ranks are left out. */
  #atLeast(edge: GapEdge): RankedValues {
    const counts = this.#edges[edge];
    const unreported = Math.max(0, this.#count - counts.count);
    return { length: this.#count, at: rank => counts.lowestAtRank(rank - unreported + 1) };
  }

  /** Limits of samples that are not counted here may be less than any. */
  #atMost(edge: GapEdge): RankedValues {
    const counts = this.#edges[edge];
    const uncounted = Math.max(0, counts.count - this.#count);
    return { length: this.#count, at: rank => counts.valueAtRank(rank + uncounted + 1) };
  }
}
