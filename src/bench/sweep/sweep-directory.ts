// The directory of a sweep: created, or reopened after the process that wrote it has ended. No other process may work
// in it, and interrupted stages are put aside, never overwritten and never counted.

import { join } from 'node:path';
import { errorCode, errorMessage } from '../../core/problem.ts';
import type { SweepDocument } from '../../core/sweep/sweep-document.ts';
import { writeFileAtomic } from '../../process/atomic-file.ts';
import { diskReason } from '../../process/disk-reason.ts';
import { readInputText } from '../../process/input-file.ts';
import { DecodeError } from '../../wire/decode-error.ts';
import { sweepDocumentFromJson, sweepDocumentToJson } from '../../wire/sweep-schema.ts';
import { cannotGoOn, lockFolder, openLockedFolder, putAside } from '../run/locked-folder.ts';

export interface SweepDirectory extends Disposable {
  /** Absolute. */
  readonly path: string;
  /** @throws the file system's error */
  write(document: SweepDocument): Promise<void>;
  /** @returns one sentence for each file that could not be written */
  writeText(text: string): Promise<readonly string[]>;
  /** For a sweep that never began: removes what was created here. */
  discard(): Promise<void>;
}

interface ResumedSweep {
  readonly directory: SweepDirectory;
  /** Contains the stages that need not run again. */
  readonly document: SweepDocument;
  /** Names of directories as they were put aside. */
  readonly putAside: readonly string[];
}

/** @throws BenchError `run-directory` unless it is new or empty. */
export const openSweepDirectory = async (path: string): Promise<SweepDirectory> => {
  const folder = await openLockedFolder(path, 'sweep');
  return directoryIn(path, folder, () => folder.discard([]));
};

/** @throws BenchError `run-directory` if there is no sweep, it is in progress, or it cannot be read. */
export const readSweep = async (path: string): Promise<SweepDocument> => {
  const file = join(path, SWEEP_FILE);
  try {
    return sweepDocumentFromJson(await readInputText(file, 'runFile'));
  } catch (error) {
    if (errorCode(error) === undefined && !(error instanceof DecodeError)) throw error;
    throw cannotGoOn(path, 'sweep', {
      why: errorCode(error) === 'ENOENT' ? 'it has no sweep.json' : errorMessage(error),
      advice: 'Give the directory that plimsoll sweep printed.',
      cause: error,
    });
  }
};

/** Reopens the directory. @throws BenchError `run-directory` */
export const resumeSweepDirectory = async (path: string, document: SweepDocument): Promise<ResumedSweep> => {
  const lock = lockFolder(path, 'sweep');
  try {
    const stages = document.stages.filter(
      ({ state, verdict }) => state === 'ended' && verdict !== 'stopped' && verdict !== 'broken',
    );
    const kept = new Set(stages.map(stage => stage.directory));
    const aside = await putAside(path, 'sweep', name => STAGE_DIRECTORY.test(name) && !kept.has(name));
    const { endedEarly: _old, stopped: _why, ...rest } = document;
    return {
      directory: directoryIn(path, lock, async () => undefined),
      document: { ...rest, state: 'running', stages },
      putAside: aside,
    };
  } catch (error) {
    lock[Symbol.dispose]();
    throw error;
  }
};

const directoryIn = (path: string, lock: Disposable, discard: () => Promise<void>): SweepDirectory => ({
  path,
  write: document => writeFileAtomic(join(path, SWEEP_FILE), sweepDocumentToJson(document)),
  discard,
  writeText: async text => {
    try {
      await writeFileAtomic(join(path, TEXT_FILE), text);
      return [];
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
      return [`${TEXT_FILE} could not be written: ${diskReason(error)}`];
    }
  },
  [Symbol.dispose]: () => lock[Symbol.dispose](),
});

const SWEEP_FILE = 'sweep.json';
const TEXT_FILE = 'sweep.txt';
const STAGE_DIRECTORY = /^stage-\d{2,3}$/;
