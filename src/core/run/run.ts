// Benchmark runs and runners as the cluster sees them: what a run was asked to do, its newest figures while it lasts, and
// a digest of its report afterwards. The report itself stays with the node that ran it.

import type { NodeId, RunId } from '../ids.ts';
import type { SweepPlace } from '../sweep/sweep.ts';
import type { Reported, Unknown } from '../unknown.ts';
import type { ContaminationFinding } from './contamination.ts';
import type { ContentArrived } from './content-arrived.ts';
import type { SeriesErrorBound } from './error-bound.ts';
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
  /** Known where the target is a node's own address. */
  readonly targetNode: Reported<NodeId>;
  readonly serverKind: Reported<string>;
  readonly model: Reported<string>;
  readonly pattern: RunPattern;
  readonly shape: Reported<RunShape>;
  /** What a person called it. */
  readonly runName: Reported<string>;
  /** "engine=vllm" */
  readonly tags: Reported<readonly string[]>;
  readonly dataset: string;
  readonly seed: number;
  /** What to type to run it again, without secrets. */
  readonly command: Reported<string>;
  readonly isStreaming: boolean;
  /** Who loaded, of a run from many machines. */
  readonly from?: readonly string[];
  /** Of a run that another tool measured. */
  readonly foreign?: ForeignMark;
  readonly limits: RunLimits;
  /** Where the run keeps its files, on the machine of the entry's origin. */
  readonly directory: string;
  /** Known where the run is a stage of one. */
  readonly sweep: Reported<SweepPlace>;
  readonly state: RunState;
  /** Why the state is not 'complete'; '' where it is, or while it runs. */
  readonly reason: string;
  /** Of the whole run, once it has ended. */
  readonly figures: RunFigures | Unknown;
}

/** 'failed': it ended without a report that could be read. */
export type RunState = 'running' | 'complete' | 'incomplete' | 'interrupted' | 'failed';

interface RunLimits {
  readonly samplesMax: Reported<number>;
  readonly durationMs: Reported<number>;
}

/** The figures of a run at one moment or at its end, of the measured phase: what its tables call headlines. */
export interface RunFigures extends Readonly<Record<HeadlineRateKey, Reported<number>>> {
  /** `unresolved` are in flight. */
  readonly counts: SampleCounts;
  /** One without values is not there. */
  readonly series: Readonly<Partial<Record<SeriesKey, SeriesFigures>>>;
  /** Of the headline series: [low, high, count]. */
  readonly histogram: readonly (readonly [number, number, number])[];
  /** What is said of each objective, so far or at the end. */
  readonly objectives: Reported<readonly ObjectiveAnswer[]>;
  /** Requests a second that meet every objective of a request; unknown where there is none. */
  readonly goodput: Reported<number>;
  readonly errors: readonly RunError[];
  /** Why requests failed, grouped by the server's message, and when the server was away. */
  readonly failures: Reported<RunFailures>;
  /** By how much each rate may be off because of the client, or why nothing of the run has an error bound. */
  readonly rateBounds: Reported<RateBounds>;
  /** What spoils these figures, so far or at the end. */
  readonly contamination: Reported<readonly ContaminationFinding[]>;
  readonly client: ClientFigures;
  readonly droppedEvents: number;
}

export interface SeriesFigures {
  readonly count: number;
  /** Percentile as text ("99.9") to value. */
  readonly percentiles: Readonly<Record<string, number>>;
  /** By how much the client may be off in each; not there where that is not known. */
  readonly errorBound?: SeriesErrorBound;
}

export interface RunError {
  readonly kind: FailureKind;
  readonly count: number;
  /** Of the newest of its kind: "first byte, 30 s". */
  readonly detail: Reported<string>;
  /** Of the newest of its kind, since the run began. */
  readonly lastAtMs: Reported<number>;
}

/** Whether the load generator can be believed, and what it is judged by. */
export interface ClientFigures {
  readonly verdict: 'trustworthy' | 'client-bound' | 'unknown';
  readonly reasons: readonly string[];
  readonly sendLatenessNsP99: Reported<number>;
  /** Of reads within a turn of the event loop, or of the heartbeat where that was later: a pause delays every read. */
  readonly readLatenessNsP99: Reported<number>;
  readonly eventLoopDelayNsP99: Reported<number>;
  readonly gcPauseNsTotal: Reported<number>;
  /** In cores, of the busiest thread. */
  readonly cpuShare: Reported<number>;
  readonly connectionsOpened: number;
  readonly connectionsReused: number;
}

export type RunPhase = 'connecting' | 'warmup' | 'measuring' | 'draining';

/** Newest figures of a running run. */
export interface RunProgress {
  readonly runId: RunId;
  readonly phase: RunPhase;
  /** Since the run's zero, warm-up included. */
  readonly elapsedMs: number;
  /** Since the measured phase began; 0 before. */
  readonly measuredMs: number;
  readonly figures: RunFigures;
  /** Over the last seconds. */
  readonly recent: RecentRates;
  readonly contentArrived: Reported<ContentArrived>;
  /** Where several machines make the load. */
  readonly agents: Reported<readonly LiveAgent[]>;
  /** Of a run of sessions. */
  readonly sessions?: LiveSessions;
  /** What the run could not tell the daemon in time. */
  readonly updatesDropped: number;
}

export interface RecentRates {
  readonly requestsPerSecond: Reported<number>;
  readonly outputTokensPerSecond: Reported<number>;
}

/** Something that serves or generates inference now. A lease: nobody counts one older than 10 s. */
export interface Runner {
  readonly runnerKey: string;
  readonly source: 'run' | 'endpoint';
  readonly targetNode: Reported<NodeId>;
  readonly requestsInFlight: Reported<number>;
}
