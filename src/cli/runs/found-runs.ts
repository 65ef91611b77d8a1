// The run directories of a home, and the directories of stages among them, newest first: from their own files, so a run is found
// even if no daemon ever received it.

import { readdir, realpath } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { readLiveRuns } from '../../bench/run/live-run-file.ts';
import { readStored, SWEEP_FILES } from '../../bench/run/stored-file.ts';
import { errorCode } from '../../core/problem.ts';
import type { Report, RunConfig } from '../../core/run/report.ts';
import { stateOf } from '../../core/run/run-digest.ts';
import type { LineDocument, SweepDocument } from '../../core/sweep/sweep-document.ts';
import { readReport, runsFolder } from '../../daemon/runs/run-reports.ts';
import { runFiles } from '../../metrics/run-files.ts';
import { readInputText } from '../../process/input-file.ts';
import { DecodeError } from '../../wire/decode-error.ts';
import { runConfigFromJson } from '../../wire/run-config.ts';

export type FoundRun =
  | {
      readonly kind: 'run';
      readonly id: string;
      /** Absolute. */
      readonly directory: string;
      readonly config: RunConfig;
      readonly state: FoundState;
      /** Of a run that wrote one. */
      readonly report: Report | undefined;
    }
  | {
      readonly kind: 'sweep';
      readonly id: string;
      readonly directory: string;
      readonly document: SweepDocument | LineDocument;
      readonly state: FoundState;
    };

export const FOUND_STATES = ['running', 'complete', 'incomplete', 'interrupted', 'stopped'] as const;
export type FoundState = (typeof FOUND_STATES)[number];

interface FoundRunsOptions {
  readonly home: string;
  readonly isAlive: (pid: number) => boolean;
  /** Also each run of a folder that `plimsoll bench --repeat` made. Default: false. */
  readonly hasRepeats?: boolean;
}

/** Ids begin with their time: the last by name is the newest. */
export async function* foundRuns(options: FoundRunsOptions): AsyncGenerator<FoundRun> {
  const { home, isAlive, hasRepeats = false } = options;
  const folder = runsFolder(home);
  const names = await readdir(folder).catch((error: unknown) => {
    if (errorCode(error) === undefined) throw error;
    return [];
  });
  const running = await runningDirectories(home, isAlive);
  for (const name of names.sort().reverse().slice(0, RUN_DIRECTORIES_MAX)) {
    const directory = join(folder, name);
    const found = await foundRun(directory, running);
    if (found !== undefined) yield found;
    else if (hasRepeats)
      for (const repeat of (await repeatedRuns(directory)).toReversed()) {
        const run = await foundRun(repeat, running);
        if (run !== undefined) yield run;
      }
  }
}

/** The runs of `bench --repeat`, in their order; none where it is the directory of one run. */
export const repeatedRuns = async (directory: string): Promise<readonly string[]> => {
  try {
    const names = await readdir(directory);
    return names
      .filter(name => /^run-\d{2,3}$/.test(name))
      .sort()
      .map(name => join(directory, name));
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return [];
  }
};

export const runningDirectories = async (
  home: string,
  isAlive: (pid: number) => boolean,
): Promise<ReadonlySet<string>> => {
  const live = await readLiveRuns(home, isAlive);
  return new Set(await Promise.all(live.map(({ directory }) => realPath(directory))));
};

/** However it was written down. */
const realPath = (path: string): Promise<string> =>
  realpath(path).catch((error: unknown) => {
    if (errorCode(error) === undefined) throw error;
    return path;
  });

/** undefined for what is neither a run's directory nor one of stages. */
export const foundRun = async (
  directory: string,
  running: ReadonlySet<string>,
): Promise<FoundRun | undefined> => {
  const real = await realPath(directory);
  const config = await readRunConfig(directory);
  if (config !== undefined) {
    const isRunning = running.has(real);
    const report = isRunning ? undefined : await readReport(directory);
    return {
      kind: 'run',
      id: config.run.id,
      directory,
      config,
      // Without a report it was cut off.
      state: isRunning ? 'running' : report === undefined ? 'interrupted' : whole(report),
      report,
    };
  }
  const sweep = await readStored(directory, SWEEP_FILES);
  if (sweep.kind === 'refused') return undefined;
  const { document } = sweep;
  const isRunning = [...running].some(path => path.startsWith(`${real}${sep}`));
  const state = document.state === 'running' ? (isRunning ? 'running' : 'interrupted') : document.state;
  return { kind: 'sweep', id: document.id, directory, document, state };
};

/** undefined where there is none that this version can read. */
const readRunConfig = async (directory: string): Promise<RunConfig | undefined> => {
  const path = runFiles(directory).config;
  try {
    const text = await readInputText(path, 'runFile');
    return text.length > CONFIG_BYTES_MAX ? undefined : runConfigFromJson(text);
  } catch (error) {
    if (error instanceof DecodeError || errorCode(error) !== undefined) return undefined;
    throw error;
  }
};

/** As a person may give it: a directory, or the id of one in the home. */
export const directoryOf = (given: string, home: string, resolved: string): string =>
  basename(given) === given && given !== '.' && given !== '..' ? join(runsFolder(home), given) : resolved;

const whole = (report: Report): FoundState => {
  const state = stateOf(report);
  return state === 'failed' || state === 'running' ? 'incomplete' : state;
};

/** Of one home. */
const RUN_DIRECTORIES_MAX = 10_000;
const CONFIG_BYTES_MAX = 1_048_576;
