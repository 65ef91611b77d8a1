// The figures of runs in progress, on every node. A run that has ended has no series: its report has the figures.

import type { Labels } from '../../../core/figure/figure-row.ts';
import { nodeName } from '../../../core/node/node-view.ts';
import { RECENT_SECONDS } from '../../../core/run/recent-window.ts';
import type { RunFigures } from '../../../core/run/run.ts';
import { rateRow } from '../../../core/run/run-rates.ts';
import { runViews } from '../../../core/run/run-selectors.ts';
import {
  HEADLINE_PERCENTILES,
  RUN_SERIES,
  type SeriesKey,
  seriesOf,
  seriesRow,
} from '../../../core/run/run-series.ts';
import type { State } from '../../../core/state.ts';
import { capitalized } from '../../../core/text/single-line.ts';
import { knownOr, type Unknown } from '../../../core/unknown.ts';
import type { MetricPage, ScrapedMetric } from './metric-page.ts';

export const addLiveRunMetrics = (page: MetricPage, state: State, nowMs: number): void => {
  const live = runViews(state, nowMs).filter(({ isLive }) => isLive);
  page.gauge(LIVE_RUN_METRICS.live, {}, live.length);
  for (const { node, run, progress } of live) {
    if (progress === undefined) continue;
    const labels: Labels = {
      run: run.runId,
      node,
      name: nodeName(state, node),
      model: knownOr(run.model, ''),
    };
    const { figures, recent } = progress;
    page.gauge(LIVE_RUN_METRICS.elapsed, labels, progress.elapsedMs / 1_000);
    for (const { key, metric } of RECENT_METRICS) page.gauge(metric, labels, recent[key]);
    page.gauge(LIVE_RUN_METRICS.inFlight, labels, Math.max(0, figures.counts.unresolved));
    // The id is a label as well; as an exemplar it leads from a chart over many runs to one.
    const behind = { run_id: run.runId };
    page.counter(
      LIVE_RUN_METRICS.requests,
      { ...labels, outcome: 'completed' },
      figures.counts.completed,
      behind,
    );
    page.counter(LIVE_RUN_METRICS.requests, { ...labels, outcome: 'failed' }, figures.counts.failed, behind);
    addQuantiles(page, figures, labels);
    for (const { kind, count } of figures.errors)
      page.counter(LIVE_RUN_METRICS.failures, { ...labels, kind }, count, behind);
    page.gauge(LIVE_RUN_METRICS.trustworthy, labels, figures.client.verdict === 'trustworthy');
    page.gauge(LIVE_RUN_METRICS.loopDelay, labels, secondsOf(figures.client.eventLoopDelayNsP99));
  }
};

const addQuantiles = (page: MetricPage, { series }: RunFigures, labels: Labels): void => {
  for (const { key, metric, divisor } of SERIES_METRICS) {
    for (const percentile of HEADLINE_PERCENTILES) {
      const value = series[key]?.percentiles[percentile];
      if (value === undefined) continue;
      page.quantile(metric, labels, { percentile: Number(percentile), figure: value / divisor });
    }
  }
};

const secondsOf = (ns: number | Unknown): number | undefined =>
  typeof ns === 'number' ? ns / 1e9 : undefined;

type LiveRunMetric = 'live' | 'elapsed' | 'inFlight' | 'requests' | 'failures' | 'trustworthy' | 'loopDelay';

export const LIVE_RUN_METRICS: Readonly<Record<LiveRunMetric, ScrapedMetric>> = {
  live: { name: 'plimsoll_runs_live', help: 'Benchmark runs in progress.' },
  elapsed: { name: 'plimsoll_run_elapsed_seconds', help: 'Time since the run started, warm-up included.' },
  inFlight: { name: 'plimsoll_run_requests_in_flight', help: 'Requests that have not ended yet.' },
  requests: {
    name: 'plimsoll_run_requests_total',
    help: 'Requests of the measured phase that have ended, by outcome.',
  },
  failures: {
    name: 'plimsoll_run_failures_total',
    help: 'Failed requests of the measured phase, by kind.',
  },
  trustworthy: {
    name: 'plimsoll_run_client_trustworthy',
    help: '1 while the load generator reports that it is not the limit.',
  },
  loopDelay: {
    name: 'plimsoll_run_client_event_loop_delay_p99_seconds',
    help: RUN_SERIES.eventLoopDelayNsMax.help,
  },
};

/** "output_tokens_per_second" of "outputTokensPerSecond". */
const snakeCase = (key: string): string => key.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);

export const RECENT_METRICS: readonly {
  readonly key: 'requestsPerSecond' | 'outputTokensPerSecond';
  readonly metric: ScrapedMetric;
}[] = (['requestsPerSecond', 'outputTokensPerSecond'] as const).map(key => ({
  key,
  metric: {
    name: `plimsoll_run_${snakeCase(key)}`,
    help: `${capitalized(rateRow(key).from.replace(/ \/ window$/, ''))} by time, of the last ${RECENT_SECONDS} s.`,
  },
}));

/** In base units: seconds of nanoseconds. */
export const SERIES_METRICS: readonly {
  readonly key: SeriesKey;
  readonly divisor: number;
  readonly metric: ScrapedMetric;
}[] = seriesOf('headline').map(key => {
  const { unit, label } = seriesRow(key);
  const isTime = unit === 'ns';
  return {
    key,
    divisor: isTime ? 1e9 : 1,
    metric: {
      name: `plimsoll_run_${snakeCase(key.replace(/Ns$/, ''))}${isTime ? '_seconds' : ''}`,
      help: `${capitalized(label)} since the measured phase began.`,
    },
  };
});
