// How much a figure of a run may differ from the true value because of the client that measured it:
// docs/metrics.md "Error bounds". The true value is between the measured figure minus `above` and the
// measured figure plus `below`.

import type { GapEdge } from './event-record.ts';

export type ErrorBound = {
  /** The measured figure is at most this much above the true one, ns. */
  readonly above: number;
  /** The measured figure is at most this much below the true one, ns. */
  readonly below: number;
};

/** For a series: its mean, and each of its percentiles by name ("99.9"). */
export type SeriesErrorBound = {
  readonly mean: ErrorBound;
  readonly percentiles: Readonly<Record<string, ErrorBound>>;
};

/** For a run as a whole. */
export type RunBounds = {
  /** Bound of the measured window, by which every rate is divided. */
  readonly windowNs: ErrorBound;
};

/**
 * An agent's lateness as reported to its coordinator, packed as defined in metrics/bound-parts.ts; samples
 * contain their own.
 */
export type BoundParts = {
  readonly lateMarks: Uint8Array;
  readonly heldMarks: Uint8Array;
  readonly gaps: Readonly<Record<GapEdge, Uint8Array>>;
};

/** As one figure with ±. */
export const widestOf = ({ above, below }: ErrorBound): number => Math.max(above, below);
