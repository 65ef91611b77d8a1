// The directory of a sweep that is resumed: the stages that ended stay, and run no second time.

import type { SweepDocument } from '../../core/sweep/sweep-document.ts';
import { readStored, SWEEP_FILE } from '../../metrics/stored-file.ts';
import {
  cannotGoOn,
  type DocumentFolder,
  reopenDocumentFolder,
  SWEEP_FOLDER,
} from '../run/document-folder.ts';

interface ResumedSweep {
  readonly directory: DocumentFolder<SweepDocument>;
  /** Contains the stages that need not run again. */
  readonly document: SweepDocument;
  /** Names of directories as they were put aside. */
  readonly putAside: readonly string[];
}

/** @throws BenchError `run-directory` if there is no sweep, or it cannot be read. */
export const readSweep = async (path: string): Promise<SweepDocument> => {
  const read = await readStored(path, SWEEP_FILE);
  if (read.kind === 'here') return read.document;
  throw cannotGoOn(path, SWEEP_FOLDER, {
    why: read.isMissing ? 'it has no sweep.json' : read.reason,
    advice: 'Give the directory that plimsoll sweep printed.',
  });
};

/** Reopens the directory. @throws BenchError `run-directory` */
export const resumeSweepDirectory = async (path: string, document: SweepDocument): Promise<ResumedSweep> => {
  const stages = document.stages.filter(
    ({ state, verdict }) => state === 'ended' && verdict !== 'stopped' && verdict !== 'broken',
  );
  const kept = stages.map(stage => stage.directory);
  const { folder, putAside } = await reopenDocumentFolder(SWEEP_FOLDER, path, async () => kept);
  const { endedEarly: _old, stopped: _why, ...rest } = document;
  return { directory: folder, document: { ...rest, state: 'running', stages }, putAside };
};
