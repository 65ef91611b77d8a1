// The file of a stored document: in a folder of the home, or in a folder that a process reported. Bounded in size; a
// damaged one is refused with a reason, and what is not a plain file is not opened.

import { join } from 'node:path';
import type { ComparisonDocument } from '../../core/comparison/comparison-document.ts';
import { errorCode, errorMessage } from '../../core/problem.ts';
import type { Report } from '../../core/run/report.ts';
import type { LineDocument, SweepDocument } from '../../core/sweep/sweep-document.ts';
import { InputFileError, openInputFile } from '../../process/input-file.ts';
import { COMPARISON_BYTES_MAX, comparisonFromJson } from '../../wire/comparison-schema.ts';
import { DecodeError } from '../../wire/decode-error.ts';
import { REPORT_BYTES_MAX, reportFromJson } from '../../wire/report-codec.ts';
import { lineDocumentFromJson, SWEEP_BYTES_MAX, sweepDocumentFromJson } from '../../wire/sweep-schema.ts';

interface StoredFile<D> {
  /** "comparison.json" */
  readonly name: string;
  readonly bytesMax: number;
  /** @throws DecodeError */
  readonly decode: (json: string) => D;
}

/** The names that the file of a kind may have; the first that exists counts. */
export type StoredFiles<D> = readonly [StoredFile<D>, ...StoredFile<D>[]];

export const REPORT_FILES: StoredFiles<Report> = [
  { name: 'report.json', bytesMax: REPORT_BYTES_MAX, decode: reportFromJson },
];

export const SWEEP_FILE: StoredFiles<SweepDocument> = [
  { name: 'sweep.json', bytesMax: SWEEP_BYTES_MAX, decode: sweepDocumentFromJson },
];

export const SWEEP_FILES: StoredFiles<SweepDocument | LineDocument> = [
  { name: 'line.json', bytesMax: SWEEP_BYTES_MAX, decode: lineDocumentFromJson },
  ...SWEEP_FILE,
];

export const COMPARISON_FILES: StoredFiles<ComparisonDocument> = [
  { name: 'comparison.json', bytesMax: COMPARISON_BYTES_MAX, decode: comparisonFromJson },
];

type ReadFile<D> =
  | { readonly kind: 'here'; readonly document: D }
  /** `reason`: one phrase for a person. `isMissing`: there is no such file, so that nothing is wrong with it. */
  | { readonly kind: 'refused'; readonly reason: string; readonly isMissing: boolean };

export const readStored = async <D>(
  directory: string,
  [first, ...others]: StoredFiles<D>,
): Promise<ReadFile<D>> => {
  let read = await readOne(directory, first);
  for (const file of others)
    if (read.kind === 'refused' && read.isMissing) read = await readOne(directory, file);
  return read;
};

const readOne = async <D>(
  directory: string,
  { name, bytesMax, decode }: StoredFile<D>,
): Promise<ReadFile<D>> => {
  const path = join(directory, name);
  const refused = (reason: string, isMissing = false): ReadFile<D> => ({
    kind: 'refused',
    reason,
    isMissing,
  });
  try {
    await using file = await openInputFile(path, 'runFile');
    if ((await file.stat()).size > bytesMax) return refused(`${path} is larger than ${bytesMax} bytes`);
    return { kind: 'here', document: decode(await file.readFile('utf8')) };
  } catch (error) {
    if (error instanceof InputFileError) return refused(`${path} is not a plain file`);
    if (error instanceof DecodeError) return refused(error.message);
    const code = errorCode(error);
    if (code === undefined) throw error;
    const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
    return refused(isMissing ? `there is no ${path}` : errorMessage(error), isMissing);
  }
};
