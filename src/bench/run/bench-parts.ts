// Dependencies of a run other than its request, its events in progress, and its result.

import type { Clock } from '../../clock/clock.ts';
import type { ArrivalStamps } from '../../core/run/arrival-stamps.ts';
import type { RunProvenance } from '../../core/run/provenance.ts';
import type { Report, ReportEnvironment, RunConfig } from '../../core/run/report.ts';
import type { ServerReading } from '../../core/run/server-reading.ts';
import type { MetricsSnapshot } from '../../core/run/snapshot.ts';
import type { Reported } from '../../core/unknown.ts';
import type { Env } from '../../process/child.ts';
import type { PlannedPrompts } from '../dataset/planned-prompts.ts';
import type { LoadPlan } from '../load/load-plan.ts';
import type { Share } from '../schedule/arrivals.ts';
import type { LoadCounts, LoadGeneratorOptions, LoadSink } from '../threads/load-generator.ts';
import type { AddressLookup } from './resolve-addresses.ts';
import type { SessionPhase } from './session.ts';
import type { ServerSurvey } from './survey-server.ts';

export interface BenchParts {
  readonly clock: Clock;
  /** Environment for children: without secrets. */
  readonly env: Env;
  /** process.execPath */
  readonly nodePath: string;
  readonly temporaryFolder: string;
  readonly version: string;
  readonly environment: ReportEnvironment;
  readonly runId: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** The command that repeats it, without secrets; unknown for a run that is part of something else. */
  readonly command?: Reported<string>;
  /** If missing, the report states that it is not known. */
  readonly provenance?: CallProvenance;
  /** Further sentences for the report, such as what a calibration found. */
  readonly reported?: readonly string[];
  /** 8 hex digits. */
  readonly noncePrefix: string;
  /** Absolute path. */
  readonly directory: string;
  readonly settings: BenchSettings;
  /** Ends the run early, with a complete report. */
  readonly stop: AbortSignal;
  /** Ends it at once, with the results so far. */
  readonly stopNow: AbortSignal;
  /** In a run on several machines: this machine's part. */
  readonly part?: RunPart;
  /** For a stage: ends the load before its limits; the run is as complete as if it had reached them. */
  readonly early?: EarlyEnd;
  /** For a stage: receives the load's events as they happen. */
  readonly tap?: LoadTap;
  /** For a stage: receives the server's own metrics, if this process reads them. */
  readonly onServer?: (reading: ServerReading) => void;
  /** Evaluates the machine that was loaded, for the report. Called once, at the end; never rejects. */
  readonly judge?: (
    report: Report,
  ) => Promise<Pick<Report, 'headroom' | 'calibration' | 'energy' | 'nodePrices'>>;
  readonly observer: BenchObserver;
  /**
   * Whether the observer needs more than one snapshot a second. Others may request them during the run. Default:
   * true.
   */
  readonly isLookedAt?: boolean;
  /** For tests: resolves the addresses of a name; default: the system's resolver. */
  readonly resolve?: AddressLookup;
  /** For tests: threads that misbehave. */
  readonly entries?: LoadGeneratorOptions['entries'];
}

/** The part of a run's provenance that is known before the server is queried and prompts are planned. */
export type CallProvenance = Omit<RunProvenance, 'prompts' | 'server'>;

/**
 * One agent's part of a run that a coordinator has split. The request is that of the whole run, with its warm-up
 * counted.
 */
export interface RunPart {
  readonly share: Share;
  /** The server's properties, found by another agent or by an earlier survey. */
  readonly survey: ServerSurvey;
  /** `bodiesDigest` of the requests of all agents; a run with other bodies is refused. */
  readonly bodiesDigest: string;
  /**
   * Called when connections are open and the warm-up is over. Resolves with the zero of the schedule, ns since the
   * run's zero; undefined: none.
   */
  readonly zero: (opened: ReadyLoad) => Promise<number | undefined>;
  /** This machine's own limit on connections that are open at any moment, independent of the load. */
  readonly connectionsMax?: number;
  /** Makes the plan in another thread; undefined: in this one. */
  readonly planned?: (signal: AbortSignal) => Promise<PlannedPart>;
}

export interface ReadyLoad {
  readonly connectionsOpened: number;
  readonly stamps: Reported<ArrivalStamps>;
}

export interface PlannedPart {
  readonly plan: LoadPlan;
  /** Without its prompts. */
  readonly dataset: PlannedPrompts;
  readonly bodiesDigest: string;
}

export interface EarlyEnd {
  /** Issues no more; requests in flight are followed to their end. */
  readonly drain: AbortSignal;
  /** Cancels requests in flight. */
  readonly cancel: AbortSignal;
}

export interface LoadTap extends LoadSink {
  /**
   * The measured phase begins. All times are ns since the run's zero.
   * @param reportedUntilNs time up to which everything is reported, but for a few batches; without it up to now
   */
  started(startNs: number, nowNs: () => number, reportedUntilNs?: () => number): void;
}

export interface BenchObserver {
  /** Before the first record; everything is open. */
  started(run: StartedRun): void;
  phase(phase: SessionPhase): void;
  snapshot(snapshot: MetricsSnapshot): void;
  /** One sentence. */
  notice(text: string): void;
}

export interface StartedRun {
  readonly config: RunConfig;
  readonly directory: string;
  readonly snapshotsEndpoint: string;
  /** CLOCK_MONOTONIC of the run's zero, as `timestampNs` of a snapshot is. */
  readonly runZeroNs: bigint;
  readonly counts: () => LoadCounts;
}

export interface BenchResult {
  readonly report: Report;
  /** Files that could not be written. */
  readonly diskProblems: readonly string[];
}

/** Timeouts for a run's own parts. Tests shorten them. */
export const BENCH_SETTINGS = {
  /** For a child process to report that it is ready. */
  readyMsMax: 10_000,
  /** For the server to list its models. */
  requestMsMax: 5_000,
  /** For each of the short requests that measure what words cost. */
  calibrationMsMax: 60_000,
  /** A load thread that did not return to its event loop for this long is given up. */
  heartbeatMsMax: 5_000,
  /** For the subscribers to read what is queued at the end. */
  lingerMs: 10_000,
  /** For the aggregator to finish its result after the session's end. */
  accountMsMax: 60_000,
  /** For the event logger to write what it has. */
  logMsMax: 2_000,
  /** For samples.jsonl to be on disk. */
  diskMsMax: 5_000,
  /** Minimum time from when all agents are ready to the zero of their schedule. */
  startLeadMs: 3_000,
};

export type BenchSettings = Readonly<typeof BENCH_SETTINGS>;
