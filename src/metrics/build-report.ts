// The final report of a run: a pure function of a snapshot and of what was known about the run (METRICS §4, §7).

import { counted, ofCount } from '../core/figure/figure.ts';
import { doubtCounts } from '../core/run/doubted-figures.ts';
import { findContamination } from '../core/run/find-contamination.ts';
import { type InFlightCount, littlesLaw } from '../core/run/littles-law.ts';
import { judgedObjectives, type RequestLimit } from '../core/run/objective.ts';
import { FINISH_REASONS, failureCounts, type SampleCounts } from '../core/run/outcome.ts';
import { rateBounds } from '../core/run/rate-bounds.ts';
import {
  type ObjectiveResult,
  REPORT_SCHEMA,
  type Report,
  type ReportClient,
  type ReportSeries,
  type RunConfig,
} from '../core/run/report.ts';
import { type ReportAgent, SKEW_MAX, skewedAgents, skewOf } from '../core/run/report-agent.ts';
import { runAsSent, type SentRange } from '../core/run/request-lengths.ts';
import { RECORD_PROBLEMS } from '../core/run/run-counters.ts';
import { type ReportRates, reportRates } from '../core/run/run-rates.ts';
import type { RunStop } from '../core/run/run-stop.ts';
import {
  lookUp,
  type MetricLookup,
  type MetricsSnapshot,
  type SeriesMetric,
  type SnapshotState,
} from '../core/run/snapshot.ts';
import { tokenizerLines } from '../core/run/tokenizer-account.ts';
import { isKnown, type Unknown, unknown } from '../core/unknown.ts';
import { rollupOf } from './decimal-text.ts';
import { isOfClient, reportClient } from './report-client.ts';
import { doubtNotices, lawNotices, reportNotices, slotNotices } from './report-notices.ts';

export interface ReportInput {
  readonly config: RunConfig;
  /** undefined: none was ever received or found. */
  readonly snapshot: MetricsSnapshot | undefined;
  readonly source: Report['source'];
  /** The sender's count; the receiver's own count is in the snapshot, and the greater one is used. */
  readonly droppedEvents: number;
  readonly eventLogDropped: number;
  /** Whether the load was stopped, independent of the snapshot. */
  readonly isInterrupted: boolean;
  /** Failures of the load itself that make the report incomplete: a lost thread. */
  readonly runProblems: readonly string[];
  /** What is missing from the source. */
  readonly sourceProblems: readonly string[];
  readonly notices: readonly string[];
  /** Set if a rule of the run stopped it; also among `runProblems`. */
  readonly stopped?: RunStop;
  /** As the load threads counted it; a rebuilt report takes it from the run's own report. */
  readonly inFlight?: InFlightCount;
  readonly littlesLaw?: Report['littlesLaw'];
  /** Also from the run's own report. */
  readonly machine?: Report['machine'];
  readonly tokenizer?: Report['tokenizer'];
  /** Why the server has reported no metrics. Also from the run's own report. */
  readonly serverUnknown?: Unknown;
  /** Also from the run's own report. */
  readonly probes?: Report['probes'];
  /** For a run on several machines. */
  readonly agents?: readonly ReportAgent[];
}

export const buildReport = (input: ReportInput): Report => {
  const { config, snapshot, source, eventLogDropped } = input;
  const metrics = lookUp(snapshot);
  const state: SnapshotState = input.isInterrupted ? 'interrupted' : (snapshot?.state ?? 'initialize');
  const pendingTasks = snapshot?.pendingTasks ?? 0;
  const droppedEvents = Math.max(input.droppedEvents, metrics.counter('droppedEvents'));
  const counts = metrics.counts('measured');
  const cutAfterGrace = metrics.counter('cancelledAfterGrace');
  const warmup = difference(metrics.counts('all'), counts);
  const law = input.littlesLaw ?? lawOf(input, metrics, counts);
  const reasons = incompleteReasons({ input, metrics, state, counts, warmup, droppedEvents });
  return {
    schema: REPORT_SCHEMA,
    plimsoll: config.plimsoll,
    run: runAsSent(config, sentRange(config, { counts, warmup })),
    state,
    complete: reasons.length === 0,
    ...(reasons.length === 0 ? {} : { incompleteReason: reasons.join('; ') }),
    interrupted: state === 'interrupted',
    ...(input.stopped === undefined ? {} : { stopped: input.stopped }),
    source,
    runProblems: input.runProblems,
    notices: [
      ...reportNotices(metrics, state === 'complete' || state === 'interrupted'),
      // If contamination is checked, its findings list the figures that are not reliable.
      ...(input.agents === undefined && config.run.isUnguarded !== true ? [] : doubtNotices(metrics)),
      ...skewNotices(input.agents ?? []),
      ...lawNotices(law),
      ...slotNotices(config, law),
      ...(input.tokenizer === undefined ? [] : tokenizerLines(input.tokenizer)),
      ...(config.run.isUnguarded === true ? [`contamination was not checked: ${UNGUARDED}`] : []),
      ...input.notices,
    ],
    counts,
    ...(cutAfterGrace === 0 ? {} : { cutAfterGrace }),
    warmup,
    pendingTasks,
    droppedEvents,
    eventLogDropped,
    recordProblems: positive(
      RECORD_PROBLEMS.map(({ key }) => key),
      key => metrics.counter(key),
    ),
    ...failureCounts(kind => metrics.counter(`errors.${kind}`)),
    failures: failuresOf(snapshot, counts.failed + warmup.failed),
    finishReasons: positive(FINISH_REASONS, reason => metrics.counter(`finishReason.${reason}`)),
    ...(snapshot?.finishNames === undefined ? {} : { finishNames: snapshot.finishNames }),
    bytes: { sent: metrics.counter('bytesSent'), received: metrics.counter('bytesReceived') },
    ...ratesOf(input, metrics),
    ...objectiveResults(metrics, config.objectives, counts),
    objectiveAnswers: answersOf(config, snapshot),
    series: Object.fromEntries(
      metrics.allSeries
        .entries()
        .filter(([name]) => !isOfClient(name))
        .map(([name, series]) => [name, reportSeries(series)]),
    ),
    client: worstClient(reportClient(metrics, { ...config.run, droppedEvents }), input.agents),
    ...additionalFigures(input, metrics),
    littlesLaw: law,
    machine: input.machine ?? unknown('only a run of one machine itself sees what its machine does'),
    environment: config.environment,
    provenance: config.provenance,
    ...(snapshot?.variants === undefined ? {} : { variants: snapshot.variants }),
    ...(input.tokenizer === undefined ? {} : { tokenizer: input.tokenizer }),
    ...(input.agents === undefined ? {} : { agents: input.agents }),
    ...(input.probes === undefined ? {} : { probes: input.probes }),
  };
};

const ratesOf = (
  { config, snapshot }: ReportInput,
  metrics: MetricLookup,
): ReportRates & Pick<Report, 'rateBounds'> => {
  const { pattern, shape, streaming, api } = config.run;
  const run = { pattern, shape, api, isStreaming: streaming };
  const rates = reportRates({ metrics, run, objectives: config.objectives });
  const bounds = snapshot?.bounds ?? unknown('not in the metrics');
  return { ...rates, rateBounds: rateBounds({ rates, bounds, tpot: metrics.series('tpotNs') }) };
};

/** Contamination of the figures, and the server's own metrics. */
const additionalFigures = (
  {
    config,
    snapshot,
    agents,
    tokenizer,
    machine = unknown('not seen'),
    probes,
    serverUnknown = unknown('the server was not queried, or reports no metrics'),
  }: ReportInput,
  metrics: MetricLookup,
): Pick<Report, 'contamination' | 'server'> => {
  const server = snapshot?.server ?? serverUnknown;
  if (config.run.isUnguarded === true) return { contamination: unknown(UNGUARDED), server };
  if (agents !== undefined || snapshot?.evidence === undefined)
    return {
      contamination: unknown(
        agents === undefined ? 'not in the metrics' : 'not looked for in a run from many machines',
      ),
      server,
    };
  const contamination = findContamination({
    run: config.run,
    samples: snapshot.evidence,
    server,
    machine,
    // The server counts the probes, too.
    sent: metrics.counts('measured').issued + (probes?.sent ?? 0),
    stopped: metrics.counter('finishReason.stop'),
    doubts: doubtCounts(key => metrics.counter(key)),
    hasTokenizer: tokenizer !== undefined && isKnown(tokenizer),
    series: Object.fromEntries(metrics.allSeries),
    isDepthProfile: config.depth !== undefined,
  });
  return { contamination, server };
};

const UNGUARDED = 'it was switched off with --no-guard';

const lawOf = (
  { inFlight }: ReportInput,
  metrics: MetricLookup,
  { issued, completed }: SampleCounts,
): Report['littlesLaw'] => {
  if (inFlight === undefined) return unknown('only a run itself, at an even load, counts what is in flight');
  if (completed < issued) return unknown('the times of requests that failed are in no series');
  return littlesLaw({
    counted: inFlight,
    latencyTotalNs: Number(metrics.allSeries.get('latencyNs')?.total ?? 0),
    requests: completed,
    windowNs: metrics.counter('windowNs'),
  });
};

const difference = (all: SampleCounts, part: SampleCounts): SampleCounts => ({
  issued: all.issued - part.issued,
  completed: all.completed - part.completed,
  failed: all.failed - part.failed,
  cancelled: all.cancelled - part.cancelled,
  unresolved: all.unresolved - part.unresolved,
});

/** A window that begins in the middle of a load, after a ramp, excludes what was sent before it. */
const sentRange = (
  { run }: RunConfig,
  { counts, warmup }: Readonly<Record<'counts' | 'warmup', SampleCounts>>,
): SentRange => ({ from: Math.max(0, warmup.issued - run.warmupRequests), count: counts.issued });

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
    // Figures of samples are not live ones of an aggregator: their source reports what is missing.
    ...(state === 'live' && input.source === 'samples-file'
      ? []
      : STATE_REASONS[input.snapshot === undefined ? 'nothing' : state]),
    ...input.runProblems,
    ...input.sourceProblems,
    ...(unresolved > 0
      ? [
          `${counted(unresolved, 'request')} ${ofCount(unresolved, 'was', 'were')} in flight when the report was made`,
        ]
      : []),
    ...(pending > 0 ? [`${pending} background tasks had not finished`] : []),
    ...(droppedEvents > 0 ? [`${droppedEvents} event records were lost`] : []),
    ...(undecodable > 0
      ? [`${counted(undecodable, 'message or record', 'messages or records')} could not be read`]
      : []),
  ];
};

const STATE_REASONS: Readonly<Record<SnapshotState | 'nothing', readonly string[]>> = {
  complete: [],
  interrupted: ['the run was interrupted'],
  initialize: ['the metrics process exited before the run started'],
  live: ['the metrics process exited without a final report: these are the last live figures'],
  draining: ['the metrics process exited without a final report: these are the last live figures'],
  nothing: ['no metrics of this run were received'],
};

/** Those that are not 0. */
const positive = <Name extends string>(
  names: readonly Name[],
  countOf: (name: Name) => number,
): Readonly<Record<string, number>> =>
  Object.fromEntries(names.map(name => [name, countOf(name)] as const).filter(([, count]) => count > 0));

const objectiveResults = (
  metrics: MetricLookup,
  objectives: readonly RequestLimit[],
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

/** A snapshot without them is not a run without failures. */
const failuresOf = (snapshot: MetricsSnapshot | undefined, failed: number): Report['failures'] =>
  snapshot?.failures ??
  (failed === 0 ? { groups: [], outages: [] } : unknown('the metrics do not have their messages'));

const answersOf = (config: RunConfig, snapshot: MetricsSnapshot | undefined): Report['objectiveAnswers'] =>
  judgedObjectives(config).length === 0 ? [] : (snapshot?.objectives ?? unknown('not in the metrics'));

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
  ...(series.intervals === undefined ? {} : { intervals: series.intervals }),
  histogram: series.histogram,
  isExact: series.isExact,
  ...(series.errorBound === undefined ? {} : { errorBound: series.errorBound }),
});

// The client section of a run on several machines: a merged result is as trustworthy as its worst client.

/** The figures of all clients, with the verdict of the worst of them, by name. */
const worstClient = (client: ReportClient, agents: readonly ReportAgent[] | undefined): ReportClient => {
  if (agents === undefined) return client;
  const verdict = VERDICTS.find(worst => agents.some(agent => agent.verdict === worst)) ?? 'unknown';
  const reasons = agents
    .filter(agent => agent.verdict === verdict)
    .flatMap(({ name, verdictReasons }) => verdictReasons.map(reason => `${name}: ${reason}`));
  return { ...client, verdict, reasons };
};

const skewNotices = (agents: readonly ReportAgent[]): readonly string[] =>
  skewedAgents(agents).map(agent => {
    const { name, planned, counts } = agent;
    const percent = Math.abs((skewOf(agent) ?? 0) * 100).toFixed(1);
    return `${name} sent ${counts.issued} of its ${typeof planned === 'number' ? planned : 0} planned requests, ${percent}% off, over ${SKEW_MAX * 100}%: the load was not the one that was asked for`;
  });

/** Worst first. */
const VERDICTS = ['client-bound', 'unknown', 'trustworthy'] as const;
