// Runs a search for a load line for the command line: takes the state of the process and returns the result. Loaded late, because
// it loads ZeroMQ.

import { join, resolve } from 'node:path';
import { REPORTED_SWEEP } from '../../bench/announce/document-reporter.ts';
import { BenchError } from '../../bench/bench-error.ts';
import type { SearchOptions } from '../../bench/line/line-search.ts';
import { LINE_FOLDER, openDocumentFolder } from '../../bench/run/document-folder.ts';
import { type LineResult, runLine } from '../../bench/sweep/run-line.ts';
import type { StageTier } from '../../bench/sweep/run-stage.ts';
import { readLine, resumeLineDirectory } from '../../bench/sweep/sweep-directory.ts';
import { openHome } from '../../config/home.ts';
import { isSweepId } from '../../core/ids.ts';
import type { LineDocument } from '../../core/sweep/sweep-document.ts';
import { searchProgress, searchScreen, stageLine } from '../../render/sweep/sweep-text.ts';
import { stageAgentsRun } from '../agent/load-agents.ts';
import { asBenchCommandError, benchProcess, newRun } from '../bench/bench-process.ts';
import { PartObservers } from '../bench/part-observers.ts';
import type { DisplayMode } from '../bench/run-display.ts';
import { energyRuns } from '../bench/run-energy.ts';
import { judgedRuns } from '../bench/run-headroom.ts';
import { stageProvenance } from '../bench/run-provenance.ts';
import { citedCalibration } from '../calibrate/calibrated-machine.ts';
import type { LoadStart } from '../load-start.ts';
import type { OutputStream, ProcessState } from '../process-state.ts';
import { linkInHome } from '../runs/found-runs.ts';
import { StagedDisplay } from '../staged-display.ts';

interface LineStart extends LoadStart {
  readonly search: SearchOptions;
  readonly tiers: readonly StageTier[];
  readonly budgetMs: number;
  /** Directory of the search that is resumed, absolute; undefined: a new one. */
  readonly resumed: string | undefined;
  /** What to type to run it again, without secrets. */
  readonly command: string;
  readonly confidence: number;
  readonly mode: DisplayMode;
}

interface LineEnd extends LineResult {
  readonly directory: string;
  readonly notices: readonly string[];
}

/** The command of a search that is not complete. @throws CommandError */
export const readLineCommand = async (directory: string): Promise<LineDocument['resume']> => {
  try {
    return (await readLine(directory)).resume;
  } catch (error) {
    throw asBenchCommandError(error);
  }
};

/** @throws CommandError when there is nothing to report. */
export const startLine = async (state: ProcessState, start: LineStart): Promise<LineEnd> => {
  try {
    return await lineIn(state, start);
  } catch (error) {
    throw asBenchCommandError(error);
  }
};

const lineIn = async (state: ProcessState, start: LineStart): Promise<LineEnd> => {
  const { request, search, budgetMs, home, out, resumed } = start;
  if (out === undefined) await openHome(home);
  const provenance = await stageProvenance(state, start);
  const named = newRun(start.id);
  const before =
    resumed === undefined ? undefined : await resumeLineDirectory(resumed, await readLine(resumed));
  using folder =
    before?.directory ??
    (await openDocumentFolder(
      LINE_FOLDER,
      out === undefined ? join(home, 'runs', named.runId) : resolve(state.cwd, out),
    ));
  const document = before?.document;
  const kept = document?.stages.length ?? 0;
  await using display = lineDisplay(start.mode, state.stdout, kept);
  const onNotice = (text: string): void => display.notice(text);
  for (const notice of start.notices) onNotice(notice);
  if (kept > 0) onNotice(`${kept === 1 ? 'stage 1 is' : `stages 1 to ${kept} are`} kept`);
  for (const name of before?.putAside ?? []) onNotice(`what was cut off is kept in ${name}`);
  const directory = folder.path;
  const { id, startedAt } = document ?? { id: named.runId, startedAt: named.startedAt };
  // Consists of the same characters as the id of a run, which this module has just created.
  if (!isSweepId(id)) throw new TypeError(`not an id: ${id}`);
  await using observers = new PartObservers<LineDocument>(state, {
    kind: REPORTED_SWEEP,
    home,
    directory,
    durationMs: undefined,
    notice: onNotice,
    stopNotice: 'it was stopped from the dashboard; it ends now and keeps what is known',
  });
  const unlisted =
    resumed === undefined && out !== undefined ? await linkInHome(home, id, directory) : undefined;
  if (unlisted !== undefined) onNotice(`plimsoll runs cannot list this search: ${unlisted}`);
  const result = await runLine(
    { start: document ?? { id, startedAt, command: start.command, resume: start.kept }, search, budgetMs },
    {
      request,
      bench: {
        ...benchProcess(state),
        provenance,
        reported: citedCalibration(home, state),
        stop: AbortSignal.any([state.stop, observers.stopRequested]),
        stopNow: state.takeSecondStop(),
      },
      newRun: () => newRun(),
      run: judgedRuns(state, start, energyRuns(state, home, stageAgentsRun(state, home, start.agents))),
      directory,
      confidence: start.confidence,
      tiers: start.tiers,
      observer: {
        run: (run, stage) => observers.began(run, stage.directory, { sweepId: id, stage: stage.number }),
        phase: phase => observers.phase(phase),
        snapshot: snapshot => observers.snapshot(snapshot),
        notice: onNotice,
        // The whole search is reported separately.
        changed: () => undefined,
      },
    },
    {
      changed: document => {
        display.show(document);
        observers.changed(document);
      },
      stageEnded: report => observers.ended(report),
    },
  ).catch(async (error: unknown) => {
    // Its first stage failed: there is nothing to search.
    if (error instanceof BenchError) await folder.discard();
    throw error;
  });
  await observers.over(result.document);
  return { ...result, directory, notices: display.notices };
};

// Shows a search while it goes on: the sentence so far, what runs, what comes next and how much time is left; a line for each stage
// where there is no terminal.
const lineDisplay = (
  mode: DisplayMode,
  stdout: OutputStream,
  stagesBefore: number,
): StagedDisplay<LineDocument> =>
  new StagedDisplay({
    mode,
    stdout,
    screen: searchScreen,
    ended: (document, reported) => {
      const stages = document.stages.filter(({ state }) => state === 'ended');
      const progress = searchProgress(document).join('. ');
      return {
        count: stages.length,
        lines: stages
          .slice(Math.max(reported, stagesBefore))
          .map(stage => `${stageLine(stage)}. ${progress}`),
      };
    },
    footer: 'Ctrl-C ends the search and keeps what is known.',
  });
