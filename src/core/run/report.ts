// The final account of a run: METRICS §7, schema plimsoll.report/1.

import type { DepthProfile } from '../depth/depth-profile.ts';
import type { EngineCalibration } from '../model/engine-calibration.ts';
import type { RunHeadroom } from '../model/run-standing.ts';
import type { TailInterval } from '../statistics/tail-interval.ts';
import type { Reported, Unknown } from '../unknown.ts';
import type { ContaminationFinding } from './contamination.ts';
import type { RunEnergy } from './energy.ts';
import type { SeriesErrorBound } from './error-bound.ts';
import type { RunFailures } from './failure-groups.ts';
import type { FinishNameCount } from './finish-name-tally.ts';
import type { ForeignOrigin } from './foreign-run.ts';
import type { ObjectiveAnswer } from './judge-objective.ts';
import type { LittlesLaw } from './littles-law.ts';
import type { MachineDuringRun } from './machine-during-run.ts';
import type { ModelMix, VariantFigures } from './model-mix.ts';
import type { ObjectiveName } from './objective.ts';
import type { FailuresByKind, FinishReason, SampleCounts } from './outcome.ts';
import type { RunProvenance } from './provenance.ts';
import type { RateBounds } from './rate-bounds.ts';
import type { ReportAgent } from './report-agent.ts';
import type { RunPattern } from './run-pattern.ts';
import type { ReportRates } from './run-rates.ts';
import type { RunRequests } from './run-requests.ts';
import type { SeriesKey, SeriesRow } from './run-series.ts';
import type { RunShape } from './run-shape.ts';
import type { RunStop } from './run-stop.ts';
import type { RunTags } from './run-tags.ts';
import type { ServerEvidence } from './server-tally.ts';
import type { SessionReport } from './session-report.ts';
import type { SnapshotState } from './snapshot.ts';
import type { TokenizerAccount } from './tokenizer-account.ts';
import type { UrlMix } from './url-mix.ts';

export const REPORT_SCHEMA = 'plimsoll.report/1';

/** `goodput` only where objectives were given. */
export interface Report extends FailuresByKind, ReportRates {
  readonly schema: typeof REPORT_SCHEMA;
  readonly plimsoll: { readonly version: string };
  readonly run: ReportRun;
  readonly state: SnapshotState;
  /** Nothing is missing: the state is complete, no task was pending, no sample unresolved. */
  readonly complete: boolean;
  readonly incompleteReason?: string;
  readonly interrupted: boolean;
  /** A rule ended the run before its limits; the figures are those of the time before. */
  readonly stopped?: RunStop;
  readonly source: ReportSource;
  /** What whoever ran the load knows of what went wrong, also part of incompleteReason: kept for a later rebuild. */
  readonly runProblems: readonly string[];
  /** What a reader must know beside the figures, one sentence each. */
  readonly notices: readonly string[];
  /** Of the measured phase. */
  readonly counts: SampleCounts;
  /** Of those, cancelled because the time of --grace was over; not there if none were. */
  readonly cutAfterGrace?: number;
  /** Of whatever was issued outside the measured phase. */
  readonly warmup: SampleCounts;
  readonly pendingTasks: number;
  readonly droppedEvents: number;
  readonly eventLogDropped: number;
  /** Records that did not fit: name of the counter to how many; empty when all was well. */
  readonly recordProblems: Readonly<Record<string, number>>;
  /** Why requests failed, grouped by the server's message, and when the server was away. */
  readonly failures: Reported<RunFailures>;
  readonly finishReasons: Readonly<Partial<Record<FinishReason, number>>>;
  /** Of those that are 'other', by the names that the server has for them; not there where it has none. */
  readonly finishNames?: readonly FinishNameCount[];
  readonly bytes: { readonly sent: number; readonly received: number };
  readonly objectives?: readonly ObjectiveResult[];
  /** Whether each was met, and how sure that is; none without objectives. */
  readonly objectiveAnswers: Reported<readonly ObjectiveAnswer[]>;
  /** Also those that only another version knows. */
  readonly series: Readonly<Partial<Record<SeriesKey, ReportSeries>>>;
  readonly client: ReportClient;
  /** By how much each rate may be off because of the client, or why nothing of the run has an error bound. */
  readonly rateBounds: Reported<RateBounds>;
  /** What spoils its figures; empty where nothing was found. */
  readonly contamination: Reported<readonly ContaminationFinding[]>;
  /** What the server told of itself on its page of metrics during the measured phase. */
  readonly server: Reported<ServerEvidence>;
  /** Whether what was counted in flight is what the requests tell. */
  readonly littlesLaw: Reported<LittlesLaw>;
  /** What else the machine of the client did meanwhile. */
  readonly machine: Reported<MachineDuringRun>;
  readonly environment: ReportEnvironment;
  /** By the sensors of the node that it loaded; not there where nobody looked. */
  readonly energy?: Reported<RunEnergy>;
  /** Of a run with a tokenizer of the person's own. */
  readonly tokenizer?: Reported<TokenizerAccount>;
  /** Where it stands under the bound of the machine that it loaded; not there where nobody judged it. */
  readonly headroom?: Reported<RunHeadroom>;
  /** What its depth profile tells of the engine; not there of any other run. */
  readonly calibration?: Reported<EngineCalibration>;
  /** Of a run of `--profile depth`. */
  readonly depth?: DepthProfile;
  /** Of a run of sessions: by turn, by session. */
  readonly sessions?: SessionReport;
  /** Where it comes from, to repeat it. */
  readonly provenance: Reported<RunProvenance>;
  /** Of each model of a mix or of each URL, in their order; not there where the run had one. */
  readonly variants?: readonly VariantFigures[];
  /** Of a run from many machines; its client is the worst of them. */
  readonly agents?: readonly ReportAgent[];
}

/** Where the figures come from, best first: METRICS §7 and DESIGN §4 "Report". */
export type ReportSource =
  | 'complete-message'
  | 'final-snapshot-file'
  | 'samples-file'
  | 'live-snapshot'
  | 'nothing';

export interface ReportRun {
  readonly id: string;
  /** ISO 8601, wall clock, for display. */
  readonly startedAt: string;
  /** Without credentials. */
  readonly target: string;
  /** Where it loaded several. */
  readonly urls?: UrlMix;
  /** Of the target's name, where it has several; `variants` are by their place here. */
  readonly addresses?: readonly string[];
  readonly serverKind: string | Unknown;
  /** Of the server, by its name on the command line: "chat". */
  readonly api: string | Unknown;
  readonly model: string | Unknown;
  /** Which the server listed before the run, if it listed others than that one. */
  readonly offeredModels?: readonly string[];
  /** Where it asked for several. */
  readonly models?: ModelMix;
  readonly pattern: RunPattern;
  readonly shape: Reported<RunShape>;
  /** What a person called it, to find it again. */
  readonly name: Reported<string>;
  readonly tags: Reported<RunTags>;
  readonly dataset: string;
  readonly seed: number;
  readonly streaming: boolean;
  /** Which requests the client itself broke off, and when; not there where it broke off none. */
  readonly cancelled?: string;
  readonly warmupRequests: number;
  readonly hasNonce: boolean;
  /** Nobody was to look for what spoils figures (--no-guard). */
  readonly isUnguarded?: true;
  /** What to type to run it again, without secrets. */
  readonly command: Reported<string>;
  /** Names of the agents of a run from many machines; not there where one machine made it. */
  readonly from?: readonly string[];
  /** Of a run that another tool measured, and that was imported. */
  readonly foreign?: ForeignOrigin;
  /** Unknown: of a version that left lengths to the server. */
  readonly requests: Reported<RunRequests>;
}

export interface ReportEnvironment {
  readonly node: string;
  readonly os: string;
  readonly cpu: string;
  readonly cores: number;
}

export interface ObjectiveResult {
  readonly name: ObjectiveName;
  readonly limitNs: number;
  readonly metSamples: number;
  /** Completed ones whose figure is not known, because the server told no usage; they count as not met. */
  readonly unknownSamples: number;
  /** Completed and failed ones. */
  readonly samples: number;
}

export interface ReportSeries {
  readonly unit: SeriesRow['unit'];
  readonly count: number;
  /** Decimal digits; of a ratio with up to six after the point. */
  readonly total: string;
  readonly min: number | null;
  readonly max: number | null;
  readonly mean: number | null;
  readonly stdDev: number | null;
  readonly percentiles: Readonly<Record<string, number>>;
  /** Failures counted as +∞, which is null here. */
  readonly failureAdjusted?: Readonly<Record<string, number | null>>;
  /** null: n is too small. */
  readonly estimates?: Readonly<Record<string, number | null>>;
  /** Final only, of percentiles without an estimate: where each lies with 95 % confidence, were requests independent. */
  readonly intervals?: Readonly<Record<string, TailInterval>>;
  readonly histogram: readonly (readonly [number, number, number])[];
  /** false: from the histogram, because the run was cut short or had more values than are kept. */
  readonly isExact: boolean;
  /** By how much the client may be off; not there where it is not known. */
  readonly errorBound?: SeriesErrorBound;
}

export interface ReportClient {
  /** 'unknown': the client's own figures are lost, so that nobody may vouch for it. */
  readonly verdict: 'trustworthy' | 'client-bound' | 'unknown';
  readonly reasons: readonly string[];
  readonly sendLatenessNs: LatenessFigures | Unknown;
  /** Over the greatest of each observation interval and thread. */
  readonly readLatenessNs: LatenessFigures | Unknown;
  readonly eventLoopDelayNs: LatenessFigures | Unknown;
  /** Of every moment that a heartbeat of a load thread was due. */
  readonly beatLatenessNs: LatenessFigures | Unknown;
  /** Shares of the time: held back by a quota, some task waited for a processor, processors taken by the hypervisor. */
  readonly throttledShare: number | Unknown;
  readonly pressureShare: number | Unknown;
  readonly stolenShare: number | Unknown;
  /** Of the busiest thread, 0..1. */
  readonly eventLoopUtilization: number | Unknown;
  /** Of the same thread, in cores. */
  readonly cpuShare: number | Unknown;
  readonly starved: boolean;
  readonly gcPauseNs: { readonly total: number; readonly max: number } | Unknown;
  readonly connections: {
    readonly opened: number;
    readonly reused: number;
    readonly closed: number;
    readonly stale: number;
  };
}

export type LatenessFigures = {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
};
