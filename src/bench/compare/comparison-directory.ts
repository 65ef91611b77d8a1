// The directory of a comparison: comparison.json anew after each pair, comparison.txt at its end, and a folder for each segment.

import { join } from 'node:path';
import type { ComparisonDocument } from '../../core/comparison/comparison-document.ts';
import { comparisonText } from '../../core/comparison/comparison-text.ts';
import { errorCode } from '../../core/problem.ts';
import { FILE_COLUMNS } from '../../core/sweep/sweep-text.ts';
import { writeFileAtomic } from '../../process/atomic-file.ts';
import { diskReason } from '../../process/disk-reason.ts';
import { comparisonToJson } from '../../wire/comparison-schema.ts';

/** @throws what the disk says. */
export const writeComparison = (directory: string, document: ComparisonDocument): Promise<void> =>
  writeFileAtomic(join(directory, 'comparison.json'), comparisonToJson(document));

/** @returns what could not be written, one sentence each. */
export const writeComparisonText = async (
  directory: string,
  document: ComparisonDocument,
): Promise<readonly string[]> => {
  const file = join(directory, 'comparison.txt');
  try {
    const lines = comparisonText(document, { isUnicode: true, columns: FILE_COLUMNS });
    await writeFileAtomic(file, `${lines.join('\n')}\n`);
    return [];
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return [`${file} could not be written: ${diskReason(error)}`];
  }
};
