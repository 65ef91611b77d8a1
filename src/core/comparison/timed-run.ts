// The requests of one finished run in columns, each at the time of its end: what a comparison of two runs
// resamples.

export interface TimedRun {
  /** First send of the measured phase, and last end of a completed request, ns of the run's own clock. */
  readonly fromNs: number;
  readonly toNs: number;
  /** Ends of completed requests; the columns below belong to them. NaN if a request has no such figure. */
  readonly endNs: Float64Array;
  readonly ttftNs: Float64Array;
  readonly tpotNs: Float64Array;
  readonly latencyNs: Float64Array;
  readonly outputTokens: Float64Array;
  /** 1: it met every objective for requests, of which there may be none. */
  readonly good: Uint8Array;
  /** Ends of failed requests, which count as longer than any. */
  readonly failedEndNs: Float64Array;
}
