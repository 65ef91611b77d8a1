// The figures of runs that go on now, of every node. A run that has ended has no series: its report holds its figures.

import { nodeName } from '../../../core/node/node-view.ts';
import type { RunFigures } from '../../../core/run/run.ts';
import { runViews } from '../../../core/run/run-selectors.ts';
import type { State } from '../../../core/state.ts';
import { knownOr, type Unknown } from '../../../core/unknown.ts';
import type { Labels, MetricPage } from './metric-page.ts';

export const addLiveRunMetrics = (page: MetricPage, state: State, nowMs: number): void => {
  const live = runViews(state, nowMs).filter(({ isLive }) => isLive);
  page.gauge(RUN.live, {}, live.length);
  for (const { node, run, progress } of live) {
    if (progress === undefined) continue;
    const labels: Labels = {
      run: run.runId,
      node,
      name: nodeName(state, node),
      target: run.target,
      model: knownOr(run.model, ''),
    };
    const { figures, recent } = progress;
    page.gauge(RUN.elapsed, labels, progress.elapsedMs / 1_000);
    page.gauge(RUN.requests, labels, recent.requestsPerSecond);
    page.gauge(RUN.outputTokens, labels, recent.outputTokensPerSecond);
    page.gauge(RUN.inFlight, labels, Math.max(0, figures.counts.unresolved));
    page.gauge(RUN.completed, labels, figures.counts.completed);
    addQuantiles(page, figures, labels);
    for (const { kind, count } of figures.errors) page.gauge(RUN.failures, { ...labels, kind }, count);
    page.gauge(RUN.trustworthy, labels, figures.client.verdict === 'trustworthy');
    page.gauge(RUN.loopDelay, labels, secondsOf(figures.client.eventLoopDelayNsP99));
  }
};

const addQuantiles = (page: MetricPage, { series }: RunFigures, labels: Labels): void => {
  for (const [name, metric] of SERIES) {
    for (const percentile of PERCENTILES) {
      const valueNs = series[name]?.percentiles[percentile];
      if (valueNs === undefined) continue;
      page.gauge(metric, { ...labels, quantile: String(Number(percentile) / 100) }, valueNs / 1e9);
    }
  }
};

const secondsOf = (ns: number | Unknown): number | undefined =>
  typeof ns === 'number' ? ns / 1e9 : undefined;

const RUN = {
  live: { name: 'plimsoll_runs_live', help: 'Benchmark runs that go on now.' },
  elapsed: { name: 'plimsoll_run_elapsed_seconds', help: 'Since the run began, warm-up included.' },
  requests: {
    name: 'plimsoll_run_requests_per_second',
    help: 'Completed samples over the last 5 s.',
  },
  outputTokens: {
    name: 'plimsoll_run_output_tokens_per_second',
    help: 'Output tokens of samples that completed in the last 5 s.',
  },
  inFlight: { name: 'plimsoll_run_requests_in_flight', help: 'Requests without an end yet.' },
  completed: { name: 'plimsoll_run_samples_completed', help: 'Completed samples of the measured phase.' },
  failures: { name: 'plimsoll_run_samples_failed', help: 'Failed samples of the measured phase, by kind.' },
  trustworthy: {
    name: 'plimsoll_run_client_trustworthy',
    help: '1 while the load generator is not the limit, by its own account.',
  },
  loopDelay: {
    name: 'plimsoll_run_client_event_loop_delay_p99_seconds',
    help: 'Delay of the event loop of the load generator.',
  },
} as const;

const SERIES = [
  [
    'ttftNs',
    { name: 'plimsoll_run_ttft_seconds', help: 'Time to the first token since the measured phase began.' },
  ],
  [
    'tpotNs',
    { name: 'plimsoll_run_tpot_seconds', help: 'Time per output token since the measured phase began.' },
  ],
  [
    'latencyNs',
    { name: 'plimsoll_run_latency_seconds', help: 'Time to the end since the measured phase began.' },
  ],
] as const;

const PERCENTILES = ['50', '90', '99'] as const;
