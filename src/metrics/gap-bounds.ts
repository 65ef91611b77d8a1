// Bounds of the gaps between chunks: a gap is too long by the lateness of its end and too short by that of its start. In the mean
// of a stream only its first and last chunk count.

import type { EndedSample } from '../core/run/ended-sample.ts';
import type { ErrorBound } from '../core/run/error-bound.ts';
import type { ChunkLatenessRecord, SampleLateness } from '../core/run/event-record.ts';
import type { BoundedValues, RankedValues } from './bound-percentiles.ts';
import { LatenessCounts } from './lateness-counts.ts';
import { TimeBins } from './time-bins.ts';
import type { WakeLateness } from './wake-lateness.ts';

export class GapBounds {
  readonly #own = new LatenessCounts();
  readonly #latest = new LatenessCounts();
  readonly #bins = new TimeBins();
  readonly #ends = new TimeBins();
  readonly #sums = { firstNs: 0, lastNs: 0, firstNsMax: 0, lastNsMax: 0 };
  #samples = 0;
  #count = 0;

  get count(): number {
    return this.#own.isEmpty ? 0 : this.#count;
  }

  observed({ isMax, cells }: ChunkLatenessRecord): void {
    for (const [lateNsMax, count] of cells) (isMax ? this.#latest : this.#own).add(lateNsMax, count);
  }

  completed({ chunkGapsNs, firstContentNs, endNs }: EndedSample, late: SampleLateness): void {
    if (chunkGapsNs.length === 0) return;
    let atNs = firstContentNs;
    for (const gapNs of chunkGapsNs) {
      atNs += gapNs;
      this.#bins.add(atNs);
    }
    this.#ends.add(endNs);
    this.#count += chunkGapsNs.length;
    this.#samples += 1;
    this.#sums.firstNs += late.firstContentLateNs;
    this.#sums.lastNs += late.lastContentLateNs;
    this.#sums.firstNsMax += late.firstContentLateNsMax;
    this.#sums.lastNsMax += late.lastContentLateNsMax;
  }

  mean(wake: WakeLateness): ErrorBound {
    const wakesNs = this.#samples * wake.meanMaxNs(this.#ends.effectiveCount);
    const { firstNs, lastNs, firstNsMax, lastNsMax } = this.#sums;
    return {
      above: Math.min(lastNs + wakesNs, lastNsMax + this.#samples * wake.heldNsMax) / this.#count,
      below: Math.min(firstNs + wakesNs, firstNsMax + this.#samples * wake.heldNsMax) / this.#count,
    };
  }

  ways(wake: WakeLateness, measured: RankedValues): readonly BoundedValues[] {
    const both = { least: measured, most: measured };
    const wakes = wake.lags(this.#bins);
    return [
      // Whatever values pass one lag, and others the other: each of so few of the ways that the rest would tell no more.
      ...wakes.map(({ spared, lagNs }) => ({
        ...both,
        lags: this.#own.lags().map(own => ({ spared: own.spared + spared, lagNs: own.lagNs + lagNs })),
      })),
      { ...both, lags: this.#latest.lags(wake.heldNsMax) },
    ];
  }
}
