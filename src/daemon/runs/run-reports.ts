// Reports on disk: those of <home>/runs, and those in folders that a run reported. Bounded in number and size; a file that is
// not a report is skipped.

import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../core/problem.ts';
import type { Report } from '../../core/run/report.ts';
import { RunDirectoryError, rebuildReport } from '../../metrics/report-sources.ts';
import { runFiles } from '../../metrics/run-files.ts';
import { REPORT_FILES, readStored } from '../../metrics/stored-file.ts';
import { DecodeError } from '../../wire/decode-error.ts';

/** Run directories of the home that are looked at, the newest. */
const RUN_FOLDERS_MAX = 256;

interface RunFolder {
  readonly path: string;
  /** When it changed last, on the file system's clock, ms. */
  readonly atMs: number;
}

export const runsFolder = (home: string): string => join(home, 'runs');

/** Newest folders first; none where there is no such folder. */
export const runFolders = async (home: string): Promise<readonly RunFolder[]> => {
  const folder = runsFolder(home);
  const names = await readdir(folder).catch(ignoreSystemError([]));
  const folders: RunFolder[] = [];
  for (const name of names.sort().slice(-RUN_NAMES_MAX)) {
    const path = join(folder, name);
    const found = await stat(path).catch(ignoreSystemError(undefined));
    if (found?.isDirectory() !== true) continue;
    // A run that is stored elsewhere is linked here, and known by its own directory.
    const isLink = (await lstat(path)).isSymbolicLink();
    folders.push({ path: isLink ? await realpath(path) : path, atMs: found.mtimeMs });
  }
  return folders.sort((a, b) => b.atMs - a.atMs).slice(0, RUN_FOLDERS_MAX);
};

/** Undefined where there is none that could be read. */
export const readReport = async (directory: string): Promise<Report | undefined> => {
  const read = await readStored(directory, REPORT_FILES);
  return read.kind === 'here' ? read.document : undefined;
};

/** Of a run that left none: made of what it wrote, where that is not too much. Nothing is written. */
export const rebuiltReport = async (directory: string): Promise<Report | undefined> => {
  try {
    const { size } = await stat(runFiles(directory).samples);
    return size > REBUILT_SAMPLES_BYTES_MAX ? undefined : await rebuildReport(directory);
  } catch (error) {
    if (error instanceof RunDirectoryError || error instanceof DecodeError || errorCode(error) !== undefined)
      return undefined;
    throw error;
  }
};

const ignoreSystemError =
  <T>(fallback: T) =>
  (error: unknown): T => {
    if (errorCode(error) === undefined) throw error;
    return fallback;
  };

/** Of a lost run whose samples are counted again: about a second of work. */
const REBUILT_SAMPLES_BYTES_MAX: number = 16 * 1024 * 1024;
/** Names are looked at in order; ids of runs begin with their time. */
const RUN_NAMES_MAX = 4_096;
