// By how much a figure of a run may differ from what it stands for because of the client that measured it:
// docs/metrics.md "Error bounds". It lies between the measured figure less `above` and the measured figure plus `below`.

import type { GapEdge } from './event-record.ts';

export type ErrorBound = {
  /** The measured figure is at most so much above the true one, ns. */
  readonly above: number;
  /** … and at most so much below it. */
  readonly below: number;
};

/** Of a series: of its mean, and of each of its percentiles by its name ("99.9"). */
export type SeriesErrorBound = {
  readonly mean: ErrorBound;
  readonly percentiles: Readonly<Record<string, ErrorBound>>;
};

/** Of a run as a whole. */
export type RunBounds = {
  /** Of the measured window, which every rate is divided by. */
  readonly windowNs: ErrorBound;
};

/** What an agent tells its coordinator of its own lateness, packed as metrics/bound-parts.ts says; samples tell theirs themselves. */
export type BoundParts = {
  readonly lateMarks: Uint8Array;
  readonly heldMarks: Uint8Array;
  readonly gaps: Readonly<Record<GapEdge, Uint8Array>>;
};

/** ± in one figure. */
export const widestOf = ({ above, below }: ErrorBound): number => Math.max(above, below);
