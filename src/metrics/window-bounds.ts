// By how much the measured window may be off: its first request was sent between its stamp and the return of its
// write, and its last reply arrived earlier by as much as it may have been read late.

import type { EndedSample } from '../core/run/ended-sample.ts';
import type { ErrorBound, SampleLateness } from '../core/run/event-record.ts';
import { roundedBound } from './bound-percentiles.ts';
import { TimeBins } from './time-bins.ts';
import type { Lateness, MarkedLateness } from './wake-lateness.ts';

export class WindowBounds {
  readonly #windows = new Map<number, WindowEdges>();
  /** With several machines: error of the clock offset by which one's samples were aligned. */
  clockErrorNs = 0;

  issued(window: number, sentNs: number): void {
    const edges = this.#edges(window);
    edges.sentNs = Math.min(edges.sentNs, sentNs);
  }

  completed({ window, sentNs, endNs }: EndedSample, late: SampleLateness): void {
    const edges = this.#edges(window);
    edges.leftNs = Math.min(edges.leftNs, sentNs + late.writeNs);
    edges.endNs = Math.max(edges.endNs, endNs);
    edges.knownEndNs = Math.max(edges.knownEndNs, endNs - late.endLateNs);
    edges.sureEndNs = Math.max(edges.sureEndNs, endNs - late.endLateNsMax);
  }

  /** Of all windows together. */
  bound({ beyondKnown, beyondSleep }: MarkedLateness): ErrorBound {
    let [above, below] = [0, 0];
    for (const { sentNs, leftNs, endNs, knownEndNs, sureEndNs } of this.#windows.values()) {
      if (endNs < 0) continue;
      const knownNs = endNs - knownEndNs + lagOfOne(beyondKnown);
      below += 2 * this.clockErrorNs;
      above +=
        2 * this.clockErrorNs +
        leftNs -
        sentNs +
        Math.min(knownNs, endNs - sureEndNs + lagOfOne(beyondSleep));
    }
    return roundedBound({ above, below });
  }

  #edges(window: number): WindowEdges {
    const known = this.#windows.get(window);
    if (known !== undefined) return known;
    const edges = { sentNs: Infinity, leftNs: Infinity, endNs: -1, knownEndNs: -1, sureEndNs: -1 };
    this.#windows.set(window, edges);
    return edges;
  }
}

interface WindowEdges {
  sentNs: number;
  leftNs: number;
  endNs: number;
  knownEndNs: number;
  sureEndNs: number;
}

/** A lateness that one reply hardly exceeds. */
const lagOfOne = (wake: Lateness): number => {
  const one = new TimeBins();
  one.add(0);
  return wake.lags(one)[0]?.lagNs ?? 0;
};
