// The metrics of a run that depend on the tokens of its answers, taken from a recount with known tokens.

import type { SeriesKey } from '../core/run/run-series.ts';
import type { Metric, MetricsSnapshot } from '../core/run/snapshot.ts';
import type { RunMetrics } from './run-metrics.ts';

/** The rest of the snapshot, and the client's measurements of itself, stay unchanged. */
export const withTokenMetrics = (snapshot: MetricsSnapshot, recount: RunMetrics): MetricsSnapshot => {
  const counted = new Map(recount.final().map(metric => [metric.name, metric]));
  const { objectives, variants } = recount.beside();
  const known = new Set(snapshot.metrics.map(({ name }) => name));
  const added = [...counted.values()].filter(({ name }) => isOfTokens(name) && !known.has(name));
  return {
    ...snapshot,
    metrics: [
      ...snapshot.metrics.map((metric): Metric => {
        const one = isOfTokens(metric.name) ? counted.get(metric.name) : undefined;
        return one ?? metric;
      }),
      ...added,
    ],
    ...(objectives === undefined ? {} : { objectives }),
    ...(variants === undefined ? {} : { variants }),
  };
};

const isOfTokens = (name: string): boolean => TOKEN_METRICS.has(name) || name.startsWith('objective.');

const TOKEN_SERIES: readonly SeriesKey[] = ['outputTokens', 'tpotNs', 'tokensPerChunk', 'tokensPerStep'];
const TOKEN_METRICS: ReadonlySet<string> = new Set<string>([
  ...TOKEN_SERIES,
  'steadyStateOutputTokens',
  'goodSamples',
  'goodOutputTokens',
]);
