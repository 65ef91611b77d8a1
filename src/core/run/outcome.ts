// How a sample ends: METRICS §2. Every issued sample ends in exactly one outcome; nothing is retried silently.

import * as v from 'valibot';
import { count, figure, type Infer, openObject } from '../schema.ts';

export type Outcome = 'completed' | 'failed' | 'cancelled';

export const sampleCountsSchema = openObject({
  issued: count,
  completed: count,
  failed: count,
  cancelled: count,
  // Counters of one snapshot may be read at slightly different times.
  unresolved: figure,
});

/** issued = completed + failed + cancelled + unresolved. */
/** In the measured phase. */
export type SampleCounts = Infer<typeof sampleCountsSchema>;

export const FAILURE_KINDS = [
  'connect',
  'tls',
  'timeout',
  'http-status',
  'truncated',
  'malformed',
  'error-frame',
  'empty',
  'reset',
  'client',
  // Stored by position: new ones are appended.
  'aborted',
] as const;

export type FailureKind = (typeof FAILURE_KINDS)[number];

/** What went wrong, shown before the server's message. */
export const FAILURE_LABELS: Readonly<Record<FailureKind, string>> = {
  connect: 'no connection',
  tls: 'no TLS connection',
  timeout: 'timeout',
  'http-status': 'HTTP status',
  truncated: 'reply cut off',
  malformed: 'malformed reply',
  'error-frame': 'error in the reply',
  empty: 'empty reply',
  reset: 'connection lost',
  client: 'client',
  aborted: 'given up by the server',
};

/** None that is 0. */
export const failuresByKindSchema = v.record(v.picklist(FAILURE_KINDS), v.exactOptional(count));

/** Failures by kind, as a report counts them. */
export interface FailuresByKind {
  readonly errors: Infer<typeof failuresByKindSchema>;
}

export const failureCounts = (countOf: (kind: FailureKind) => number): FailuresByKind => ({
  errors: Object.fromEntries(
    FAILURE_KINDS.map(kind => [kind, countOf(kind)] as const).filter(([, count]) => count > 0),
  ),
});

/** Each kind with its count, in the order of the table; none that is 0. */
export const failureKindRows = ({
  errors = {},
}: Partial<FailuresByKind>): readonly (readonly [kind: FailureKind, count: number])[] =>
  FAILURE_KINDS.flatMap(kind => {
    const count = errors[kind] ?? 0;
    return count > 0 ? [[kind, count] as const] : [];
  });

/** Which deadline passed: named in the detail of a `timeout`. */
export type TimeoutPhase = 'connect' | 'first-byte' | 'idle' | 'total';

export const FINISH_REASONS = ['stop', 'length', 'tool_calls', 'content_filter', 'other', 'missing'] as const;

export type FinishReason = (typeof FINISH_REASONS)[number];

export const isFailureKind = (text: string): text is FailureKind => FAILURE_KINDS.some(kind => kind === text);

// How many requests succeeded and failed recently, by event time: a summary from the parse threads for the
// decision whether a run continues, instead of every sample.
export interface OutcomeNews {
  /** Spans of SPAN_NS each, by when requests ended. */
  readonly spans: readonly OutcomeSpan[];
  /** The first of each kind, status and text, at most FAILURES_MAX; the rest is only in the spans. */
  readonly failures: readonly CountedFailure[];
}

/** Its number, counted from the run's zero. */
export type OutcomeSpan = readonly [span: number, completed: number, failed: number];

export interface CountedFailure {
  readonly kind: FailureKind;
  /** HTTP status; 0 if there was none. */
  readonly statusCode: number;
  readonly detail: string;
  readonly count: number;
}

export const SPAN_NS = 100_000_000;
/** Limit of different ones in one message. */
export const FAILURES_MAX = 16;
