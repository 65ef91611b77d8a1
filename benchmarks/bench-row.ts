// What a benchmark prints: one row as one line of JSON on standard output, which run.js turns into the table.
// Everything else goes to standard error.

interface BenchRow {
  /** What was measured: "apply, 64 nodes". */
  readonly what: string;
  readonly figure: number;
  /** "events/s", "ms", "MB", "% of a core". */
  readonly unit: string;
  /** What it must reach; a row without one is printed for the record. */
  readonly reach: Reach;
  /** Method in a few words: "median of 9 runs, lowest 8.1, highest 9.4". */
  readonly method: string;
}

export type Reach =
  | { readonly kind: 'none' }
  | { readonly kind: 'at-least'; readonly value: number }
  | { readonly kind: 'at-most'; readonly value: number };

export const printRow = (row: BenchRow): void => {
  process.stdout.write(`${JSON.stringify(row)}\n`);
};

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
};

/** "median of 9 runs, 8.1 to 9.4", with as many digits as the caller's figures deserve. */
export const spread = (values: readonly number[], digits: number): string =>
  `median of ${values.length} runs, ${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)}`;

/** Seconds that a measurement over time takes; PLIMSOLL_BENCH_SECONDS shortens it during development. */
export const benchSeconds = (usual: number): number => {
  const requested = Number(process.env['PLIMSOLL_BENCH_SECONDS']);
  return requested > 0 ? requested : usual;
};
