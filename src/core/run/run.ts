// Benchmark runs and runners as the cluster sees them: what a run was requested to do, its newest figures
// while it is in progress, and a digest of its report afterwards. The report itself stays on the node that
// ran it.

import * as v from 'valibot';
import type { NodeId, RunId } from '../ids.ts';
import { count, figure, type Infer, nodeIdSchema, openObject, reported, shortText, text } from '../schema.ts';
import type { SweepStageRef } from '../sweep/sweep.ts';
import type { Reported, Unknown } from '../unknown.ts';
import type { ContaminationFinding } from './contamination.ts';
import type { ContentArrived } from './content-arrived.ts';
import type { SeriesErrorBound } from './event-record.ts';
import type { RunFailures } from './failure-groups.ts';
import type { ForeignMark } from './foreign-run.ts';
import type { ObjectiveAnswer } from './judge-objective.ts';
import type { LiveAgent } from './live-agent.ts';
import type { LiveSessions } from './live-sessions.ts';
import type { ObjectiveFields } from './objective.ts';
import type { FailureKind, SampleCounts } from './outcome.ts';
import type { RateBounds } from './rate-bounds.ts';
import type { RunPattern } from './run-pattern.ts';
import type { HeadlineRateKey } from './run-rates.ts';
import type { SeriesKey } from './run-series.ts';
import type { RunShape } from './run-shape.ts';

export interface Run extends ObjectiveFields {
  readonly runId: RunId;
  /** ISO 8601 of the machine that runs it; for display, and for the order of runs of one node. */
  readonly startedAt: string;
  /** Scheme, host, port and path; never credentials. */
  readonly target: string;
  /** Known if the target is a node's own address. */
  readonly targetNode: Reported<NodeId>;
  readonly serverKind: Reported<string>;
  readonly model: Reported<string>;
  readonly pattern: RunPattern;
  readonly shape: Reported<RunShape>;
  /** The name that a person gave it. */
  readonly runName: Reported<string>;
  /** "engine=vllm" */
  readonly tags: Reported<readonly string[]>;
  readonly dataset: string;
  readonly seed: number;
  /** Command that repeats it, without secrets. */
  readonly command: Reported<string>;
  readonly isStreaming: boolean;
  /** The machines that made the load, for a run from several. */
  readonly from?: readonly string[];
  /** For a run that another tool measured. */
  readonly foreign?: ForeignMark;
  readonly limits: RunLimits;
  /** Where the run stores its files, on the machine of the entry's origin. */
  readonly directory: string;
  /** Known if the run is a stage of one. */
  readonly sweep: Reported<SweepStageRef>;
  readonly state: RunState;
  /** Why the state is not 'complete'; '' if it is, or while it runs. */
  readonly reason: string;
  /** For the whole run, once it has ended. */
  readonly figures: RunFigures | Unknown;
}

/** 'failed': it ended without a readable report. */
export type RunState = 'running' | 'complete' | 'incomplete' | 'interrupted' | 'failed';

interface RunLimits {
  readonly samplesMax: Reported<number>;
  readonly durationMs: Reported<number>;
}

/** The figures of a run at one moment or at its end, for the measured phase: the headlines of its tables. */
export interface RunFigures extends Readonly<Record<HeadlineRateKey, Reported<number>>> {
  /** `unresolved` are in flight. */
  readonly counts: SampleCounts;
  /** A series without values is missing. */
  readonly series: Readonly<Partial<Record<SeriesKey, SeriesFigures>>>;
  /** For the headline series: [low, high, count]. */
  readonly histogram: readonly (readonly [number, number, number])[];
  /** The result for each objective, so far or at the end. */
  readonly objectives: Reported<readonly ObjectiveAnswer[]>;
  /** Requests per second that meet every objective for requests; unknown if there is none. */
  readonly goodput: Reported<number>;
  readonly errors: readonly RunError[];
  /** Why requests failed, grouped by the server's message, and when the server was away. */
  readonly failures: Reported<RunFailures>;
  /** How much each rate may be off because of the client, or why no figure of the run has an error bound. */
  readonly rateBounds: Reported<RateBounds>;
  /** What contaminates these figures, so far or at the end. */
  readonly contamination: Reported<readonly ContaminationFinding[]>;
  readonly client: ClientFigures;
  readonly droppedEvents: number;
}

export interface SeriesFigures {
  readonly count: number;
  /** Percentile as text ("99.9") to value. */
  readonly percentiles: Readonly<Record<string, number>>;
  /** How much the client may be off in each; missing if unknown. */
  readonly errorBound?: SeriesErrorBound;
}

export interface RunError {
  readonly kind: FailureKind;
  readonly count: number;
  /** Detail of the newest of its kind: "first byte, 30 s". */
  readonly detail: Reported<string>;
  /** Time of the newest of its kind, since the run started. */
  readonly lastAtMs: Reported<number>;
}

export const clientFiguresSchema = openObject({
  verdict: v.picklist(['trustworthy', 'client-bound', 'unknown']),
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

export type RunPhase = 'connecting' | 'warmup' | 'measuring' | 'draining';

/** Newest figures of a running run. */
export interface RunProgress {
  readonly runId: RunId;
  readonly phase: RunPhase;
  /** Since the run's zero, including warm-up. */
  readonly elapsedMs: number;
  /** Since the measured phase started; 0 before. */
  readonly measuredMs: number;
  readonly figures: RunFigures;
  /** Over the last seconds. */
  readonly recent: RecentRates;
  readonly contentArrived: Reported<ContentArrived>;
  /** If several machines make the load. */
  readonly agents: Reported<readonly LiveAgent[]>;
  /** For a run of sessions. */
  readonly sessions?: LiveSessions;
  /** Updates that the run could not send to the daemon in time. */
  readonly updatesDropped: number;
}

export interface RecentRates {
  readonly requestsPerSecond: Reported<number>;
  readonly outputTokensPerSecond: Reported<number>;
}

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
