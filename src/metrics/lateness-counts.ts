// How many stamps may have been how late, in coarse cells: few, so that a map holds them.

import { coarseCeiling, coarseCell } from '../core/statistics/coarse-cells.ts';
import type { SparingLag } from './bound-percentiles.ts';

export class LatenessCounts {
  readonly #counts = new Map<number, number>();

  add(lateNs: number, count: number = 1): void {
    const lateNsMax = coarseCeiling(coarseCell(lateNs));
    this.#counts.set(lateNsMax, (this.#counts.get(lateNsMax) ?? 0) + count);
  }

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  /** Latenesses, `besidesNs` more, with how many pass each, greatest first; of many those that are far enough apart. */
  lags(besidesNs: number = 0): readonly SparingLag[] {
    const kept: SparingLag[] = [];
    let spared = 0;
    for (const [lagNs, count] of [...this.#counts].toSorted(([a], [b]) => b - a)) {
      if (spared >= SPARED_STEP * (kept.at(-1)?.spared ?? -1))
        kept.push({ spared, lagNs: lagNs + besidesNs });
      spared += count;
    }
    return kept;
  }
}

/** A lag that spares a few values more is worth no look of its own. */
const SPARED_STEP = 1.5;
