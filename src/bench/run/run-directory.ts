// The folder of one run: everything needed to understand it later, and nothing secret.

import { randomBytes } from 'node:crypto';
import { readdir, rmdir, unlink, writeFile } from 'node:fs/promises';
import type { Report, RunConfig } from '../../core/run/report.ts';
import { type RunFiles, runFiles } from '../../metrics/run-files.ts';
import { makeMissingFolder, writeFileAtomic } from '../../process/atomic-file.ts';
import { diskReason } from '../../process/disk-reason.ts';
import { reportToJson, runConfigToJson } from '../../wire/stored-json.ts';
import { BenchError } from '../bench-error.ts';
import { openSamplesFile, type SamplesFile } from './samples-file.ts';

export interface RunDirectory {
  readonly path: string;
  readonly files: RunFiles;
  /** @throws BenchError `run-directory` when it cannot be written. */
  openSamples(): Promise<SamplesFile>;
  /** @throws BenchError `run-directory` when it cannot be written. */
  openAnswers(): Promise<SamplesFile>;
  /** @throws BenchError `run-directory` when it cannot be written. */
  writeConfig(config: RunConfig): Promise<void>;
  /**
   * Writes each file separately, in the space that was reserved for it. @returns one sentence for each file that
   * could not be written
   */
  writeReport(report: Report, text: string): Promise<readonly string[]>;
  /** For a run that never began: removes what was created here. */
  discard(): Promise<void>;
}

/**
 * A new folder, or an empty one.
 * @throws BenchError `run-directory` for anything else.
 */
export const openRunDirectory = async (path: string): Promise<RunDirectory> => {
  const isNew = await makeEmptyFolder(path);
  const files = runFiles(path);
  return {
    path,
    files,
    openSamples: () => opened(files.samples, path),
    openAnswers: () => opened(files.answers, path, ANSWERS_FILE_BYTES_MAX),
    writeConfig: async config => {
      try {
        await writeFileAtomic(files.config, runConfigToJson(config));
        // If the samples fill the disk there must still be room for the report. A run works without this reserve,
        // too.
        await writeFile(files.reserve, randomBytes(RESERVE_BYTES), { mode: 0o600, flag: 'wx' }).catch(
          () => undefined,
        );
      } catch (error) {
        throw cannotWrite(path, error);
      }
    },
    writeReport: async (report, text) => {
      const problems: string[] = [];
      await unlink(files.reserve).catch(() => undefined);
      for (const [file, content] of [
        [files.report, reportToJson(report)],
        [files.reportText, text],
      ] as const) {
        try {
          await writeFileAtomic(file, content);
        } catch (error) {
          problems.push(`${file} could not be written: ${diskReason(error)}`);
        }
      }
      return problems;
    },
    discard: async () => {
      // The folder was empty: these are ours.
      for (const file of Object.values(files)) await unlink(file).catch(() => undefined);
      if (isNew) await rmdir(path).catch(() => undefined);
    },
  };
};

const opened = async (file: string, directory: string, bytesMax?: number): Promise<SamplesFile> => {
  try {
    return await openSamplesFile(file, bytesMax);
  } catch (error) {
    throw cannotWrite(directory, error);
  }
};

/**
 * True when it was created here, false when it existed and is empty.
 * @throws BenchError `run-directory` for anything else.
 */
export const makeEmptyFolder = async (path: string): Promise<boolean> => {
  try {
    if (await makeMissingFolder(path)) return true;
    const names = await readdir(path);
    if (names.length === 0) return false;
    throw new BenchError({
      code: 'run-directory',
      problem: `the run directory ${path} is not empty`,
      advice: 'Choose a new one with --out DIR; plimsoll report DIR shows what is in an old one.',
    });
  } catch (error) {
    if (error instanceof BenchError) throw error;
    throw cannotWrite(path, error);
  }
};

/**
 * report.json and report.txt of a run with every series take 56 KB, and a little more with many objectives. Created
 * at the start, removed before they are written; random data, because some file systems do not store zeros.
 */
const RESERVE_BYTES = 98_304;

/** Enough for a billion tokens of answers, while the disk has room for the rest of the run. */
const ANSWERS_FILE_BYTES_MAX: number = 4_294_967_296;

const cannotWrite = (path: string, cause: unknown): BenchError =>
  new BenchError(
    {
      code: 'run-directory',
      problem: `the run directory ${path} cannot be written: ${diskReason(cause)}`,
      advice: 'Choose a folder that you can write to, with space for the run: --out DIR',
    },
    { cause },
  );
