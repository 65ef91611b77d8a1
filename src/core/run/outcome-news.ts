// How many requests succeeded and failed recently, by event time: a summary from the parse threads for the
// decision whether a run continues, instead of every sample.

import type { FailureKind } from './outcome.ts';

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
