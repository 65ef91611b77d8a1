// The final account of a run: METRICS §7, schema plimsoll.report/1.

import type { Unknown } from '../unknown.ts';
import type { FailureKind, FinishReason } from './outcome.ts';
import type { SnapshotState } from './snapshot.ts';

export const REPORT_SCHEMA = 'plimsoll.report/1';

export interface Report {
  readonly schema: typeof REPORT_SCHEMA;
  readonly plimsoll: { readonly version: string };
  readonly run: ReportRun;
  readonly state: SnapshotState;
  readonly complete: boolean;
  readonly incompleteReason?: string;
  readonly interrupted: boolean;
  readonly counts: {
    readonly issued: number;
    readonly completed: number;
    readonly failed: number;
    readonly cancelled: number;
    readonly unresolved: number;
  };
  readonly pendingTasks: number;
  readonly droppedEvents: number;
  readonly eventLogDropped: number;
  readonly errors: Readonly<Partial<Record<FailureKind, number>>>;
  readonly finishReasons: Readonly<Partial<Record<FinishReason, number>>>;
  /** First sent to last end of completed samples of the measured phase. */
  readonly windowNs: number | Unknown;
  readonly steadyStateWindowNs: number | Unknown;
  readonly requestsPerSecond: number | Unknown;
  readonly outputTokensPerSecond: number | Unknown;
  readonly inputTokensPerSecond: number | Unknown;
  readonly totalTokensPerSecond: number | Unknown;
  readonly perUserTokensPerSecond: { readonly p50: number | Unknown; readonly p90: number | Unknown };
  readonly goodput?: number | Unknown;
  readonly objectives?: readonly ObjectiveResult[];
  readonly series: Readonly<Record<string, ReportSeries>>;
  readonly client: ReportClient;
  readonly environment: {
    readonly node: string;
    readonly os: string;
    readonly cpu: string;
    readonly cores: number;
  };
}

export interface ReportRun {
  readonly id: string;
  /** ISO 8601, wall clock, for display. */
  readonly startedAt: string;
  /** Without credentials. */
  readonly target: string;
  readonly serverKind: string | Unknown;
  readonly model: string | Unknown;
  readonly pattern: RunPattern;
  readonly dataset: string;
  readonly seed: number;
  readonly streaming: boolean;
  readonly warmupRequests: number;
  readonly hasNonce: boolean;
}

export type RunPattern =
  | { readonly kind: 'concurrency'; readonly concurrency: number }
  | { readonly kind: 'poisson'; readonly requestsPerSecond: number }
  | { readonly kind: 'constant'; readonly requestsPerSecond: number }
  | { readonly kind: 'max-throughput' };

export interface ObjectiveResult {
  /** "ttft", "tpot", "latency" */
  readonly name: string;
  readonly limitNs: number;
  readonly metSamples: number;
  readonly samples: number;
}

export interface ReportSeries {
  readonly unit: 'ns' | 'tokens' | 'ratio' | 'bytes';
  readonly count: number;
  readonly total: string;
  readonly min: number | null;
  readonly max: number | null;
  readonly mean: number | null;
  readonly stdDev: number | null;
  readonly percentiles: Readonly<Record<string, number>>;
  readonly failureAdjusted?: Readonly<Record<string, number | null>>;
  readonly estimates?: Readonly<Record<string, number | null>>;
  readonly histogram: readonly (readonly [number, number, number])[];
  /** From the histogram where the run was cut short or had more values than are kept. */
  readonly isExact: boolean;
}

export interface ReportClient {
  readonly verdict: 'trustworthy' | 'client-bound';
  readonly reasons: readonly string[];
  readonly sendLatenessNs: LatenessFigures | Unknown;
  readonly readLatenessNs: LatenessFigures | Unknown;
  readonly eventLoopDelayNs: LatenessFigures | Unknown;
  readonly eventLoopUtilization: number | Unknown;
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
