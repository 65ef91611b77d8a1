// A snapshot's metrics by the keys of their tables.

import type { SampleCounts } from './outcome.ts';
import type { CounterKey, ObjectiveCounterKey } from './run-counters.ts';
import type { SeriesKey } from './run-series.ts';
import type { MetricsSnapshot, SeriesMetric } from './snapshot.ts';

export interface MetricLookup {
  /** 0 if the snapshot has no such counter: another version made it. */
  counter(key: CounterKey | ObjectiveCounterKey): number;
  series(key: SeriesKey): SeriesMetric | undefined;
  /** Counts of the measured phase, or of the whole run. */
  counts(of: 'measured' | 'all'): SampleCounts;
  /** Including those that are only known to another version. */
  readonly allSeries: ReadonlyMap<string, SeriesMetric>;
}

export const lookUp = (snapshot: MetricsSnapshot | undefined): MetricLookup => {
  const counters = new Map<string, number>();
  const allSeries = new Map<string, SeriesMetric>();
  for (const metric of snapshot?.metrics ?? []) {
    if (metric.kind === 'counter') counters.set(metric.name, metric.value);
    else allSeries.set(metric.name, metric);
  }
  const counter: MetricLookup['counter'] = key => counters.get(key) ?? 0;
  return {
    allSeries,
    counter,
    series: key => allSeries.get(key),
    counts: of => {
      const prefix = of === 'all' ? 'samples' : 'trackedSamples';
      const issued = counter(`${prefix}Issued`);
      const completed = counter(`${prefix}Completed`);
      const failed = counter(`${prefix}Failed`);
      const cancelled = counter(`${prefix}Cancelled`);
      return { issued, completed, failed, cancelled, unresolved: issued - completed - failed - cancelled };
    },
  };
};
