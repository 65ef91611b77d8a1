// The directory of a document that consists of runs: created, or reopened after the process that wrote it has ended. Its
// file is rewritten while it is in progress, and its text written at its end. No other process may work in it, and
// interrupted parts are put aside, never overwritten and never counted. A kind is one row.

import { readdir, rename, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { ComparisonDocument } from '../../core/comparison/comparison-document.ts';
import { errorCode, errorMessage } from '../../core/problem.ts';
import type { LineDocument, SweepDocument } from '../../core/sweep/sweep-document.ts';
import { jsonLines } from '../../core/text/single-line.ts';
import { writeFileAtomic } from '../../process/atomic-file.ts';
import { diskReason } from '../../process/disk-reason.ts';
import { isDiskFull, lockFile } from '../../process/file-lock.ts';
import { comparisonText } from '../../render/comparison/comparison-text.ts';
import type { PlainForm, PlainReport } from '../../render/document/plain-kind.ts';
import { plainText } from '../../render/document/plain-text.ts';
import { FILE_COLUMNS, sweepText } from '../../render/sweep/sweep-text.ts';
import { comparisonToJson, sweepDocumentToJson } from '../../wire/stored-json.ts';
import { BenchError } from '../bench-error.ts';
import { makeEmptyFolder } from './run-directory.ts';

/** The row of a kind. */
export interface FolderKind<D> {
  /** For people, and in the names of its files: "comparison". */
  readonly one: string;
  /** "compare" */
  readonly command: string;
  readonly json: (document: D) => string;
  readonly lines: (document: D) => readonly string[];
  /** Folders of its runs. */
  readonly part: RegExp;
  /** What else it may have written before its first run. */
  readonly logs: readonly string[];
}

export const SWEEP_FOLDER: FolderKind<SweepDocument> = {
  one: 'sweep',
  command: 'sweep',
  json: sweepDocumentToJson,
  lines: document => sweepText(document, ON_FILE),
  part: /^stage-\d{2,3}$/,
  logs: [],
};

/** It writes its files itself, because a search goes on if one cannot be written. */
export const LINE_FOLDER: FolderKind<LineDocument> = {
  one: 'line',
  command: 'line',
  json: sweepDocumentToJson,
  lines: document => sweepText(document, ON_FILE),
  part: SWEEP_FOLDER.part,
  logs: [],
};

export const COMPARISON_FOLDER: FolderKind<ComparisonDocument> = {
  one: 'comparison',
  command: 'compare',
  json: comparisonToJson,
  lines: document => comparisonText(document, ON_FILE),
  // Of a pair, with its repeated segments, and of a warm-up.
  part: /^(pair-\d{2,3}-[ab](-again-\d)?|warm-up-\d{2,4}-[ab])$/,
  logs: ['server-a.log', 'server-b.log'],
};

/** Of plain documents of a form. */
export const plainFolder = ({
  form,
  command,
}: Pick<PlainForm, 'form' | 'command'>): FolderKind<PlainReport> => ({
  one: form,
  command,
  json: ({ document }) => jsonLines(document),
  lines: report => plainText(report, ON_FILE),
  part: NO_PARTS,
  logs: [],
});

const NO_PARTS = /^$/;

/** What a directory may contain: files, folders of runs with those that were put aside; and the lock of the process that works in it. */
export const folderContent = (
  ...kinds: readonly [FolderContent, ...FolderContent[]]
): { readonly files: readonly string[]; readonly locks: readonly string[]; readonly part: RegExp } => ({
  files: kinds.flatMap(({ one, logs }) => [`${one}.json`, `${one}.txt`, lockName({ one }), ...logs]),
  locks: kinds.map(lockName),
  part: new RegExp(kinds[0].part.source.replace(/\$$/, '(\\.cut-off-\\d{1,3})?$')),
});
type FolderContent = Pick<FolderKind<never>, 'one' | 'logs' | 'part'>;

const ON_FILE = { isUnicode: true, columns: FILE_COLUMNS } as const;

export interface DocumentFolder<D> extends Disposable {
  /** Absolute. */
  readonly path: string;
  /** @throws the file system's error */
  write(document: D): Promise<void>;
  /** @returns one sentence for each file that could not be written */
  writeText(document: D): Promise<readonly string[]>;
  /** For work that never began: removes what was created here. */
  discard(): Promise<void>;
}

/** @throws BenchError `run-directory` unless it is new or empty. */
export const openDocumentFolder = async <D>(
  kind: FolderKind<D>,
  path: string,
): Promise<DocumentFolder<D>> => {
  const isNew = await makeEmptyFolder(path);
  const remove = async (files: readonly string[] = []): Promise<void> => {
    for (const name of [...files, lockName(kind)]) await unlink(join(path, name)).catch(unlessOurs);
    if (isNew) await rmdir(path).catch(unlessOurs);
  };
  try {
    const lock = lockFolder(path, kind);
    return folderIn(kind, path, lock, async () => {
      lock[Symbol.dispose]();
      await remove([`${kind.one}.json`, ...kind.logs]);
    });
  } catch (error) {
    // A lock that another process holds is not ours to remove.
    if (isNew) await remove();
    throw error;
  }
};

interface Reopened<D> {
  readonly folder: DocumentFolder<D>;
  /** Names of folders as they were put aside. */
  readonly putAside: readonly string[];
}

/** @param kept the folders of runs that count. @throws BenchError `run-directory` while another process works in it */
export const reopenDocumentFolder = async <D>(
  kind: FolderKind<D>,
  path: string,
  kept: () => Promise<readonly string[]>,
): Promise<Reopened<D>> => {
  const lock = lockFolder(path, kind);
  try {
    const names = await kept();
    const putAside = await putPartsAside(path, kind, names);
    return { folder: folderIn(kind, path, lock, async () => undefined), putAside };
  } catch (error) {
    lock[Symbol.dispose]();
    throw error;
  }
};

/** Writes the file of a document, also into a folder that is not open. @throws the file system's error */
export const writeDocument = <D>({ one, json }: FolderKind<D>, path: string, document: D): Promise<void> =>
  writeFileAtomic(join(path, `${one}.json`), json(document));

/** @returns one sentence for each file that could not be written */
export const writeDocumentText = async <D>(
  { one, lines }: FolderKind<D>,
  path: string,
  document: D,
): Promise<readonly string[]> => {
  const file = join(path, `${one}.txt`);
  try {
    await writeFileAtomic(file, `${lines(document).join('\n')}\n`);
    return [];
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return [`${file} could not be written: ${diskReason(error)}`];
  }
};

const folderIn = <D>(
  kind: FolderKind<D>,
  path: string,
  lock: Disposable,
  discard: () => Promise<void>,
): DocumentFolder<D> => ({
  path,
  write: document => writeDocument(kind, path, document),
  writeText: document => writeDocumentText(kind, path, document),
  discard,
  [Symbol.dispose]: () => lock[Symbol.dispose](),
});

/** Locks an existing folder. @throws BenchError `run-directory` while another process works in it. */
const lockFolder = (path: string, work: FolderNames): Disposable => {
  const lock = lockIn(path, work);
  if (lock === undefined)
    throw cannotGoOn(path, work, {
      why: `another plimsoll ${work.command} is at work in it`,
      advice: 'Wait for it, or stop it.',
    });
  let isHeld = true;
  return {
    [Symbol.dispose]: () => {
      if (isHeld) lock[Symbol.dispose]();
      isHeld = false;
    },
  };
};

/** Moves folders of parts that do not count. @returns their new names. @throws BenchError `run-directory` */
const putPartsAside = async (
  path: string,
  kind: FolderNames & Pick<FolderKind<never>, 'part'>,
  kept: readonly string[],
): Promise<readonly string[]> => {
  const aside: string[] = [];
  try {
    const names = await readdir(path);
    for (const name of names.filter(name => kind.part.test(name) && !kept.includes(name)).sort()) {
      const put = asideName(name, names);
      await rename(join(path, name), join(path, put));
      names.push(put);
      aside.push(put);
    }
    return aside;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    throw cannotGoOn(path, kind, {
      why: errorMessage(error),
      advice: 'Is it yours, and on a disk that can be written?',
      cause: error,
    });
  }
};

/** The error of one that cannot be resumed. */
export const cannotGoOn = (
  path: string,
  work: FolderNames,
  { why, advice, cause }: { readonly why: string; readonly advice: string; readonly cause?: unknown },
): BenchError =>
  new BenchError(
    { code: 'run-directory', problem: `the ${work.one} in ${path} cannot be resumed: ${why}`, advice },
    { cause },
  );

const lockIn = (path: string, work: FolderNames): Disposable | undefined => {
  try {
    return lockFile(join(path, lockName(work)));
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    throw cannotGoOn(path, work, {
      why: isDiskFull(error) ? 'no space left on the disk' : diskReason(error),
      advice: 'Make room there, or choose a folder that you can write to with --out DIR',
      cause: error,
    });
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

const lockName = (work: Pick<FolderNames, 'one'>): string => `${work.one}.lock`;
type FolderNames = Pick<FolderKind<never>, 'one' | 'command'>;
