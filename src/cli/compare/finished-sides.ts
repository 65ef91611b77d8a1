// What `--a` and `--b` name when it is no endpoint: a run directory, a directory of repeated runs, or runs of this home by filters.

import { systemClock } from '../../clock/system-clock.ts';
import type { FinishedSide } from '../../core/comparison/compare-finished.ts';
import { UNITS_MAX } from '../../core/comparison/comparison-document.ts';
import { isRunId } from '../../core/ids.ts';
import type { Option } from '../../core/option/option.ts';
import { nearest } from '../../core/text/nearest.ts';
import { type Unknown, unknown } from '../../core/unknown.ts';
import { finishedSide } from '../../metrics/finished-side.ts';
import { RunDirectoryError } from '../../metrics/report-sources.ts';
import type { Invocation } from '../command.ts';
import { CommandError, endedBy } from '../command-error.ts';
import type { ProcessState } from '../process-state.ts';
import { directoryOf, foundRuns, repeatedRuns } from '../runs/found-runs.ts';
import { RUN_FILTERS, runFilter } from '../runs/run-filters.ts';

/** "http://…" and "localhost:8000" are loaded; anything else has ended. */
export const isEndpoint = (text: string): boolean => /^(https?:\/\/|[\w.-]+:\d+(\/|$))/i.test(text);

interface SideContext {
  readonly home: string;
  readonly state: ProcessState;
}

/** @throws CommandError */
export const namedSide = async (text: string, context: SideContext): Promise<FinishedSide> =>
  await runsSide([text], context);

/** Of several words, each run once. @throws CommandError */
export const runsSide = async (words: readonly string[], context: SideContext): Promise<FinishedSide> => {
  const text = words.join(' ');
  const directories = new Set<string>();
  for (const word of words) for (const path of await directoriesOf(word, context)) directories.add(path);
  try {
    const side = await finishedSide([...directories]);
    if (side.units.every(({ runId }) => isRunId(runId))) return side;
    throw new CommandError(
      'benchRunDirectory',
      `a run of ${text.slice(0, 100)} has an id that is not valid`,
      'Give the directory that plimsoll bench wrote.',
    );
  } catch (error) {
    if (!(error instanceof RunDirectoryError)) throw error;
    throw endedBy('benchRunDirectory', error);
  }
};

const directoriesOf = async (text: string, { home, state }: SideContext): Promise<readonly string[]> => {
  if (text.startsWith(RUNS)) return await filteredRuns(text, { home, state });
  const directory = await directoryOf(text, { home, cwd: state.cwd, prefers: 'id' });
  const repeats = await repeatedRuns(directory);
  return repeats.length > 0 ? repeats : [directory];
};

const filteredRuns = async (text: string, { home, state }: SideContext): Promise<readonly string[]> => {
  const isWanted = runFilter(filterInvocation(text), systemClock.wallMs());
  const directories: string[] = [];
  const isAlive = (pid: number): boolean => state.isAlive(pid);
  for await (const found of foundRuns({ home, isAlive, hasRepeats: true })) {
    if (found.kind !== 'run' || found.state === 'running' || !isWanted(found)) continue;
    directories.push(found.directory);
    if (directories.length > UNITS_MAX)
      throw new CommandError(
        'usage',
        `${text} are more than ${UNITS_MAX} runs`,
        'Name fewer, with another filter: runs:tag=before,state=complete',
      );
  }
  if (directories.length === 0) throw noRuns(text);
  return directories.reverse();
};

/** "runs:tag=engine=vllm,state=complete" as the options of `plimsoll runs`. */
const filterInvocation = (text: string): Invocation => {
  const given = new Map<string, string[]>();
  const names = Object.values(RUN_FILTERS).map(({ name }: Option<unknown>) => name);
  for (const item of text.slice(RUNS.length).split(',')) {
    const at = item.indexOf('=');
    const name = item.slice(0, Math.max(0, at)).trim();
    if (!names.includes(name)) {
      const meant = nearest(name, names);
      throw new CommandError(
        'usage',
        `${JSON.stringify(item.slice(0, 60))} is not a filter of runs`,
        meant === undefined
          ? `Write runs:tag=before, with a filter of ${names.join(', ')}.`
          : `Did you mean runs:${meant}=…?`,
      );
    }
    given.set(name, [...(given.get(name) ?? []), item.slice(at + 1)]);
  }
  return {
    arguments: [],
    option: option => {
      const read = option.read(given.get(option.name) ?? []);
      if (read.kind === 'ok') return read.value;
      throw new CommandError('usage', `${text.slice(0, 80)}: ${read.problem}`, read.advice);
    },
  };
};

const noRuns = (text: string): CommandError =>
  new CommandError(
    'benchRunDirectory',
    `${text.slice(0, 100)} names no run`,
    'See which there are: plimsoll runs',
  );

/** How filters begin. */
const RUNS = 'runs:';

/** The call did not give the value. */
export const NOT_GIVEN: Unknown = unknown('not given');
