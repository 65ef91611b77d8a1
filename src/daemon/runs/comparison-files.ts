// Documents of comparisons on disk: in the folders of the home, and in folders that a comparison reported. Bounded in size; a
// damaged one is refused with a reason.

import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { ComparisonDocument } from '../../core/comparison/comparison-document.ts';
import { errorCode, errorMessage } from '../../core/problem.ts';
import { InputFileError, openInputFile } from '../../process/input-file.ts';
import { COMPARISON_BYTES_MAX, comparisonFromJson } from '../../wire/comparison-schema.ts';
import { DecodeError } from '../../wire/decode-error.ts';

type ComparisonFile =
  | { readonly kind: 'here'; readonly document: ComparisonDocument }
  /** `reason`: one phrase for a person. `isMissing`: there is no such file, so that nothing is wrong with it. */
  | { readonly kind: 'refused'; readonly reason: string; readonly isMissing: boolean };

export const readComparisonFile = async (directory: string): Promise<ComparisonFile> => {
  const path = join(directory, 'comparison.json');
  const refused = (reason: string, isMissing = false): ComparisonFile => ({
    kind: 'refused',
    reason,
    isMissing,
  });
  try {
    await using file = await openPlainFile(path);
    if (file === undefined) return refused(`${path} is not a plain file`);
    if ((await file.stat()).size > COMPARISON_BYTES_MAX)
      return refused(`${path} is larger than ${COMPARISON_BYTES_MAX} bytes`);
    return { kind: 'here', document: comparisonFromJson(await file.readFile('utf8')) };
  } catch (error) {
    if (error instanceof DecodeError) return refused(error.message);
    const code = errorCode(error);
    if (code === undefined) throw error;
    const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
    return refused(isMissing ? `there is no ${path}` : errorMessage(error), isMissing);
  }
};

// Opens a file of a run or a sweep only if it is a plain file: the daemon reads paths that other processes report.

/** undefined for what is not a plain file: a folder, a pipe or a device. @throws the system's error */
export const openPlainFile = async (path: string): Promise<FileHandle | undefined> => {
  try {
    return await openInputFile(path, 'runFile');
  } catch (error) {
    if (error instanceof InputFileError) return undefined;
    throw error;
  }
};
