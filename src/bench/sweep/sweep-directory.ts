// The directory of a sweep: made, or taken up again after whatever ended the process that wrote it. Nobody else may be at work
// in it, and what a cut-off stage left is put aside, never written over and never counted.

import { readdir, readFile, rename, rmdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, errorMessage } from '../../core/problem.ts';
import type { SweepDocument } from '../../core/sweep/sweep-document.ts';
import { writeFileAtomic } from '../../process/atomic-file.ts';
import { diskReason } from '../../process/disk-reason.ts';
import { isDiskFull, lockFile } from '../../process/file-lock.ts';
import { DecodeError } from '../../wire/decode-error.ts';
import { SWEEP_BYTES_MAX, sweepDocumentFromJson, sweepDocumentToJson } from '../../wire/sweep-schema.ts';
import { BenchError } from '../bench-error.ts';
import { makeEmptyFolder } from '../run/run-directory.ts';

export interface SweepDirectory extends Disposable {
  /** Absolute. */
  readonly path: string;
  /** @throws what the disk says. */
  write(document: SweepDocument): Promise<void>;
  /** What could not be written is told, one sentence each. */
  writeText(text: string): Promise<readonly string[]>;
  /** Of a sweep that never began: removes what was made here. */
  discard(): Promise<void>;
}

export interface ResumedSweep {
  readonly directory: SweepDirectory;
  /** With the stages that need not run again. */
  readonly document: SweepDocument;
  /** Names of directories as they were put aside. */
  readonly putAside: readonly string[];
}

/** @throws BenchError `run-directory` unless it is new or empty. */
export const openSweepDirectory = async (path: string): Promise<SweepDirectory> => {
  const isNew = await makeEmptyFolder(path);
  const remove = async (): Promise<void> => {
    await unlink(join(path, LOCK_FILE)).catch(unlessOurs);
    if (isNew) await rmdir(path).catch(unlessOurs);
  };
  try {
    const directory = locked(path);
    return {
      ...directory,
      [Symbol.dispose]: directory[Symbol.dispose],
      discard: async () => {
        directory[Symbol.dispose]();
        await remove();
      },
    };
  } catch (error) {
    // A lock that another sweep holds is not ours to remove.
    if (isNew) await remove();
    throw error;
  }
};

/** @throws BenchError `run-directory` where there is no sweep, it is at work, or it cannot be read. */
export const readSweep = async (path: string): Promise<SweepDocument> => {
  const file = join(path, SWEEP_FILE);
  try {
    const { size } = await stat(file);
    if (size > SWEEP_BYTES_MAX) throw new DecodeError(`it is larger than ${SWEEP_BYTES_MAX} bytes`);
    return sweepDocumentFromJson(await readFile(file, 'utf8'));
  } catch (error) {
    if (errorCode(error) === undefined && !(error instanceof DecodeError)) throw error;
    throw refusal(
      path,
      errorCode(error) === 'ENOENT' ? 'it has no sweep.json' : errorMessage(error),
      'Give the directory that plimsoll sweep printed.',
      error,
    );
  }
};

/** Takes the directory up again. @throws BenchError `run-directory` */
export const resumeSweepDirectory = async (path: string, document: SweepDocument): Promise<ResumedSweep> => {
  const directory = locked(path);
  try {
    const stages = document.stages.filter(
      ({ state, verdict }) => state === 'ended' && verdict !== 'stopped' && verdict !== 'broken',
    );
    const kept = new Set(stages.map(stage => stage.directory));
    const putAside: string[] = [];
    const names = await readdir(path);
    for (const name of names.filter(each => STAGE_DIRECTORY.test(each) && !kept.has(each)).sort()) {
      const aside = asideName(name, names);
      await rename(join(path, name), join(path, aside));
      names.push(aside);
      putAside.push(aside);
    }
    const { endedEarly: _old, ...rest } = document;
    return { directory, document: { ...rest, state: 'running', stages }, putAside };
  } catch (error) {
    directory[Symbol.dispose]();
    if (errorCode(error) === undefined) throw error;
    throw refusal(path, errorMessage(error), 'Is it yours, and on a disk that can be written?', error);
  }
};

const locked = (path: string): SweepDirectory => {
  const lock = lockIn(path);
  if (lock === undefined) {
    throw refusal(path, 'another plimsoll sweep is at work in it', 'Wait for it, or stop it.', undefined);
  }
  let isHeld = true;
  return {
    path,
    write: document => writeFileAtomic(join(path, SWEEP_FILE), sweepDocumentToJson(document)),
    discard: async () => undefined,
    writeText: async text => {
      try {
        await writeFileAtomic(join(path, TEXT_FILE), text);
        return [];
      } catch (error) {
        if (errorCode(error) === undefined) throw error;
        return [`${TEXT_FILE} could not be written: ${diskReason(error)}`];
      }
    },
    [Symbol.dispose]: () => {
      if (isHeld) lock[Symbol.dispose]();
      isHeld = false;
    },
  };
};

const lockIn = (path: string): Disposable | undefined => {
  try {
    return lockFile(join(path, LOCK_FILE));
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    const reason = isDiskFull(error) ? 'no space left on the disk' : diskReason(error);
    throw refusal(
      path,
      reason,
      'Make room there, or choose a folder that you can write to with --out DIR',
      error,
    );
  }
};

const unlessOurs = (error: unknown): void => {
  if (errorCode(error) === undefined) throw error;
};

const asideName = (name: string, taken: readonly string[]): string => {
  let at = 1;
  while (taken.includes(`${name}.cut-off-${at}`)) at += 1;
  return `${name}.cut-off-${at}`;
};

const refusal = (path: string, why: string, advice: string, cause: unknown): BenchError =>
  new BenchError(
    { code: 'run-directory', problem: `the sweep in ${path} cannot go on: ${why}`, advice },
    { cause },
  );

const SWEEP_FILE = 'sweep.json';
const TEXT_FILE = 'sweep.txt';
const LOCK_FILE = 'sweep.lock';
const STAGE_DIRECTORY = /^stage-\d{2,3}$/;
