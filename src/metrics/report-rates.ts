// The rates of METRICS §4. A rate whose parts are not all known is unknown with the reason, never a lower figure.

import type { Objective } from '../core/run/objective.ts';
import type { Report, ReportRun, SampleCounts } from '../core/run/report.ts';
import type { Unknown } from '../core/unknown.ts';
import { isUnknown, unknown } from '../core/unknown.ts';
import type { MetricLookup } from './metric-lookup.ts';

export type ReportRates = Pick<
  Report,
  | 'windowNs'
  | 'steadyStateWindowNs'
  | 'steadyStateRequestsPerSecond'
  | 'steadyStateOutputTokensPerSecond'
  | 'requestsPerSecond'
  | 'outputTokensPerSecond'
  | 'inputTokensPerSecond'
  | 'totalTokensPerSecond'
  | 'perUserTokensPerSecond'
  | 'goodput'
>;

export interface RateContext {
  readonly counts: SampleCounts;
  readonly run: ReportRun;
  readonly objectives: readonly Objective[];
}

export const reportRates = (metrics: MetricLookup, { counts, run, objectives }: RateContext): ReportRates => {
  const windowNs = windowOf(metrics, counts);
  const steadyStateWindowNs = steadyStateOf(metrics, run);
  const inputTokens = tokensOf(metrics, 'inputTokens', counts);
  const outputTokens = tokensOf(metrics, 'outputTokens', counts);
  const totalTokens = isUnknown(inputTokens)
    ? inputTokens
    : isUnknown(outputTokens)
      ? outputTokens
      : inputTokens + outputTokens;
  return {
    windowNs,
    steadyStateWindowNs,
    steadyStateRequestsPerSecond: perSecond(metrics.counter('steadyStateCompleted'), steadyStateWindowNs),
    steadyStateOutputTokensPerSecond: perSecond(
      isUnknown(outputTokens) ? outputTokens : metrics.counter('steadyStateOutputTokens'),
      steadyStateWindowNs,
    ),
    requestsPerSecond: perSecond(counts.completed, windowNs),
    outputTokensPerSecond: perSecond(outputTokens, windowNs),
    inputTokensPerSecond: perSecond(inputTokens, windowNs),
    totalTokensPerSecond: perSecond(totalTokens, windowNs),
    perUserTokensPerSecond: { p50: perUser(metrics, '50', run), p90: perUser(metrics, '90', run) },
    ...(objectives.length === 0 ? {} : { goodput: perSecond(goodSamples(metrics, objectives), windowNs) }),
  };
};

const windowOf = (metrics: MetricLookup, { issued, completed }: SampleCounts): number | Unknown => {
  const windowNs = metrics.counter('windowNs');
  if (windowNs > 0) return windowNs;
  if (issued === 0) return unknown('nothing was measured');
  return unknown(completed === 0 ? 'no sample completed' : 'the window has no length');
};

const steadyStateOf = (metrics: MetricLookup, { pattern }: ReportRun): number | Unknown => {
  if (pattern.kind !== 'concurrency') return unknown('only a fixed concurrency has a plateau');
  const windowNs = metrics.counter('steadyStateNs');
  return windowNs > 0 ? windowNs : unknown(`${pattern.concurrency} requests were never in flight at once`);
};

const tokensOf = (metrics: MetricLookup, name: string, { completed }: SampleCounts): number | Unknown => {
  const series = metrics.series(name);
  if (completed === 0) return unknown('no sample completed');
  if (series === undefined || series.count === 0) return unknown("the server's usage was missing");
  if (series.count < completed)
    return unknown(`the server's usage was missing for ${completed - series.count} of ${completed} samples`);
  return Number(series.total);
};

const goodSamples = (metrics: MetricLookup, objectives: readonly Objective[]): number | Unknown => {
  const unknowns = objectives.map(({ name }) => metrics.counter(`objective.${name}.unknown`));
  const most = Math.max(...unknowns);
  return most > 0
    ? unknown(`${most} samples lack the figure that an objective is about`)
    : metrics.counter('goodSamples');
};

/** The rate that one reader sees: 1 / time per output token. */
const perUser = (metrics: MetricLookup, percentile: string, { streaming }: ReportRun): number | Unknown => {
  const tpotNs = metrics.series('tpotNs')?.percentiles[percentile];
  if (tpotNs === undefined)
    return unknown(streaming ? 'no sample has a time per output token' : 'not streamed');
  return tpotNs > 0 ? 1e9 / tpotNs : unknown('all tokens came at one moment');
};

const perSecond = (amount: number | Unknown, windowNs: number | Unknown): number | Unknown => {
  if (isUnknown(windowNs)) return windowNs;
  return isUnknown(amount) ? amount : (amount * 1e9) / windowNs;
};
