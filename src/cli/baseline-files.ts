// The baselines of a home: one file each, named for the baseline and nothing else.

import { readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { BASELINE_NAME, type BaselineDocument } from '../core/comparison/baseline.ts';
import { errorCode } from '../core/problem.ts';
import { readStoredFile } from '../metrics/stored-file.ts';
import { createFileAtomic, makeMissingFolder, writeFileAtomic } from '../process/atomic-file.ts';
import { diskReason } from '../process/disk-reason.ts';
import { BASELINE_BYTES_MAX, baselineFromJson, baselineToJson } from '../wire/stored-json.ts';
import { CommandError } from './command-error.ts';

/** @throws CommandError for a name that no baseline may have. */
export const checkedBaselineName = (name: string): string => {
  if (BASELINE_NAME.test(name)) return name;
  throw new CommandError(
    'usage',
    `${JSON.stringify(name.slice(0, 80))} is not a valid name for a baseline`,
    'Use up to 64 of a to z, 0 to 9 and "-": main-h200',
  );
};

/** Sorted by name. */
export const baselineNames = async (home: string): Promise<readonly string[]> => {
  const names = await readdir(folderOf(home)).catch((error: unknown) => {
    if (errorCode(error) === undefined) throw error;
    return [];
  });
  return names
    .filter(name => name.endsWith(ENDING) && BASELINE_NAME.test(name.slice(0, -ENDING.length)))
    .map(name => name.slice(0, -ENDING.length))
    .sort()
    .slice(0, BASELINES_MAX);
};

/** @throws CommandError where there is none that can be read. */
export const readBaseline = async (home: string, name: string): Promise<BaselineDocument> => {
  const path = pathOf(home, checkedBaselineName(name));
  const read = await readStoredFile(path, { bytesMax: BASELINE_BYTES_MAX, decode: baselineFromJson });
  if (read.kind === 'here' && read.document.name === name) return read.document;
  const isMissing = read.kind === 'refused' && read.isMissing;
  const reason = read.kind === 'refused' ? read.reason : `it contains the name ${read.document.name}`;
  throw new CommandError(
    'benchInput',
    isMissing
      ? `there is no baseline ${name} in this home`
      : `the baseline ${name} cannot be used: ${reason}`,
    isMissing ? 'See which there are: plimsoll baseline list' : 'Save it again: plimsoll baseline save',
  );
};

/** @throws CommandError where there is one already, unless it is to be replaced. */
export const writeBaseline = async (
  home: string,
  baseline: BaselineDocument,
  { mayReplace }: { readonly mayReplace: boolean },
): Promise<string> => {
  const path = pathOf(home, baseline.name);
  try {
    await makeMissingFolder(folderOf(home));
    const json = baselineToJson(baseline);
    if (mayReplace) await writeFileAtomic(path, json);
    else if (!(await createFileAtomic(path, json)))
      throw new CommandError(
        'benchInput',
        `there is a baseline ${baseline.name} already`,
        'Choose another name, or add --replace.',
      );
    return path;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    throw new CommandError(
      'failure',
      `${path} cannot be written: ${diskReason(error)}`,
      'Is the home yours, and its disk not full?',
      { cause: error },
    );
  }
};

/** @throws CommandError where there is none. */
export const removeBaseline = async (home: string, name: string): Promise<void> => {
  try {
    await unlink(pathOf(home, checkedBaselineName(name)));
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    throw new CommandError(
      'benchInput',
      errorCode(error) === 'ENOENT'
        ? `there is no baseline ${name} in this home`
        : `the baseline ${name} cannot be removed: ${diskReason(error)}`,
      'See which there are: plimsoll baseline list',
      { cause: error },
    );
  }
};

const folderOf = (home: string): string => join(home, 'baselines');
const pathOf = (home: string, name: string): string => join(folderOf(home), `${name}${ENDING}`);

const ENDING = '.json';
const BASELINES_MAX = 1_000;
