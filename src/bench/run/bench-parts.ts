// What a run is given beside the request, what it tells while it goes on, and what it comes to.

import type { Clock } from '../../clock/clock.ts';
import type { RunProvenance } from '../../core/run/provenance.ts';
import type { Report, ReportEnvironment } from '../../core/run/report.ts';
import type { RunConfig } from '../../core/run/run-config.ts';
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
  /** For children: without what is secret. */
  readonly env: Env;
  /** process.execPath */
  readonly nodePath: string;
  readonly temporaryFolder: string;
  readonly version: string;
  readonly environment: ReportEnvironment;
  readonly runId: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** What to type to run it again, without secrets; unknown of what is a part of something else. */
  readonly command?: Reported<string>;
  /** Without it the report says that it is not known. */
  readonly provenance?: CallProvenance;
  /** What the report says besides, one sentence each: what a calibration found. */
  readonly reported?: readonly string[];
  /** 8 characters of hex. */
  readonly noncePrefix: string;
  /** Absolute. */
  readonly directory: string;
  readonly settings: BenchSettings;
  /** Ends the run early, and well. */
  readonly stop: AbortSignal;
  /** Ends it now, with what is there. */
  readonly stopNow: AbortSignal;
  /** Of a run from many machines: what this one does of it. */
  readonly part?: RunPart;
  /** Of a stage: ends the load before its limits, and the run is as complete as if it had reached them. */
  readonly early?: EarlyEnd;
  /** Of a stage: sees what the load tells, as it comes. */
  readonly tap?: LoadTap;
  /** Of a stage: sees what the server tells of itself, where this process asks it. */
  readonly onServer?: (reading: ServerReading) => void;
  /** What the report says of the machine that was loaded. Asked once, at the end; never rejects. */
  readonly judge?: (report: Report) => Promise<Pick<Report, 'headroom' | 'calibration' | 'energy'>>;
  readonly observer: BenchObserver;
  /** Whether the observer wants more than one snapshot a second. Others may ask for them while the run goes on. Default: true. */
  readonly isLookedAt?: boolean;
  /** Of tests: the addresses of a name; default: those of the system's resolver. */
  readonly resolve?: AddressLookup;
  /** Of tests: threads that misbehave. */
  readonly entries?: LoadGeneratorOptions['entries'];
}

/** What is known of a run's provenance before the server is asked and prompts are planned. */
export type CallProvenance = Omit<RunProvenance, 'prompts' | 'server'>;

/** One agent's part of a run that a coordinator has split. The request is that of the whole run, with its warm-up counted. */
export interface RunPart {
  readonly share: Share;
  /** What another agent has found out of the server, or this one before. */
  readonly survey: ServerSurvey;
  /** `bodiesDigest` of what all agents send; a run of other bodies is refused. */
  readonly bodiesDigest: string;
  /** Connections are open and the warm-up is over. Resolves with the zero of the schedule, ns since the run's zero; undefined: none. */
  readonly zero: (opened: number) => Promise<number | undefined>;
  /** This machine's own limit on connections that are open at any moment, whatever the load would open. */
  readonly connectionsMax?: number;
  /** Makes the plan elsewhere than in this thread; undefined: here. */
  readonly planned?: (signal: AbortSignal) => Promise<PlannedPart>;
}

export interface PlannedPart {
  readonly plan: LoadPlan;
  /** Without its prompts. */
  readonly dataset: PlannedPrompts;
  readonly bodiesDigest: string;
}

export interface EarlyEnd {
  /** Issues no more; what is in flight is followed to its end. */
  readonly drain: AbortSignal;
  /** Cancels what is in flight. */
  readonly cancel: AbortSignal;
}

export interface LoadTap extends LoadSink {
  /**
   * The measured phase begins. All times are ns since the run's zero.
   * @param reportedUntilNs until when all is told, but for a few batches; without it until now
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
  /** What could not be written of it. */
  readonly diskProblems: readonly string[];
}

/** Times that a run waits for its own parts. Tests make them short. */
export interface BenchSettings {
  /** For a child process to say that it is ready. */
  readonly readyMsMax: number;
  /** For the server to tell its models. */
  readonly requestMsMax: number;
  /** For each of the short requests that tell what words cost. */
  readonly calibrationMsMax: number;
  /** A load thread that did not return to its event loop for so long is given up. */
  readonly heartbeatMsMax: number;
  /** For the subscribers to take what is queued at the end. */
  readonly lingerMs: number;
  /** For the aggregator to finish its account after the session's end. */
  readonly accountMsMax: number;
  /** For the event logger to write what it has. */
  readonly logMsMax: number;
  /** For samples.jsonl to be on disk. */
  readonly diskMsMax: number;
  /** From when all agents of a run are ready to the zero of their schedule, at least. */
  readonly startLeadMs: number;
}

export const BENCH_SETTINGS: BenchSettings = {
  readyMsMax: 10_000,
  requestMsMax: 5_000,
  calibrationMsMax: 60_000,
  heartbeatMsMax: 5_000,
  lingerMs: 10_000,
  accountMsMax: 60_000,
  logMsMax: 2_000,
  diskMsMax: 5_000,
  startLeadMs: 3_000,
};
