// Benchmark runs and runners as the cluster sees them: what a run was requested to do, its newest figures
// while it is in progress, and a digest of its report afterwards. The report itself stays on the node that
// ran it.

import * as v from 'valibot';
import { recordOf } from '../record-of.ts';
import {
  count,
  figure,
  type Infer,
  isoTime,
  nodeIdSchema,
  nonNegative,
  openObject,
  reported,
  runIdSchema,
  type Schema,
  shortText,
  text,
} from '../schema.ts';
import { sweepStageSchema } from '../sweep/sweep.ts';
import { contaminationFindingsSchema } from './contamination.ts';
import { contentArrivedSchema } from './content-arrived.ts';
import { seriesBoundSchema } from './event-record.ts';
import { runFailuresSchema } from './failure-groups.ts';
import { foreignMarkSchema } from './foreign-run.ts';
import { objectiveAnswersSchema } from './judge-objective.ts';
import { AGENTS_MAX, liveAgentsSchema, trustVerdict } from './live-agent.ts';
import { liveSessionsSchema } from './live-sessions.ts';
import { objectiveEntries } from './objective.ts';
import { FAILURE_KINDS, sampleCountsSchema } from './outcome.ts';
import { rateBoundsSchema } from './rate-bounds.ts';
import { runPatternSchema } from './run-pattern.ts';
import { HEADLINE_RATE_KEYS } from './run-rates.ts';
import type { SeriesKey } from './run-series.ts';
import { runNameSchema, runShapeSchema, tagTextsSchema } from './run-shape.ts';

export const clientFiguresSchema = openObject({
  verdict: trustVerdict,
  reasons: v.pipe(v.array(shortText), v.maxLength(16)),
  sendLatenessNsP99: reported(figure),
  /**
   * Lateness of reads within an iteration of the event loop, or of the heartbeat if that was later: a pause
   * delays every read.
   */
  readLatenessNsP99: reported(figure),
  eventLoopDelayNsP99: reported(figure),
  gcPauseNsTotal: reported(figure),
  /** In cores, for the busiest thread. */
  cpuShare: reported(figure),
  connectionsOpened: count,
  connectionsReused: count,
});

/** Whether the load generator is trustworthy, and the figures that decide it. */
export type ClientFigures = Infer<typeof clientFiguresSchema>;

const seriesFiguresSchema = openObject({
  count,
  /** Percentile as text ("99.9") to value. */
  percentiles: v.pipe(
    v.record(v.pipe(v.string(), v.regex(/^\d{1,3}(\.\d{1,6})?$/)), figure),
    v.maxEntries(32),
  ),
  /** How much the client may be off in each; missing if unknown. */
  errorBound: v.exactOptional(seriesBoundSchema),
});

export type SeriesFigures = Infer<typeof seriesFiguresSchema>;

/** By name: another version may have other series. */
const series: Schema<Partial<Record<SeriesKey, SeriesFigures>>> = v.pipe(
  v.record(v.pipe(v.string(), v.regex(/^[a-zA-Z]{1,40}$/)), seriesFiguresSchema),
  v.maxEntries(8),
);

const runErrorSchema = openObject({
  kind: v.picklist(FAILURE_KINDS),
  count,
  /** Detail of the newest of its kind: "first byte, 30 s". */
  detail: reported(shortText),
  /** Time of the newest of its kind, since the run started. */
  lastAtMs: reported(figure),
});

export type RunError = Infer<typeof runErrorSchema>;

export const runFiguresSchema = openObject({
  /** `unresolved` are in flight. */
  counts: sampleCountsSchema,
  ...recordOf(HEADLINE_RATE_KEYS, () => reported(figure)),
  /** A series without values is missing. */
  series,
  /** For the headline series: [low, high, count]. */
  histogram: v.pipe(v.array(v.tuple([figure, figure, count])), v.maxLength(64)),
  /** The result for each objective, so far or at the end. */
  objectives: reported(objectiveAnswersSchema),
  /** Requests per second that meet every objective for requests; unknown if there is none. */
  goodput: reported(figure),
  errors: v.pipe(v.array(runErrorSchema), v.maxLength(FAILURE_KINDS.length)),
  /** Why requests failed, grouped by the server's message, and when the server was away. */
  failures: reported(runFailuresSchema),
  /** How much each rate may be off because of the client, or why no figure of the run has an error bound. */
  rateBounds: reported(rateBoundsSchema),
  /** What contaminates these figures, so far or at the end. */
  contamination: reported(contaminationFindingsSchema),
  client: clientFiguresSchema,
  droppedEvents: count,
});

/** The figures of a run at one moment or at its end, for the measured phase: the headlines of its tables. */
export type RunFigures = Infer<typeof runFiguresSchema>;

const start = {
  runId: runIdSchema,
  /** ISO 8601 of the machine that runs it; for display, and for the order of runs of one node. */
  startedAt: isoTime,
  /** Scheme, host, port and path; never credentials. */
  target: text,
  serverKind: reported(shortText),
  model: reported(shortText),
  pattern: runPatternSchema,
  shape: reported(runShapeSchema),
  /** The name that a person gave it. */
  runName: reported(runNameSchema),
  /** "engine=vllm" */
  tags: reported(tagTextsSchema),
  dataset: text,
  seed: figure,
  /** Command that repeats it, without secrets. */
  command: reported(text),
  isStreaming: v.boolean(),
  /** The machines that made the load, for a run from several. */
  from: v.exactOptional(v.pipe(v.array(shortText), v.maxLength(AGENTS_MAX))),
  /** For a run that another tool measured. */
  foreign: v.exactOptional(foreignMarkSchema),
  limits: openObject({ samplesMax: reported(count), durationMs: reported(nonNegative) }),
  ...objectiveEntries,
  /** Where the run stores its files, on the machine of the entry's origin. */
  directory: text,
  /** Known if the run is a stage of one. */
  sweep: reported(sweepStageSchema),
};

const end = {
  /** 'failed': it ended without a readable report. */
  state: v.picklist(['running', 'complete', 'incomplete', 'interrupted', 'failed']),
  /** Why the state is not 'complete'; '' if it is, or while it runs. */
  reason: text,
  /** For the whole run, once it has ended. */
  figures: reported(runFiguresSchema),
};

export const runSchema = openObject({
  ...start,
  /** Known if the target is a node's own address. */
  targetNode: reported(nodeIdSchema),
  ...end,
});

export type Run = Infer<typeof runSchema>;

export type RunState = Run['state'];

export const runStartSchema = openObject(start);

/** What a benchmark reports to the daemon of its machine when it starts. */
export type RunStart = Infer<typeof runStartSchema>;

export const runEndSchema = openObject({
  runId: runIdSchema,
  model: start.model,
  directory: start.directory,
  ...end,
});

/** What is known when it has ended. */
export type RunEnd = Infer<typeof runEndSchema>;

const recentRatesSchema = openObject({
  requestsPerSecond: reported(figure),
  outputTokensPerSecond: reported(figure),
});

export type RecentRates = Infer<typeof recentRatesSchema>;

export const runProgressSchema = openObject({
  runId: runIdSchema,
  phase: v.picklist(['connecting', 'warmup', 'measuring', 'draining']),
  /** Since the run's zero, including warm-up. */
  elapsedMs: nonNegative,
  /** Since the measured phase started; 0 before. */
  measuredMs: nonNegative,
  figures: runFiguresSchema,
  /** Over the last seconds. */
  recent: recentRatesSchema,
  contentArrived: reported(contentArrivedSchema),
  /** If several machines make the load. */
  agents: reported(liveAgentsSchema),
  /** For a run of sessions. */
  sessions: v.exactOptional(liveSessionsSchema),
  /** Updates that the run could not send to the daemon in time. */
  updatesDropped: count,
});

/** Newest figures of a running run. */
export type RunProgress = Infer<typeof runProgressSchema>;

export type RunPhase = RunProgress['phase'];

export const runnerSchema = openObject({
  runnerKey: text,
  source: v.picklist(['run', 'endpoint']),
  targetNode: reported(nodeIdSchema),
  requestsInFlight: reported(count),
});

/** A process that serves or generates inference now. A lease: one older than 10 s is ignored. */
export type Runner = Infer<typeof runnerSchema>;

// How far a verdict on the load generator applies. It covers what was observed: for a run that was cut off or
// is incomplete it must not be read as a verdict on the whole, so "trustworthy" is only used for complete
// runs.

/** 'so-far': in progress. 'until-then': it was cut off. 'partly': its report is incomplete. */
export type VerdictScope = 'whole' | 'so-far' | 'until-then' | 'partly';

export const verdictScope = (state: RunState): VerdictScope => {
  switch (state) {
    case 'complete':
      return 'whole';
    case 'running':
      return 'so-far';
    case 'interrupted':
      return 'until-then';
    case 'incomplete':
    case 'failed':
      return 'partly';
    default:
      return state satisfies never;
  }
};

/** For a cell or a line: the verdict, limited to what it covers. */
export const verdictText = (verdict: ClientFigures['verdict'], state: RunState): string => {
  const scope = verdictScope(state);
  return verdict !== 'trustworthy' || scope === 'whole' || scope === 'so-far' ? verdict : KEPT_UP[scope];
};

const KEPT_UP = { 'until-then': 'kept up until then', partly: 'kept up, in part' } as const;
