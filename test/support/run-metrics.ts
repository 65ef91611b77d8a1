// Metrics of a run by name, as a final account gives them.

import type { Metric, SeriesMetric } from '../../src/core/run/snapshot.ts';
import type { RunMetrics } from '../../src/metrics/run-metrics.ts';

interface NamedMetrics {
  readonly counters: Readonly<Record<string, number>>;
  readonly series: Readonly<Record<string, SeriesMetric>>;
}

export const metricsOf = (metrics: RunMetrics): NamedMetrics => named(metrics.final());

export const seriesOf = (metrics: RunMetrics): NamedMetrics['series'] => metricsOf(metrics).series;

export const named = (metrics: readonly Metric[]): NamedMetrics => {
  const counters: Record<string, number> = {};
  const series: Record<string, SeriesMetric> = {};
  for (const metric of metrics) {
    if (metric.kind === 'counter') counters[metric.name] = metric.value;
    else series[metric.name] = metric;
  }
  return { counters, series };
};
