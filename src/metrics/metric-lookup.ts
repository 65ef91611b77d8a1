// A snapshot's metrics by name.

import type { MetricsSnapshot, SeriesMetric } from '../core/run/snapshot.ts';

export interface MetricLookup {
  /** 0 where the snapshot has no such counter: another version made it. */
  counter(name: string): number;
  series(name: string): SeriesMetric | undefined;
  readonly counters: ReadonlyMap<string, number>;
  readonly allSeries: ReadonlyMap<string, SeriesMetric>;
}

export const lookUp = (snapshot: MetricsSnapshot | undefined): MetricLookup => {
  const counters = new Map<string, number>();
  const allSeries = new Map<string, SeriesMetric>();
  for (const metric of snapshot?.metrics ?? []) {
    if (metric.kind === 'counter') counters.set(metric.name, metric.value);
    else allSeries.set(metric.name, metric);
  }
  return {
    counters,
    allSeries,
    counter: name => counters.get(name) ?? 0,
    series: name => allSeries.get(name),
  };
};
