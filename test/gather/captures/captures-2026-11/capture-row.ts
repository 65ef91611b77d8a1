// A row of the table of recorded outputs: a file, the value that its README gives, and how our parser gets to it.

export interface CaptureRow {
  /** "procfs/cpuinfo-power7.txt" */
  readonly file: string;
  /** What must come of it, in the units of the README if it gives any. */
  readonly expected: unknown;
  /** `recording`: the text of another file of the collection. */
  readonly read: (text: string, recording: (file: string) => string) => unknown;
}

/** Rows that the same function reads. */
export const rowsReadBy = (
  read: CaptureRow['read'],
  expectedByFile: Readonly<Record<string, unknown>>,
): readonly CaptureRow[] =>
  Object.entries(expectedByFile).map(([file, expected]) => ({ file, expected, read }));
