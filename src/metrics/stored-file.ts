// The files of stored documents: in a folder of the home, or in a folder that a process reported. Bounded in size; a
// damaged one is refused with a reason, and what is not a plain file is not opened.

import { join } from 'node:path';
import type { ComparisonDocument } from '../core/comparison/comparison-document.ts';
import { ExpansionBudget } from '../core/input/expansion-budget.ts';
import { errorCode } from '../core/problem.ts';
import type { Report } from '../core/run/report.ts';
import type { LineDocument, SweepDocument } from '../core/sweep/sweep-document.ts';
import { fileReason } from '../process/disk-reason.ts';
import { openInputFile } from '../process/input-file.ts';
import type { PlainReport } from '../render/document/plain-kind.ts';
import { PLAIN_FORMS } from '../render/document/plain-kinds.ts';
import { DecodeError } from '../wire/decode-error.ts';
import {
  comparisonFromJson,
  DOCUMENT_BYTES_MAX,
  lineDocumentFromJson,
  parseJson,
  reportFromJson,
  sweepDocumentFromJson,
} from '../wire/stored-json.ts';

interface StoredFile<D> {
  /** "comparison.json" */
  readonly name: string;
  readonly bytesMax: number;
  /** @throws DecodeError */
  readonly decode: (json: string) => D;
}

/** The names that the file of a kind may have; the first that exists counts. */
export type StoredFiles<D> = readonly StoredFile<D>[];

export const REPORT_FILES: readonly [StoredFile<Report>] = [
  { name: 'report.json', bytesMax: DOCUMENT_BYTES_MAX, decode: reportFromJson },
];

export const SWEEP_FILE: StoredFiles<SweepDocument> = [
  { name: 'sweep.json', bytesMax: DOCUMENT_BYTES_MAX, decode: sweepDocumentFromJson },
];

export const LINE_FILE: StoredFiles<LineDocument> = [
  { name: 'line.json', bytesMax: DOCUMENT_BYTES_MAX, decode: lineDocumentFromJson },
];

export const SWEEP_FILES: StoredFiles<SweepDocument | LineDocument> = [...LINE_FILE, ...SWEEP_FILE];

export const COMPARISON_FILES: StoredFiles<ComparisonDocument> = [
  { name: 'comparison.json', bytesMax: DOCUMENT_BYTES_MAX, decode: comparisonFromJson },
];

const PLAIN_BYTES_MAX: number = 16 * 1_048_576;

/** Of plain documents: "campaign.json" for each form. */
export const PLAIN_FILES: StoredFiles<PlainReport> = PLAIN_FORMS.map(({ form, read }) => ({
  name: `${form}.json`,
  bytesMax: PLAIN_BYTES_MAX,
  decode: json => {
    const report = read(parseJson(json, `${form}.json`));
    if (typeof report === 'string') throw new DecodeError(`${form}.json is wrong at ${report}`);
    return report;
  },
}));

type ReadFile<D> =
  | { readonly kind: 'here'; readonly document: D }
  /** `reason`: one phrase for a person. `isMissing`: there is no such file, so that nothing is wrong with it. */
  | { readonly kind: 'refused'; readonly reason: string; readonly isMissing: boolean };

/** The reason names the file. */
export const readStored = async <D>(directory: string, files: StoredFiles<D>): Promise<ReadFile<D>> => {
  let path = directory;
  for (const file of files) {
    path = join(directory, file.name);
    const read = await readStoredFile(path, file);
    if (read.kind === 'here') return read;
    if (!read.isMissing)
      return read.isDecoded ? read : { ...read, reason: `${path} cannot be read: ${read.reason}` };
  }
  return { kind: 'refused', reason: `there is no ${path}`, isMissing: true };
};

type ReadStoredFile<D> =
  | Extract<ReadFile<D>, { readonly kind: 'here' }>
  /** `isDecoded`: it could be read, and its content is refused. */
  | (Extract<ReadFile<D>, { readonly kind: 'refused' }> & { readonly isDecoded: boolean });

/** The reason does not contain the path. */
export const readStoredFile = async <D>(
  path: string,
  { bytesMax, decode }: Omit<StoredFile<D>, 'name'>,
): Promise<ReadStoredFile<D>> => {
  const refused = (reason: string, more: { readonly isMissing?: true; readonly isDecoded?: true } = {}) => ({
    kind: 'refused' as const,
    reason,
    isMissing: false,
    isDecoded: false,
    ...more,
  });
  try {
    await using file = await openInputFile(path, 'runFile');
    if ((await file.stat()).size > bytesMax) return refused(`larger than ${bytesMax} bytes`);
    const text = await file.readFile('utf8');
    new ExpansionBudget('runFile', ({ problem }) => new DecodeError(problem)).checkedJson(text);
    return { kind: 'here', document: decode(text) };
  } catch (error) {
    if (error instanceof DecodeError) return refused(error.message, { isDecoded: true });
    const code = errorCode(error);
    if (code === undefined) throw error;
    const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
    return refused(fileReason(error), isMissing ? { isMissing } : {});
  }
};
