// Rates over the last seconds of a run, from the snapshots that came: what a person wants to see while it runs, when the
// average since the start hides that the server has just stopped answering.

import type { MetricsSnapshot } from '../core/run/snapshot.ts';
import type { RecentRates as Rates } from './run-view.ts';
import { counterOf, seriesOf } from './run-view.ts';

export class RecentRates {
  #moments: { readonly atNs: number; readonly completed: number; readonly outputTokens: number }[] = [];

  add(snapshot: MetricsSnapshot): void {
    this.#moments.push({
      atNs: snapshot.timestampNs,
      completed: counterOf(snapshot, 'trackedSamplesCompleted'),
      outputTokens: Number(seriesOf(snapshot, 'outputTokens')?.total ?? 0),
    });
    const fromNs = snapshot.timestampNs - SPAN_NS;
    // One from before the span stays, so that the rate is always over the whole of it.
    while ((this.#moments[1]?.atNs ?? Number.POSITIVE_INFINITY) <= fromNs) this.#moments.shift();
  }

  /** undefined until there is a span to speak of. */
  now(): Rates | undefined {
    const first = this.#moments[0];
    const last = this.#moments.at(-1);
    if (first === undefined || last === undefined || last.atNs - first.atNs < SPAN_NS_MIN) return undefined;
    const seconds = (last.atNs - first.atNs) / 1e9;
    return {
      requestsPerSecond: (last.completed - first.completed) / seconds,
      outputTokensPerSecond: (last.outputTokens - first.outputTokens) / seconds,
    };
  }
}

const SPAN_NS = 3e9;
const SPAN_NS_MIN = 0.3e9;
