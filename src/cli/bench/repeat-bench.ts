// `plimsoll bench --repeat K`: the same run several times with new seeds, one after the other, each to its end, so that how runs
// differ is known and not guessed.

import { join, resolve } from 'node:path';
import { newId } from '../../bench/run/new-id.ts';
import { makeEmptyFolder } from '../../bench/run/run-directory.ts';
import { pause } from '../../clock/clock.ts';
import { systemClock } from '../../clock/system-clock.ts';
import { openHome } from '../../config/home.ts';
import type { RepeatDocument } from '../../core/comparison/repeat-document.ts';
import { CommandError } from '../command-error.ts';
import type { ProcessState } from '../process-state.ts';
import { repeatIn, writeRepeatFiles } from '../report/report-repeat.ts';
import { asBenchCommandError } from './bench-process.ts';
import { callOfOneRun } from './run-provenance.ts';
import { type BenchEnd, type BenchStart, startBench } from './start-bench.ts';

export interface RepeatEnd {
  readonly document: RepeatDocument;
  readonly directory: string;
  readonly ends: readonly BenchEnd[];
  /** What could not be written, one sentence each. */
  readonly diskProblems: readonly string[];
}

/** @throws CommandError when not even the first run could begin. */
export const repeatBench = async (
  state: ProcessState,
  start: BenchStart,
  { runs, isQuiet }: { readonly runs: number; readonly isQuiet: boolean },
): Promise<RepeatEnd> => {
  const directory = await runsDirectory(state, start);
  const ends: BenchEnd[] = [];
  for (let run = 1; run <= runs && !state.stop.aborted; run += 1) {
    if (run > 1) await pause(systemClock, REST_MS, state.stop);
    if (state.stop.aborted) break;
    const seed = start.request.seed + run - 1;
    const end = await startBench(state, {
      ...start,
      id: undefined,
      request: { ...start.request, seed },
      call: callOfOneRun(start.call, seed),
      out: join(directory, `run-${String(run).padStart(2, '0')}`),
    });
    ends.push(end);
    if (!isQuiet) await state.stdout.write(`Run ${run} of ${runs}, seed ${seed}: ${outcomeText(end)}\n`);
    if (end.report.interrupted) break;
  }
  const document = await repeatIn(directory, state);
  if (document === undefined)
    throw new CommandError(
      'benchInterrupted',
      'the runs were stopped before the first one started',
      'Nothing was measured, so there is no report.',
    );
  return { document, directory, ends, diskProblems: await writeRepeatFiles(directory, document) };
};

const runsDirectory = async (
  state: ProcessState,
  { home, out, id = newId() }: BenchStart,
): Promise<string> => {
  try {
    if (out === undefined) await openHome(home);
    const directory = out === undefined ? join(home, 'runs', id) : resolve(state.cwd, out);
    await makeEmptyFolder(directory);
    return directory;
  } catch (error) {
    throw asBenchCommandError(error);
  }
};

const outcomeText = ({ report }: BenchEnd): string =>
  report.interrupted ? 'interrupted' : `${report.counts.completed} completed, ${report.counts.failed} failed`;

/** After the last answer of one run. */
const REST_MS = 2_000;
