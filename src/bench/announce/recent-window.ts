// Rates over the last seconds of a run: the average since its start hides that the server has just stopped answering.

import type { RecentRates } from '../../core/run/run.ts';
import type { MetricsSnapshot } from '../../core/run/snapshot.ts';
import { unknown } from '../../core/unknown.ts';
import { lookUp } from '../../metrics/metric-lookup.ts';

interface Moment {
  readonly atNs: number;
  readonly completed: number;
  readonly outputTokens: number;
}

export class RecentWindow {
  readonly #moments: Moment[] = [];

  add(snapshot: MetricsSnapshot): void {
    const metrics = lookUp(snapshot);
    this.#moments.push({
      atNs: snapshot.timestampNs,
      completed: metrics.counter('trackedSamplesCompleted'),
      outputTokens: Number(metrics.series('outputTokens')?.total ?? 0),
    });
    // One from before the span stays, so that the rate is always over the whole of it.
    while ((this.#moments[1]?.atNs ?? Number.POSITIVE_INFINITY) <= snapshot.timestampNs - SPAN_NS)
      this.#moments.shift();
  }

  rates(): RecentRates {
    const first = this.#moments[0];
    const last = this.#moments.at(-1);
    if (first === undefined || last === undefined || last.atNs - first.atNs < SPAN_NS_MIN) {
      const early = unknown('too early to say');
      return { requestsPerSecond: early, outputTokensPerSecond: early };
    }
    const seconds = (last.atNs - first.atNs) / 1e9;
    return {
      requestsPerSecond: (last.completed - first.completed) / seconds,
      outputTokensPerSecond: (last.outputTokens - first.outputTokens) / seconds,
    };
  }
}

const SPAN_NS = 5e9;
const SPAN_NS_MIN = 0.5e9;
