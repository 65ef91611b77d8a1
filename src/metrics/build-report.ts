// The final account of a run: a pure function of a snapshot and of what was known about the run (METRICS §4, §7).

import type { Objective } from '../core/run/objective.ts';
import { FAILURE_KINDS, FINISH_REASONS } from '../core/run/outcome.ts';
import type {
  ObjectiveResult,
  Report,
  ReportSeries,
  ReportSource,
  SampleCounts,
} from '../core/run/report.ts';
import { REPORT_SCHEMA } from '../core/run/report.ts';
import type { RunConfig } from '../core/run/run-config.ts';
import type { MetricsSnapshot, SeriesMetric, SnapshotState } from '../core/run/snapshot.ts';
import { rollupOf } from './decimal-text.ts';
import type { MetricLookup } from './metric-lookup.ts';
import { lookUp } from './metric-lookup.ts';
import { CLIENT_SERIES, reportClient } from './report-client.ts';
import { reportNotices } from './report-notices.ts';
import { reportRates } from './report-rates.ts';
import { RECORD_PROBLEMS } from './run-counters.ts';

export interface ReportInput {
  readonly config: RunConfig;
  /** undefined: none was ever received or found. */
  readonly snapshot: MetricsSnapshot | undefined;
  readonly source: ReportSource;
  /** What the sending side counted; the receiving side's own count is in the snapshot, and the greater one holds. */
  readonly droppedEvents: number;
  readonly eventLogDropped: number;
  /** Whether whoever ran the load was stopped, whatever the snapshot says. */
  readonly isInterrupted: boolean;
  /** What went wrong with the load itself, and keeps the account from being complete: a lost thread. */
  readonly runProblems: readonly string[];
  /** What is missing from the source. */
  readonly sourceProblems: readonly string[];
  readonly notices: readonly string[];
}

export const buildReport = (input: ReportInput): Report => {
  const { config, snapshot, source, eventLogDropped } = input;
  const metrics = lookUp(snapshot);
  const state: SnapshotState = input.isInterrupted ? 'interrupted' : (snapshot?.state ?? 'initialize');
  const pendingTasks = snapshot?.pendingTasks ?? 0;
  const droppedEvents = Math.max(input.droppedEvents, metrics.counter('droppedEvents'));
  const counts = countsOf(metrics, 'tracked');
  const warmup = difference(countsOf(metrics, 'all'), counts);
  const reasons = incompleteReasons({ input, metrics, state, counts, warmup, droppedEvents });
  return {
    schema: REPORT_SCHEMA,
    plimsoll: config.plimsoll,
    run: config.run,
    state,
    complete: reasons.length === 0,
    ...(reasons.length === 0 ? {} : { incompleteReason: reasons.join('; ') }),
    interrupted: state === 'interrupted',
    source,
    runProblems: input.runProblems,
    notices: [...reportNotices(metrics), ...input.notices],
    counts,
    warmup,
    pendingTasks,
    droppedEvents,
    eventLogDropped,
    recordProblems: positive(metrics, Object.keys(RECORD_PROBLEMS), ''),
    errors: positive(metrics, FAILURE_KINDS, 'errors.'),
    finishReasons: positive(metrics, FINISH_REASONS, 'finishReason.'),
    bytes: { sent: metrics.counter('bytesSent'), received: metrics.counter('bytesReceived') },
    ...reportRates(metrics, { counts, run: config.run, objectives: config.objectives }),
    ...objectiveResults(metrics, config.objectives, counts),
    series: Object.fromEntries(
      metrics.allSeries
        .entries()
        .filter(([name]) => !CLIENT_SERIES.includes(name))
        .map(([name, series]) => [name, reportSeries(series)]),
    ),
    client: reportClient(metrics, { pattern: config.run.pattern, droppedEvents }),
    environment: config.environment,
  };
};

const countsOf = (metrics: MetricLookup, which: 'all' | 'tracked'): SampleCounts => {
  const count = (name: string): number =>
    metrics.counter(which === 'all' ? `samples${name}` : `trackedSamples${name}`);
  const issued = count('Issued');
  const completed = count('Completed');
  const failed = count('Failed');
  const cancelled = count('Cancelled');
  return { issued, completed, failed, cancelled, unresolved: issued - completed - failed - cancelled };
};

const difference = (all: SampleCounts, part: SampleCounts): SampleCounts => ({
  issued: all.issued - part.issued,
  completed: all.completed - part.completed,
  failed: all.failed - part.failed,
  cancelled: all.cancelled - part.cancelled,
  unresolved: all.unresolved - part.unresolved,
});

const incompleteReasons = ({
  input,
  metrics,
  state,
  counts,
  warmup,
  droppedEvents,
}: {
  readonly input: ReportInput;
  readonly metrics: MetricLookup;
  readonly state: SnapshotState;
  readonly counts: SampleCounts;
  readonly warmup: SampleCounts;
  readonly droppedEvents: number;
}): readonly string[] => {
  const unresolved = counts.unresolved + warmup.unresolved;
  const pending = input.snapshot?.pendingTasks ?? 0;
  const undecodable = metrics.counter('recordsUndecodable') + metrics.counter('recordsRefused');
  return [
    ...STATE_REASONS[input.snapshot === undefined ? 'nothing' : state],
    ...input.runProblems,
    ...input.sourceProblems,
    ...(unresolved > 0 ? [`${unresolved} samples were in flight when the account ended`] : []),
    ...(pending > 0 ? [`${pending} background tasks had not finished`] : []),
    ...(droppedEvents > 0 ? [`${droppedEvents} event records were lost`] : []),
    ...(undecodable > 0 ? [`${undecodable} messages or records could not be read`] : []),
  ];
};

const STATE_REASONS: Readonly<Record<SnapshotState | 'nothing', readonly string[]>> = {
  complete: [],
  interrupted: ['the run was interrupted'],
  initialize: ['the metrics ended before the run began'],
  live: ['the metrics ended without a final account: these are the last live figures'],
  draining: ['the metrics ended without a final account: these are the last live figures'],
  nothing: ['no metrics of this run were received'],
};

/** Those that are not 0. */
const positive = (
  metrics: MetricLookup,
  names: readonly string[],
  prefix: string,
): Readonly<Record<string, number>> =>
  Object.fromEntries(
    names.map(name => [name, metrics.counter(`${prefix}${name}`)] as const).filter(([, value]) => value > 0),
  );

const objectiveResults = (
  metrics: MetricLookup,
  objectives: readonly Objective[],
  { completed, failed }: SampleCounts,
): { readonly objectives?: readonly ObjectiveResult[] } =>
  objectives.length === 0
    ? {}
    : {
        objectives: objectives.map(({ name, limitNs }) => ({
          name,
          limitNs,
          metSamples: metrics.counter(`objective.${name}.met`),
          unknownSamples: metrics.counter(`objective.${name}.unknown`),
          samples: completed + failed,
        })),
      };

const reportSeries = (series: SeriesMetric): ReportSeries => ({
  unit: series.unit,
  count: series.count,
  total: series.total,
  min: series.min,
  max: series.max,
  ...rollupOf(series.count, series.total, series.sumOfSquares),
  percentiles: series.percentiles,
  ...(series.failureAdjusted === undefined ? {} : { failureAdjusted: series.failureAdjusted }),
  ...(series.estimates === undefined ? {} : { estimates: series.estimates }),
  histogram: series.histogram,
  isExact: series.isExact,
});
