// One line of a time chart: its values, and how it looks.

export interface ChartSeries {
  readonly values: readonly (number | null)[];
  /** 'other' has its own scale, at the right. */
  readonly scale?: 'other';
  /** Names of tokens: "--ink". */
  readonly stroke?: string;
  readonly fill?: string;
  readonly width?: number;
  /** Lengths of strokes and gaps, px; none: solid. */
  readonly dash?: readonly number[];
  /** Text next to the newest value of a live run: "172 ms p50". */
  readonly newest?: string;
  readonly ink?: string;
}
