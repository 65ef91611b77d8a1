// Stores a comparison with the result of its gate: in its own directory, or for finished runs in a new one in the home, so that
// `plimsoll report` and the dashboard find it again.

import { join } from 'node:path';
import { COMPARISON_FOLDER, writeDocument, writeDocumentText } from '../../bench/run/document-folder.ts';
import { openRunDirectory } from '../../bench/run/run-directory.ts';
import { openHome } from '../../config/home.ts';
import type { ComparisonDocument } from '../../core/comparison/comparison-document.ts';
import { errorCode, ProblemError } from '../../core/problem.ts';
import { diskReason } from '../../process/disk-reason.ts';
import { linkInHome } from '../runs/found-runs.ts';

/** @returns what could not be written, one sentence each. */
export const writeGated = async (
  directory: string,
  document: ComparisonDocument,
): Promise<readonly string[]> => {
  try {
    await writeDocument(COMPARISON_FOLDER, directory, document);
    return [];
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return [`the comparison could not be stored in ${directory}: ${diskReason(error)}`];
  }
};

export const keepEnded = async (
  document: ComparisonDocument,
  /** `out`: absolute; undefined: in the home. */
  { home, out }: { readonly home: string; readonly out: string | undefined },
): Promise<{ readonly directory: string | undefined; readonly problems: readonly string[] }> => {
  const directory = out ?? join(home, 'runs', document.id);
  try {
    if (out === undefined) await openHome(home);
    await openRunDirectory(directory);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return { directory: undefined, problems: [`the comparison is not stored: ${error.problem.problem}`] };
  }
  const unlisted = out === undefined ? undefined : await linkInHome(home, document.id, directory);
  const problems = [
    ...(unlisted === undefined ? [] : [`plimsoll runs cannot list this comparison: ${unlisted}`]),
    ...(await writeGated(directory, document)),
    ...(await writeDocumentText(COMPARISON_FOLDER, directory, document)),
  ];
  return { directory, problems };
};
