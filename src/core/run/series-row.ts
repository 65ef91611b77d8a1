// What is declared of a series of a run; the rows are in run-series.ts.

export interface SeriesRow {
  readonly unit: 'ns' | 'tokens' | 'ratio' | 'bytes';
  /** What has one value each; an observation is made by a load thread of itself, over an interval. */
  readonly per: 'completed request' | 'completed session' | 'chunk' | 'issued request' | 'observation';
  /** In which runs it can have a value. Snapshots of others do not contain it: an empty series means "none yet". */
  readonly runs: 'all' | 'streamed' | 'scheduled' | 'streamed, scheduled' | 'capped' | 'sessions';
  /** The stamps it comes from. */
  readonly from: string;
  /** Which samples have a value, if not all do. */
  readonly where?: string;
  readonly label: string;
  readonly shortLabel: string;
  readonly better: BetterDirection;
  /** What it means, in one sentence. */
  readonly help: string;
  /**
   * 'headline': published to the whole cluster, for tiles, comparison and Prometheus. 'detail': in the
   * terminal, and in the text of a report with all percentiles. 'line': one line of a report. 'client': in a
   * report's section about the load generator.
   */
  readonly level: 'headline' | 'detail' | 'line' | 'client';
  /** The final result also counts each failed sample as longer than any. */
  readonly countsFailures?: true;
  /** Its name in `--slo`. Versions before the row reject a run with such an objective. */
  readonly objective?: string;
  /** Other names for it in `--slo`. */
  readonly objectiveAliases?: readonly string[];
  /** Its name in comparisons, and with its unit in the CSV of requests. */
  readonly compared?: string;
  /** Its histogram in OpenTelemetry, in seconds or tokens: by the GenAI conventions if they have one. */
  readonly otlp?: {
    readonly name: string;
    readonly description: string;
    readonly attributes?: Readonly<Record<string, string>>;
  };
}

/** Which of two figures is the better one; 'none' if neither is. */
export type BetterDirection = 'higher' | 'lower' | 'none';
