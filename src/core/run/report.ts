// The final result of a run: METRICS §7, schema plimsoll.report/1.

import * as v from 'valibot';
import type { DepthPlan } from '../depth/depth-plan.ts';
import type { DepthProfile } from '../depth/depth-profile.ts';
import type { EngineCalibration } from '../model/engine-calibration.ts';
import type { RunHeadroom } from '../model/run-standing.ts';
import { count, figure, type Infer, longText, openObject, reported, text } from '../schema.ts';
import type { TailInterval } from '../statistics/early-stopping.ts';
import type { Reported, Unknown } from '../unknown.ts';
import type { ContaminationFinding } from './contamination.ts';
import type { RunEnergy } from './energy.ts';
import type { SeriesErrorBound } from './event-record.ts';
import type { RunFailures } from './failure-groups.ts';
import type { FinishNameCount } from './finish-name-tally.ts';
import type { ForeignOrigin } from './foreign-run.ts';
import type { ObjectiveAnswer } from './judge-objective.ts';
import type { LittlesLaw } from './littles-law.ts';
import type { ModelMix, UrlMix, VariantFigures } from './model-mix.ts';
import type { ObjectiveFields, ObjectiveName } from './objective.ts';
import type { FailuresByKind, FinishReason, SampleCounts } from './outcome.ts';
import type { RunProvenance } from './provenance.ts';
import type { RateBounds } from './rate-bounds.ts';
import type { ReportAgent } from './report-agent.ts';
import type { RunPattern } from './run-pattern.ts';
import type { ReportRates } from './run-rates.ts';
import type { RequestLengths, RunRequests } from './run-requests.ts';
import type { SeriesKey, SeriesRow } from './run-series.ts';
import type { RunShape, RunTags } from './run-shape.ts';
import type { RunStop } from './run-stop.ts';
import type { ServerEvidence } from './server-tally.ts';
import type { SessionReport } from './session-report.ts';
import type { SnapshotState } from './snapshot.ts';
import type { TokenizerAccount } from './tokenizer-account.ts';

export const REPORT_SCHEMA = 'plimsoll.report/1';

/** `goodput` only if objectives were given. */
export interface Report extends FailuresByKind, ReportRates {
  readonly schema: typeof REPORT_SCHEMA;
  readonly plimsoll: { readonly version: string };
  readonly run: ReportRun;
  readonly state: SnapshotState;
  /** Nothing is missing: the state is complete, no task was pending, no sample unresolved. */
  readonly complete: boolean;
  readonly incompleteReason?: string;
  readonly interrupted: boolean;
  /** A rule ended the run before its limits; the figures are for the time before. */
  readonly stopped?: RunStop;
  readonly source: ReportSource;
  /**
   * What went wrong as far as the load process detected it, also part of incompleteReason: stored for a later
   * rebuild.
   */
  readonly runProblems: readonly string[];
  /** What a reader must know in addition to the figures, one sentence each. */
  readonly notices: readonly string[];
  /** In the measured phase. */
  readonly counts: SampleCounts;
  /** The part of them cancelled at the end of --grace; missing if there were none. */
  readonly cutAfterGrace?: number;
  /** For all requests outside the measured phase. */
  readonly warmup: SampleCounts;
  readonly pendingTasks: number;
  readonly droppedEvents: number;
  readonly eventLogDropped: number;
  /** Records that did not fit: name of the counter to their number; empty if all is well. */
  readonly recordProblems: Readonly<Record<string, number>>;
  /** Why requests failed, grouped by the server's message, and when the server was away. */
  readonly failures: Reported<RunFailures>;
  readonly finishReasons: Readonly<Partial<Record<FinishReason, number>>>;
  /** The server's names for those that are 'other'; missing if there are none. */
  readonly finishNames?: readonly FinishNameCount[];
  readonly bytes: { readonly sent: number; readonly received: number };
  readonly objectives?: readonly ObjectiveResult[];
  /** Whether each was met, and how certain that is; none without objectives. */
  readonly objectiveAnswers: Reported<readonly ObjectiveAnswer[]>;
  /** Including those that are only known to another version. */
  readonly series: Readonly<Partial<Record<SeriesKey, ReportSeries>>>;
  readonly client: ReportClient;
  /** How much each rate may be off because of the client, or why no figure of the run has an error bound. */
  readonly rateBounds: Reported<RateBounds>;
  /** What contaminates its figures; empty if nothing was found. */
  readonly contamination: Reported<readonly ContaminationFinding[]>;
  /** What the server reported on its metrics page during the measured phase. */
  readonly server: Reported<ServerEvidence>;
  /** Whether the count in flight agrees with the requests' records. */
  readonly littlesLaw: Reported<LittlesLaw>;
  /** Other activity of the client's machine during the run. */
  readonly machine: Reported<MachineDuringRun>;
  readonly environment: ReportEnvironment;
  /** From the sensors of the node that it loaded; missing if they were not read. */
  readonly energy?: Reported<RunEnergy>;
  /** For a run with a tokenizer that the person provided. */
  readonly tokenizer?: Reported<TokenizerAccount>;
  /** Where it is relative to the bound of the machine that it loaded; missing if it was not judged. */
  readonly headroom?: Reported<RunHeadroom>;
  /** Engine constants from its depth profile; missing for any other run. */
  readonly calibration?: Reported<EngineCalibration>;
  /** For a run with `--profile depth`. */
  readonly depth?: DepthProfile;
  /** For a run of sessions: by turn, by session. */
  readonly sessions?: SessionReport;
  /** Where it comes from, to repeat it. */
  readonly provenance: Reported<RunProvenance>;
  /** For each model of a mix or each URL, in order; missing if the run had only one. */
  readonly variants?: readonly VariantFigures[];
  /** For a run from many machines; its client is the worst of them. */
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
  /** If it loaded several. */
  readonly urls?: UrlMix;
  /** Addresses of the target's name, if it has several; `variants` refer to their positions here. */
  readonly addresses?: readonly string[];
  readonly serverKind: string | Unknown;
  /** API of the server, by its name on the command line: "chat". */
  readonly api: string | Unknown;
  readonly model: string | Unknown;
  /** Models that the server listed before the run, if it listed others than that one. */
  readonly offeredModels?: readonly string[];
  /** If it requested several. */
  readonly models?: ModelMix;
  readonly pattern: RunPattern;
  readonly shape: Reported<RunShape>;
  /** The name that a person gave it, to find it again. */
  readonly name: Reported<string>;
  readonly tags: Reported<RunTags>;
  readonly dataset: string;
  readonly seed: number;
  readonly streaming: boolean;
  /** Which requests the client itself cancelled, and when; missing if it cancelled none. */
  readonly cancelled?: string;
  readonly warmupRequests: number;
  readonly hasNonce: boolean;
  /** Contamination checks were disabled (--no-guard). */
  readonly isUnguarded?: true;
  /** Command that repeats it, without secrets. */
  readonly command: Reported<string>;
  /** Names of the agents of a run from many machines; missing if one machine made it. */
  readonly from?: readonly string[];
  /** For a run that another tool measured, and that was imported. */
  readonly foreign?: ForeignOrigin;
  /** Unknown: from a version that left lengths to the server. */
  readonly requests: Reported<RunRequests>;
}

export const environmentSchema = openObject({
  node: text,
  os: text,
  cpu: text,
  cores: count,
});

export type ReportEnvironment = Infer<typeof environmentSchema>;

export interface ObjectiveResult {
  readonly name: ObjectiveName;
  readonly limitNs: number;
  readonly metSamples: number;
  /** Completed ones whose figure is unknown, because the server reported no usage; they count as not met. */
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
  /**
   * Final only, for percentiles without an estimate: the 95 % confidence interval of each, assuming
   * independent requests.
   */
  readonly intervals?: Readonly<Record<string, TailInterval>>;
  readonly histogram: readonly (readonly [number, number, number])[];
  /** false: from the histogram, because the run was cut short or had more values than are stored. */
  readonly isExact: boolean;
  /** How much the client may be off; missing if unknown. */
  readonly errorBound?: SeriesErrorBound;
}

export const latenessFiguresSchema = openObject({
  p50: figure,
  p99: figure,
  max: figure,
});

export const sentences = v.pipe(v.array(longText), v.maxLength(1_024));

export const reportClientSchema = openObject({
  /** 'unknown': the client's own figures are lost, so it cannot be trusted. */
  verdict: v.picklist(['trustworthy', 'client-bound', 'unknown']),
  reasons: sentences,
  sendLatenessNs: reported(latenessFiguresSchema),
  /** Over the greatest value of each observation interval and thread. */
  readLatenessNs: reported(latenessFiguresSchema),
  eventLoopDelayNs: reported(latenessFiguresSchema),
  /** Over every moment at which a heartbeat of a load thread was due. */
  beatLatenessNs: reported(latenessFiguresSchema),
  /**
   * Shares of the time: throttled by a quota, some task waited for a processor, processors taken by the
   * hypervisor.
   */
  throttledShare: reported(figure),
  pressureShare: reported(figure),
  stolenShare: reported(figure),
  /** Busiest thread, 0..1. */
  eventLoopUtilization: reported(figure),
  /** The same thread, in cores. */
  cpuShare: reported(figure),
  starved: v.boolean(),
  gcPauseNs: reported(openObject({ total: figure, max: figure })),
  connections: openObject({ opened: count, reused: count, closed: count, stale: count }),
});

export type ReportClient = Infer<typeof reportClientSchema>;

export type LatenessFigures = Infer<typeof latenessFiguresSchema>;

// Other activity of the client's machine during the measurement, in figures: the sentences about it are in
// the notices.
export type MachineDuringRun = {
  /** In processors, of all other programs, including the server if it runs here. */
  readonly otherLoad: Reported<number>;
  /** Pages in and out. */
  readonly swappedPages: Reported<number>;
  /** Share of the time in which some task waited for memory (PSI). */
  readonly memoryWaitShare: Reported<number>;
  /** Share of the TCP segments that were retransmitted, over all connections of the machine. */
  readonly retransmittedShare: Reported<number>;
  /** Received and dropped, over all interfaces except loopback. */
  readonly droppedPackets: Reported<number>;
  /** How often heat throttled the first package. */
  readonly heatThrottles: Reported<number>;
  /** Frequency governor: "performance". */
  readonly governor: Reported<string>;
  /** The target is this machine's loopback: client and server share its processors. */
  readonly sharesProcessors: boolean;
};

// The content of a run directory's config.json: everything about a run that was known before its first
// request, so that a report can be rebuilt from the directory alone. It contains no secrets.
export const RUN_CONFIG_SCHEMA = 'plimsoll.run/1';

export interface RunConfig extends ObjectiveFields {
  readonly schema: typeof RUN_CONFIG_SCHEMA;
  readonly plimsoll: { readonly version: string };
  readonly run: ReportRun;
  /** Unknown: none were drawn. */
  readonly requestLengths: Reported<RequestLengths>;
  /** For a depth profile. */
  readonly depth?: DepthPlan;
  readonly environment: ReportEnvironment;
  readonly provenance: Reported<RunProvenance>;
}
