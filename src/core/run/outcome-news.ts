// How many requests ended well and badly lately, by event time: what parse threads report to whoever decides whether a run goes
// on, in a few numbers instead of every sample.

import type { FailureKind } from './outcome.ts';

export interface OutcomeNews {
  /** One of SPAN_NS each, by when they ended. */
  readonly spans: readonly OutcomeSpan[];
  /** The first of each kind, status and text, at most FAILURES_MAX; the rest is only in the spans. */
  readonly failures: readonly CountedFailure[];
}

/** Its number, counted from the run's zero. */
export type OutcomeSpan = readonly [span: number, completed: number, failed: number];

export interface CountedFailure {
  readonly kind: FailureKind;
  /** HTTP status; 0 where there was none. */
  readonly statusCode: number;
  readonly detail: string;
  readonly count: number;
}

export const SPAN_NS = 100_000_000;
/** Different ones in one message. */
export const FAILURES_MAX = 16;
