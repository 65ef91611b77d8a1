// What a reader must know beside the figures, one sentence each.

import type { SeriesMetric } from '../core/run/snapshot.ts';
import type { MetricLookup } from './metric-lookup.ts';
import { RECORD_PROBLEMS } from './run-counters.ts';

export const reportNotices = (metrics: MetricLookup): readonly string[] => [
  ...staleNotices(metrics),
  ...problemNotices(metrics),
  ...metrics.allSeries.values().flatMap(seriesNotices),
];

/** The one exception to "nothing is retried silently" (METRICS §2). */
const staleNotices = (metrics: MetricLookup): readonly string[] => {
  const stale = metrics.counter('connectionsStale');
  return stale === 0
    ? []
    : [`${stale} requests found their reused connection closed and were sent once more on a fresh one`];
};

const problemNotices = (metrics: MetricLookup): readonly string[] =>
  Object.entries(RECORD_PROBLEMS).flatMap(([name, meaning]) => {
    const count = metrics.counter(name);
    if (count === 0) return [];
    return name === 'finalFileFailed' ? [meaning] : [`${count} ${meaning}`];
  });

const seriesNotices = ({ name, clampedCount, leftOutCount }: SeriesMetric): readonly string[] => [
  ...(clampedCount > 0
    ? [`${name}: ${clampedCount} values lie outside its histogram and are counted in its outermost cell`]
    : []),
  ...(leftOutCount > 0
    ? [`${name}: more values than are kept; its percentiles come from the histogram, to 0.1%`]
    : []),
];
