// From a report, final or of a live snapshot, to the digest of a run that the cluster stores.

import { recordOf } from '../record-of.ts';
import { isUnknown, type Reported, unknown } from '../unknown.ts';
import type { ContaminationFinding } from './contamination.ts';
import type { SeriesErrorBound } from './event-record.ts';
import type { RunFailures } from './failure-groups.ts';
import { READ_PERCENTILES } from './figure-verdict.ts';
import { failureKindRows } from './outcome.ts';
import type { LatenessFigures, Report, ReportClient, ReportRun, ReportSeries } from './report.ts';
import type { ClientFigures, Run, RunError, RunFigures, RunState, SeriesFigures } from './run.ts';
import { HEADLINE_RATE_KEYS } from './run-rates.ts';
import { headlineSeries, seriesOf } from './run-series.ts';
import { tagTexts } from './run-shape.ts';

/** A name from a server, at a length that events may contain. */
export const shortName = (name: Reported<string>): Reported<string> =>
  isUnknown(name) ? name : name.slice(0, NAME_LENGTH_MAX);

/** The request of a run, as the cluster stores it. */
export const runRequested = (
  run: ReportRun,
): Pick<
  Run,
  | 'serverKind'
  | 'model'
  | 'pattern'
  | 'shape'
  | 'runName'
  | 'tags'
  | 'dataset'
  | 'seed'
  | 'command'
  | 'isStreaming'
  | 'from'
  | 'foreign'
> => ({
  serverKind: shortName(run.serverKind),
  model: shortName(run.model),
  pattern: run.pattern,
  shape: run.shape,
  runName: run.name,
  tags: isUnknown(run.tags) ? run.tags : tagTexts(run.tags),
  dataset: run.dataset.slice(0, DATASET_LENGTH_MAX),
  seed: run.seed,
  command: run.command,
  isStreaming: run.streaming,
  ...(run.from === undefined ? {} : { from: run.from.map(name => name.slice(0, NAME_LENGTH_MAX)) }),
  ...(run.foreign === undefined
    ? {}
    : { foreign: { tool: run.foreign.tool, version: shortName(run.foreign.version) } }),
});

export const runDigest = (report: Report): RunFigures => ({
  counts: report.counts,
  ...recordOf(HEADLINE_RATE_KEYS, key => (key === 'perUserTokensPerSecond' ? report[key].p50 : report[key])),
  series: Object.fromEntries(
    seriesOf('headline').flatMap(name => {
      const series = report.series[name];
      return series === undefined || series.count === 0 ? [] : [[name, seriesFigures(series)] as const];
    }),
  ),
  histogram: (report.series[headlineSeries({ isStreaming: report.run.streaming })]?.histogram ?? []).map(
    ([low, high, count]) => [wholeNs(low), wholeNs(high), count] as const,
  ),
  objectives: report.objectiveAnswers,
  goodput: report.goodput ?? unknown('no objective of single requests'),
  errors: errorsOf(report),
  failures: isUnknown(report.failures) ? report.failures : shortFailures(report.failures),
  rateBounds: headlineBounds(report.rateBounds),
  contamination: isUnknown(report.contamination)
    ? report.contamination
    : report.contamination.slice(0, FINDINGS_MAX).map(shortFinding),
  client: clientFigures(report.client),
  droppedEvents: report.droppedEvents,
});

export const stateOf = (report: Report): RunState => {
  if (report.interrupted) return 'interrupted';
  return report.complete ? 'complete' : 'incomplete';
};

const seriesFigures = ({ count, percentiles, errorBound }: ReportSeries): SeriesFigures => ({
  count,
  percentiles,
  ...(errorBound === undefined ? {} : { errorBound: readBound(errorBound, percentiles) }),
});

/** Only the published percentiles that people read: events are sent five times a second. */
const readBound = (
  { mean, percentiles: bounds }: SeriesErrorBound,
  reported: SeriesFigures['percentiles'],
): SeriesErrorBound => ({
  mean,
  percentiles: Object.fromEntries(
    Object.entries(bounds).filter(([p]) => READ_PERCENTILES.includes(p) && reported[p] !== undefined),
  ),
});

/**
 * Text and time of the newest one are in samples.jsonl, where the daemon of the machine that runs it reads
 * them.
 */
const errorsOf = (report: Report): readonly RunError[] =>
  failureKindRows(report).map(([kind, count]) => ({
    kind,
    count,
    detail: unknown('not stored'),
    lastAtMs: unknown('not stored'),
  }));

const shortFailures = ({ groups, ...rest }: RunFailures): RunFailures => ({
  ...rest,
  groups: groups.map(group => ({
    ...group,
    message: group.message.slice(0, REASON_LENGTH_MAX),
    example: group.example.slice(0, REASON_LENGTH_MAX),
  })),
});

const headlineBounds = (bounds: Report['rateBounds']): RunFigures['rateBounds'] =>
  isUnknown(bounds)
    ? bounds
    : Object.fromEntries(
        HEADLINE_RATE_KEYS.flatMap(key => {
          const bound = bounds[key];
          return bound === undefined ? [] : [[key, bound] as const];
        }),
      );

const shortFinding = (finding: ContaminationFinding): ContaminationFinding => ({
  ...finding,
  problem: finding.problem.slice(0, REASON_LENGTH_MAX),
  advice: finding.advice.slice(0, REASON_LENGTH_MAX),
});

const clientFigures = (client: ReportClient): ClientFigures => ({
  verdict: client.verdict,
  reasons: client.reasons.slice(0, REASONS_MAX).map(reason => reason.slice(0, REASON_LENGTH_MAX)),
  sendLatenessNsP99: p99Of(client.sendLatenessNs),
  readLatenessNsP99: later(p99Of(client.readLatenessNs), p99Of(client.beatLatenessNs)),
  eventLoopDelayNsP99: p99Of(client.eventLoopDelayNs),
  gcPauseNsTotal: isUnknown(client.gcPauseNs) ? client.gcPauseNs : client.gcPauseNs.total,
  cpuShare: client.cpuShare,
  connectionsOpened: client.connections.opened,
  connectionsReused: client.connections.reused,
});

const later = (one: Reported<number>, other: Reported<number>): Reported<number> =>
  isUnknown(one) ? other : Math.max(one, isUnknown(other) ? 0 : other);

const p99Of = (figures: LatenessFigures | ReturnType<typeof unknown>): Reported<number> =>
  isUnknown(figures) ? figures : figures.p99;

/** Edges are sent five times a second: digits below a nanosecond are meaningless above a microsecond. */
const wholeNs = (ns: number): number => (ns < 1_000 ? ns : Math.round(ns));

const DATASET_LENGTH_MAX = 1_000;
const REASONS_MAX = 16;
/** There are 15 codes. */
const FINDINGS_MAX = 16;
const REASON_LENGTH_MAX = 300;
/** For names from a server: its own, its model's. */
const NAME_LENGTH_MAX = 300;
