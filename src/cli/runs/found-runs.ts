// Stored documents of a home, newest first: runs, sweeps, load lines and comparisons. From their own files, so that one is
// found even if no daemon ever received it. One that is stored elsewhere (`--out`) has a link of its id in the home, and is
// listed while its directory exists. A kind is one row.

import { lstat, readdir, realpath, symlink } from 'node:fs/promises';
import { basename, join, resolve, sep } from 'node:path';
import {
  COMPARISON_FOLDER,
  folderContent,
  LINE_FOLDER,
  plainFolder,
  SWEEP_FOLDER,
} from '../../bench/run/document-folder.ts';
import { readLiveRuns } from '../../bench/run/live-run-file.ts';
import { HomeError, openHome } from '../../config/home.ts';
import type { ComparisonDocument } from '../../core/comparison/comparison-document.ts';
import { comparisonVerdictText, effectText } from '../../core/comparison/comparison-labels.ts';
import type { DocumentType } from '../../core/document/document-kinds.ts';
import type { PlainDocument } from '../../core/document/plain-document.ts';
import { counted } from '../../core/figure/figure.ts';
import { errorCode } from '../../core/problem.ts';
import { foreignLabel } from '../../core/run/foreign-run.ts';
import type { Report, RunConfig } from '../../core/run/report.ts';
import { stateOf } from '../../core/run/run-digest.ts';
import { loadLabel, type RunTags } from '../../core/run/run-shape.ts';
import { LINE_SCHEMA, type LineDocument, type SweepDocument } from '../../core/sweep/sweep-document.ts';
import { isKnown, isUnknown, knownOr } from '../../core/unknown.ts';
import { readReport, runsFolder } from '../../daemon/runs/run-reports.ts';
import { runFiles } from '../../metrics/run-files.ts';
import {
  COMPARISON_FILES,
  PLAIN_FILES,
  readStored,
  readStoredFile,
  SWEEP_FILES,
} from '../../metrics/stored-file.ts';
import { makeMissingFolder } from '../../process/atomic-file.ts';
import { diskReason } from '../../process/disk-reason.ts';
import { isFileLocked } from '../../process/file-lock.ts';
import { type ListedDocument, runResult } from '../../render/document/listed-document.ts';
import { PLAIN_FORMS } from '../../render/document/plain-kinds.ts';
import { heldText, lineFigure, loadUnit } from '../../render/sweep/line-text.ts';
import { picturedAfterwards } from '../../render/sweep/pictured-stage.ts';
import { runConfigFromJson } from '../../wire/stored-json.ts';

export const FOUND_STATES = ['running', 'complete', 'incomplete', 'interrupted', 'stopped'] as const;
export type FoundState = (typeof FOUND_STATES)[number];

/** What is listed of every kind; a text is '' if it is not known. */
interface Listed extends Omit<ListedDocument, 'names'> {
  readonly state: FoundState;
  readonly name: string;
  readonly tags: RunTags;
  /** Of a run that wrote a report. */
  readonly counts?: Report['counts'];
  /** Of a run of another tool: "AIPerf 0.13.0". */
  readonly foreign?: string;
}

export interface FoundRun extends Listed {
  readonly row: FoundKind;
  /** Absolute. */
  readonly directory: string;
  /** The link in the home to a directory elsewhere. */
  readonly link: string | undefined;
}

interface Liveness {
  /** A live run is in the directory. */
  readonly isRunning: boolean;
  /** One is in a folder of it, or a process has its lock: between two runs there is no live one. */
  readonly isInProgress: boolean;
}

/** The row of a kind. */
export interface FoundKind {
  /** Undefined where the directory has none that this version can read. */
  readonly read: (directory: string, liveness: Liveness) => Promise<Listed | undefined>;
  /** The file that makes a directory one of this kind, and all that it may have. */
  readonly heads: readonly string[];
  readonly files: readonly string[];
  /** A process that works in it has this lock. */
  readonly locks: readonly string[];
  /** Folders that are runs, also those that were cut off and put aside when the work was resumed. */
  readonly part: RegExp | undefined;
}

export const RUN_FOLDER: FoundKind = {
  heads: ['config.json'],
  files: Object.values(runFiles('')),
  locks: [],
  part: undefined,
  read: async (directory, { isRunning }) => {
    const config = await readRunConfig(directory);
    if (config === undefined) return undefined;
    const report = isRunning ? undefined : await readReport(directory);
    const { run } = config;
    return {
      kind: 'run',
      id: run.id,
      // Without a report it was cut off.
      state: isRunning ? 'running' : report === undefined ? 'interrupted' : whole(report),
      ...namesOf(run),
      target: run.target,
      load: loadLabel(run),
      result: report === undefined ? '' : runResult(report),
      ...(report === undefined ? {} : { counts: report.counts }),
      ...(run.foreign === undefined ? {} : { foreign: foreignLabel(run.foreign) }),
    };
  },
};

const SWEEP: FoundKind = {
  heads: SWEEP_FILES.map(({ name }) => name),
  ...folderContent(SWEEP_FOLDER, LINE_FOLDER),
  read: async (directory, { isInProgress }) => {
    const file = await readStored(directory, SWEEP_FILES);
    if (file.kind === 'refused') return undefined;
    const { document } = file;
    const isLine = document.schema === LINE_SCHEMA;
    return {
      kind: isLine ? 'line' : 'sweep',
      id: document.id,
      state: stateOfWhole(document, isInProgress),
      ...namesOf(document),
      target: document.target,
      load: `${isLine ? 'load line' : 'sweep'}, ${counted(document.stages.length, 'stage')}`,
      result: resultOfStages(document),
    };
  },
};

const COMPARISON: FoundKind = {
  heads: COMPARISON_FILES.map(({ name }) => name),
  ...folderContent(COMPARISON_FOLDER),
  read: async (directory, { isInProgress }) => {
    const file = await readStored(directory, COMPARISON_FILES);
    if (file.kind === 'refused') return undefined;
    const { document } = file;
    const { a, b, load } = document;
    return {
      kind: 'comparison',
      id: document.id,
      state: stateOfWhole(document, isInProgress),
      ...namesOf({ ...document, model: isKnown(b.model) ? b.model : a.model }),
      target: [...new Set([a, b].map(({ target }) => knownOr(target, '')))].join(' · '),
      load,
      result: resultOfPairs(document),
    };
  },
};

const PLAIN_FOLDERS = PLAIN_FORMS.map(form => folderContent(plainFolder(form)));
const PLAIN: FoundKind = {
  heads: PLAIN_FILES.map(({ name }) => name),
  files: PLAIN_FOLDERS.flatMap(({ files }) => files),
  locks: PLAIN_FOLDERS.flatMap(({ locks }) => locks),
  part: undefined,
  read: async (directory, { isInProgress }) => {
    const file = await readStored(directory, PLAIN_FILES);
    if (file.kind === 'refused') return undefined;
    const { form, document, target, load, result } = file.document;
    return {
      kind: form,
      id: document.id,
      state: stateOfWhole(document, isInProgress),
      startedAt: document.startedAt,
      name: knownOr(document.name, ''),
      tags: {},
      model: '',
      target,
      load,
      result,
    };
  },
};

const FOUND_KINDS: { readonly [T in DocumentType]: FoundKind } = {
  run: RUN_FOLDER,
  sweep: SWEEP,
  comparison: COMPARISON,
  document: PLAIN,
};
const KINDS: readonly FoundKind[] = Object.values(FOUND_KINDS);

interface FoundRunsOptions {
  readonly home: string;
  readonly isAlive: (pid: number) => boolean;
  /** Also each run of a folder that `plimsoll bench --repeat` made. Default: false. */
  readonly hasRepeats?: boolean;
  /** Default: all. */
  readonly kinds?: readonly FoundKind[];
}

/** Ids begin with their time: the last by name is the newest. */
export async function* foundRuns(options: FoundRunsOptions): AsyncGenerator<FoundRun> {
  const { home, isAlive, hasRepeats = false, kinds = KINDS } = options;
  const folder = runsFolder(home);
  const entries = await readdir(folder, { withFileTypes: true }).catch(unlessThrown([]));
  const running = await runningDirectories(home, isAlive);
  const newest = entries.sort((a, b) => (a.name < b.name ? 1 : -1)).slice(0, RUN_DIRECTORIES_MAX);
  for (const entry of newest) {
    const directory = join(folder, entry.name);
    const found = await foundRun(directory, running, kinds);
    // What is linked under another name than its own is something else by now.
    if (found !== undefined && (found.link !== undefined || !entry.isSymbolicLink())) yield found;
    else if (found !== undefined) continue;
    else if (hasRepeats)
      for (const repeat of (await repeatedRuns(directory)).toReversed()) {
        const run = await foundRun(repeat, running, kinds);
        if (run !== undefined) yield run;
      }
  }
}

/** The runs of `bench --repeat`, in their order; none where it is the directory of one run. */
export const repeatedRuns = async (directory: string): Promise<readonly string[]> =>
  (await readdir(directory).catch(unlessThrown([])))
    .filter(name => /^run-\d{2,3}$/.test(name))
    .sort()
    .map(name => join(directory, name));

export const runningDirectories = async (
  home: string,
  isAlive: (pid: number) => boolean,
): Promise<ReadonlySet<string>> => {
  const live = await readLiveRuns(home, isAlive);
  return new Set(await Promise.all(live.map(({ directory }) => realPath(directory))));
};

/** undefined for a directory of no kind. */
export const foundRun = async (
  directory: string,
  running: ReadonlySet<string>,
  kinds: readonly FoundKind[] = KINDS,
): Promise<FoundRun | undefined> => {
  const real = await realPath(directory);
  const hasRunningPart = [...running].some(path => path.startsWith(`${real}${sep}`));
  for (const row of kinds) {
    const listed = await row.read(directory, {
      isRunning: running.has(real),
      isInProgress: hasRunningPart || row.locks.some(name => isFileLocked(join(real, name))),
    });
    if (listed === undefined) continue;
    const isLink = listed.id === basename(directory) && (await lstat(directory)).isSymbolicLink();
    return { ...listed, row, directory: isLink ? real : directory, link: isLink ? directory : undefined };
  }
  return undefined;
};

/** As a person may give it: the id of one in the home, or a directory. @param prefers which of both, if both exist */
export const directoryOf = async (
  given: string,
  {
    home,
    cwd,
    prefers = 'directory',
  }: { readonly home: string; readonly cwd: string; readonly prefers?: 'id' | 'directory' },
): Promise<string> => {
  const path = resolve(cwd, given);
  if (basename(given) !== given || given === '.' || given === '..') return path;
  const inHome = join(runsFolder(home), given);
  if (prefers === 'id') return inHome;
  if ((await isThere(path)) || !(await isThere(inHome))) return path;
  return (await lstat(inHome)).isSymbolicLink() ? await realPath(inHome) : inHome;
};

/** Lists a directory outside of the home among its runs. @returns why it cannot be listed; undefined if it is */
export const linkInHome = async (
  home: string,
  id: string,
  directory: string,
): Promise<string | undefined> => {
  const folder = runsFolder(home);
  try {
    await openHome(home);
    if ((await realPath(directory)).startsWith(`${await realPath(folder)}${sep}`)) return undefined;
    await makeMissingFolder(folder);
    // On Windows a junction needs no rights, and an absolute path.
    await symlink(directory, join(folder, id), 'junction');
    return undefined;
  } catch (error) {
    if (error instanceof HomeError) return error.problem.problem;
    if (errorCode(error) === undefined) throw error;
    return diskReason(error);
  }
};

const isThere = (path: string): Promise<boolean> => lstat(path).then(() => true, unlessThrown(false));

/** However it was written down. */
const realPath = (path: string): Promise<string> => realpath(path).catch(unlessThrown(path));

/** For a system error. */
const unlessThrown =
  <T>(fallback: T) =>
  (error: unknown): T => {
    if (errorCode(error) === undefined) throw error;
    return fallback;
  };

/** undefined where there is none that this version can read. */
const readRunConfig = async (directory: string): Promise<RunConfig | undefined> => {
  const file = { bytesMax: CONFIG_BYTES_MAX, decode: runConfigFromJson };
  const read = await readStoredFile(runFiles(directory).config, file);
  return read.kind === 'here' ? read.document : undefined;
};

const namesOf = ({
  startedAt,
  name,
  tags,
  model,
}: Pick<RunConfig['run'], 'startedAt' | 'name' | 'tags' | 'model'>): Pick<
  Listed,
  'startedAt' | 'name' | 'tags' | 'model'
> => ({ startedAt, name: knownOr(name, ''), tags: isUnknown(tags) ? {} : tags, model: knownOr(model, '') });

const whole = (report: Report): FoundState => {
  const state = stateOf(report);
  return state === 'failed' || state === 'running' ? 'incomplete' : state;
};

/** Between two of its runs, its process still locks its directory. */
const stateOfWhole = (
  { state }: Pick<SweepDocument | LineDocument | ComparisonDocument | PlainDocument, 'state'>,
  isInProgress: boolean,
): FoundState => (state === 'running' && !isInProgress ? 'interrupted' : state);

const resultOfStages = (document: SweepDocument | LineDocument): string => {
  if (document.schema !== LINE_SCHEMA)
    return heldText(picturedAfterwards(document.stages), {
      by: document.requested[0]?.kind ?? 'rate',
      objectives: document.objectives,
    });
  const { line } = document;
  return line.kind === 'unknown' ? '' : `${lineFigure(line, false)} ${loadUnit(document)}`;
};

const resultOfPairs = ({ metrics, verdict, mode }: ComparisonDocument): string => {
  const primary = metrics.find(({ isPrimary }) => isPrimary);
  return primary === undefined || !isKnown(primary.ratio)
    ? comparisonVerdictText(verdict, mode === 'pairs' ? 'pairs' : 'runs')
    : `${verdict.kind}: ${effectText(primary)}`;
};

/** Of one home. */
const RUN_DIRECTORIES_MAX = 10_000;
const CONFIG_BYTES_MAX = 1_048_576;
