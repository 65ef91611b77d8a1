// Runs a sweep for the command line: its directory, its stages and their observers, its text. Loaded late, because it loads
// ZeroMQ.

import { join, resolve } from 'node:path';
import { REPORTED_SWEEP } from '../../bench/announce/document-reporter.ts';
import { type DocumentFolder, openDocumentFolder, SWEEP_FOLDER } from '../../bench/run/document-folder.ts';
import { newId } from '../../bench/run/new-id.ts';
import { runSweep, type SweepOrder } from '../../bench/sweep/run-sweep.ts';
import { readSweep, resumeSweepDirectory } from '../../bench/sweep/sweep-directory.ts';
import { systemClock } from '../../clock/system-clock.ts';
import { openHome } from '../../config/home.ts';
import { counted } from '../../core/figure/figure.ts';
import { isSweepId } from '../../core/ids.ts';
import { objectiveText } from '../../core/run/objective.ts';
import type { StageLoad } from '../../core/sweep/stage.ts';
import { SWEEP_SCHEMA, type SweepDocument } from '../../core/sweep/sweep-document.ts';
import { hangingLines } from '../../core/text/columns.ts';
import { unknown } from '../../core/unknown.ts';
import { loadText } from '../../render/sweep/line-text.ts';
import { stageLine } from '../../render/sweep/sweep-text.ts';
import { stageAgentsRun } from '../agent/load-agents.ts';
import { asBenchCommandError, benchProcess, newRun } from '../bench/bench-process.ts';
import { PartObservers } from '../bench/part-observers.ts';
import { energyRuns } from '../bench/run-energy.ts';
import { judgedRuns } from '../bench/run-headroom.ts';
import { stageProvenance } from '../bench/run-provenance.ts';
import { citedCalibration } from '../calibrate/calibrated-machine.ts';
import type { LoadStart } from '../load-start.ts';
import type { ProcessState } from '../process-state.ts';
import { linkInHome } from '../runs/found-runs.ts';
import { commandText } from './kept-command.ts';

export interface SweepCall extends LoadStart {
  readonly requested: readonly StageLoad[];
  readonly order: Omit<SweepOrder, 'warmup'>;
  /** Directory of the sweep that goes on, absolute; undefined: a new one. */
  readonly resumed: string | undefined;
  readonly isQuiet: boolean;
}

export interface SweepOutcome {
  readonly document: SweepDocument;
  readonly directory: string;
  /** A sentence each. */
  readonly diskProblems: readonly string[];
}

/** The command that a directory contains. @throws CommandError */
export const readSweepCommand = async (directory: string): Promise<SweepDocument> => {
  try {
    return await readSweep(directory);
  } catch (error) {
    throw asBenchCommandError(error);
  }
};

/** @throws CommandError when nothing could be measured. */
export const startSweep = async (state: ProcessState, start: SweepCall): Promise<SweepOutcome> => {
  try {
    return await sweepIn(state, start);
  } catch (error) {
    throw asBenchCommandError(error);
  }
};

const sweepIn = async (state: ProcessState, start: SweepCall): Promise<SweepOutcome> => {
  const { home, request } = start;
  const print = async (text: string): Promise<void> => {
    if (start.isQuiet) return;
    const { isTerminal, columns } = state.stdout;
    await state.stdout.write(`${isTerminal ? hangingLines('', text, columns).join('\n') : text}\n`);
  };
  await openHome(home);
  const provenance = await stageProvenance(state, start);
  const { directory, document, putAside } = await openSweep(state, start);
  using _directory = directory;
  const unlisted =
    start.resumed === undefined && start.out !== undefined
      ? await linkInHome(home, document.id, directory.path)
      : undefined;
  if (unlisted !== undefined) await print(`plimsoll runs cannot list this sweep: ${unlisted}`);
  for (const notice of start.notices) if (!start.isQuiet) await state.stderr.write(`plimsoll: ${notice}\n`);
  await print(
    `Sweep ${document.id} in ${directory.path}, ${counted(document.requested.length, 'stage')}. Ctrl-C stops it; --resume continues it.`,
  );
  if (document.stages.length > 0)
    await print(`Stages ${document.stages.map(({ number }) => number).join(', ')} are kept.`);
  for (const name of putAside) await print(`What was cut off is kept in ${name}, and runs again.`);
  await using observers = new PartObservers<SweepDocument>(state, {
    kind: REPORTED_SWEEP,
    home,
    directory: directory.path,
    durationMs: start.order.durationMs,
  });
  const ended = await runSweep(
    { ...start.order, warmup: request.warmup },
    {
      document,
      stage: {
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
        directory: directory.path,
        confidence: CONFIDENCE,
      },
      write: written => directory.write(written),
      observer: {
        stageBegan: (run, stage) => {
          const sweep = isSweepId(document.id) ? { sweepId: document.id, stage: stage.number } : undefined;
          observers.began(run, stage.directory, sweep);
          void print(
            `Stage ${stage.number} of ${document.requested.length} has begun: ${loadText(stage.load)}`,
          );
        },
        phase: phase => observers.phase(phase),
        snapshot: snapshot => observers.snapshot(snapshot),
        notice: text => void print(text),
        changed: changed => observers.changed(changed),
        stageEnded: async ({ stage, report }) => {
          await observers.ended(report);
          await print(stageLine(stage));
        },
      },
    },
  )
    .catch(async (error: unknown) => {
      await directory.discard();
      throw error;
    })
    .finally(() => observers.closePart());
  const diskProblems = await directory.writeText(ended);
  await observers.over(ended);
  return { document: ended, directory: directory.path, diskProblems };
};

const openSweep = async (
  state: ProcessState,
  start: SweepCall,
): Promise<{
  readonly directory: DocumentFolder<SweepDocument>;
  readonly document: SweepDocument;
  readonly putAside: readonly string[];
}> => {
  const { resumed, home, out, id = newId() } = start;
  if (resumed !== undefined) return await resumeSweepDirectory(resumed, await readSweep(resumed));
  const directory = await openDocumentFolder(
    SWEEP_FOLDER,
    out === undefined ? join(home, 'runs', id) : resolve(state.cwd, out),
  );
  return { directory, document: newDocument(id, state, start), putAside: [] };
};

const newDocument = (id: string, state: ProcessState, start: SweepCall): SweepDocument => {
  const { request, requested, kept: resume } = start;
  return {
    schema: SWEEP_SCHEMA,
    id,
    plimsoll: { version: state.version },
    name: request.name ?? unknown('not given'),
    tags: request.tags,
    startedAt: new Date(systemClock.wallMs()).toISOString(),
    target: request.target.shown,
    model: request.model ?? unknown('the server has not been queried yet'),
    serverKind: unknown('the server has not been queried yet'),
    dataset: request.dataset.kind === 'file' ? request.dataset.shownPath : request.dataset.kind,
    objectives: request.objectives.map(objectiveText),
    attainment: request.attainment,
    seed: request.seed,
    command: commandText('sweep', resume),
    environment: benchProcess(state).environment,
    state: 'running',
    stages: [],
    requested,
    resume,
  };
};

const CONFIDENCE = 0.95;
