// The directory of a sweep or a search that is resumed: the stages that ended stay, and run no second time.

import type { LineDocument, SweepDocument } from '../../core/sweep/sweep-document.ts';
import { LINE_FILE, readStored, type StoredFiles, SWEEP_FILE } from '../../metrics/stored-file.ts';
import {
  cannotGoOn,
  type DocumentFolder,
  type FolderKind,
  LINE_FOLDER,
  reopenDocumentFolder,
  SWEEP_FOLDER,
} from '../run/document-folder.ts';

interface ResumedStages<D> {
  readonly directory: DocumentFolder<D>;
  /** Contains the stages that need not run again. */
  readonly document: D;
  /** Names of directories as they were put aside. */
  readonly putAside: readonly string[];
}

/** @throws BenchError `run-directory` if there is no sweep, or it cannot be read. */
export const readSweep = (path: string): Promise<SweepDocument> =>
  stagesDocument(path, SWEEP_FOLDER, SWEEP_FILE);

/** @throws BenchError `run-directory` if there is no search, it cannot be read, or it is complete. */
export const readLine = async (path: string): Promise<LineDocument> => {
  const document = await stagesDocument(path, LINE_FOLDER, LINE_FILE);
  if (document.state !== 'complete') return document;
  throw cannotGoOn(path, LINE_FOLDER, {
    why: `it is complete: ${document.sentence}`,
    advice: 'plimsoll report DIR shows it. For more time start a new search with --budget D.',
  });
};

const stagesDocument = async <D>(path: string, kind: FolderKind<D>, files: StoredFiles<D>): Promise<D> => {
  const read = await readStored(path, files);
  if (read.kind === 'here') return read.document;
  throw cannotGoOn(path, kind, {
    why: read.isMissing ? `it has no ${kind.one}.json` : read.reason,
    advice: `Give the directory that plimsoll ${kind.command} printed.`,
  });
};

/** Reopens the directory. @throws BenchError `run-directory` */
export const resumeSweepDirectory = async (
  path: string,
  document: SweepDocument,
): Promise<ResumedStages<SweepDocument>> => {
  const stages = document.stages.filter(
    ({ state, verdict }) => state === 'ended' && verdict !== 'stopped' && verdict !== 'broken',
  );
  const { endedEarly: _old, stopped: _why, ...rest } = document;
  return await resumed(SWEEP_FOLDER, path, { ...rest, state: 'running', stages });
};

/** Reopens the directory. @throws BenchError `run-directory` */
export const resumeLineDirectory = async (
  path: string,
  document: LineDocument,
): Promise<ResumedStages<LineDocument>> => {
  const { stopped: _why, progress: _old, ...rest } = document;
  return await resumed(LINE_FOLDER, path, { ...rest, state: 'running', stages: finishedStages(document) });
};

/**
 * Up to the first that did not end by itself, because each load follows from all stages before it; without those at the
 * end at which the endpoint was gone, or which ended the search.
 */
const finishedStages = ({ stages, stopped }: LineDocument): LineDocument['stages'] => {
  const cut = stages.findIndex(({ evidence, verdict }) => evidence === undefined || verdict === 'stopped');
  const ended = cut === -1 ? stages : stages.slice(0, cut);
  const last = ended.findLastIndex(
    ({ verdict }, index) => verdict !== 'broken' && (stopped === undefined || index < stages.length - 1),
  );
  return ended.slice(0, last + 1);
};

const resumed = async <D extends SweepDocument | LineDocument>(
  kind: FolderKind<D>,
  path: string,
  document: D,
): Promise<ResumedStages<D>> => {
  const kept = document.stages.map(stage => stage.directory);
  const { folder, putAside } = await reopenDocumentFolder(kind, path, async () => kept);
  return { directory: folder, document, putAside };
};
