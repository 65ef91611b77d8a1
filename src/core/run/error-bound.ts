// By how much a figure of a run may differ from what it stands for because of the client that measured it:
// docs/metrics.md "Error bounds". It lies between the measured figure less `above` and the measured figure plus `below`.

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

/** ± in one figure. */
export const widestOf = ({ above, below }: ErrorBound): number => Math.max(above, below);
