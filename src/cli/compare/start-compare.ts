// Runs a comparison by pairs for the command line: its directory, its servers, its segments and their observers. Loaded late,
// because it loads ZeroMQ.

import { join, resolve } from 'node:path';
import { REPORTED_COMPARISON } from '../../bench/announce/document-reporter.ts';
import { type KeptPairs, resumeComparison } from '../../bench/compare/comparison-directory.ts';
import { type ComparisonOrder, runComparison } from '../../bench/compare/run-comparison.ts';
import { datasetLabel } from '../../bench/run/bench-request.ts';
import {
  COMPARISON_FOLDER,
  type DocumentFolder,
  openDocumentFolder,
} from '../../bench/run/document-folder.ts';
import { newId } from '../../bench/run/new-id.ts';
import { systemClock } from '../../clock/system-clock.ts';
import { openHome } from '../../config/home.ts';
import {
  COMPARISON_SCHEMA,
  type ComparisonDocument,
  type ComparisonSide,
} from '../../core/comparison/comparison-document.ts';
import { formatMoment } from '../../core/figure/duration.ts';
import { loadLabel } from '../../core/run/run-shape.ts';
import type { SweepResume } from '../../core/sweep/sweep-document.ts';
import { unknown } from '../../core/unknown.ts';
import { comparisonScreen, pairLine } from '../../render/comparison/comparison-screen.ts';
import { agentsRun } from '../agent/load-agents.ts';
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
import { commandText } from '../sweep/kept-command.ts';
import { ComparedServers, type RequestedSide } from './compared-servers.ts';

export interface CompareStart extends Omit<LoadStart, 'request' | 'facts'> {
  readonly a: RequestedSide;
  readonly b: RequestedSide;
  readonly order: ComparisonOrder;
  readonly isAnyway: boolean;
  readonly isSameModel: boolean;
  readonly startMsMax: number;
  readonly isOneAtATime: boolean;
  /** What to type to run it again, without secrets and without commands that start a server. */
  readonly resume: SweepResume;
  readonly location: CompareLocation;
  readonly mode: DisplayMode;
}

export type CompareLocation =
  | { readonly kind: 'new' }
  /** Absolute, with its content when it was read. */
  | { readonly kind: 'resumed'; readonly directory: string; readonly document: ComparisonDocument };

interface CompareEnd {
  readonly document: ComparisonDocument;
  readonly directory: string;
  readonly diskProblems: readonly string[];
  readonly notices: readonly string[];
}

/** @throws CommandError when there is nothing to report. */
export const startCompare = async (state: ProcessState, start: CompareStart): Promise<CompareEnd> => {
  try {
    return await compareIn(state, start);
  } catch (error) {
    throw asBenchCommandError(error);
  }
};

const compareIn = async (state: ProcessState, start: CompareStart): Promise<CompareEnd> => {
  const { home, a, b } = start;
  const { segment } = start.order.plan;
  const provenance = await stageProvenance(state, start);
  const { folder, document, kept, notices } = await openComparison(state, start);
  using _folder = folder;
  const directory = folder.path;
  await using display = compareDisplay(start.mode, state.stdout);
  for (const notice of [...start.notices, ...notices]) display.notice(notice);
  await using observers = new PartObservers<ComparisonDocument>(state, {
    kind: REPORTED_COMPARISON,
    home,
    directory,
    durationMs: segment.sessions === undefined ? segment.durationMs : undefined,
    notice: text => display.notice(text),
    stopNotice: 'it was stopped from the dashboard; it ends now and keeps the pairs that are done',
  });
  observers.changed(document);
  const bench = {
    ...benchProcess(state),
    provenance,
    reported: citedCalibration(home, state),
    stop: AbortSignal.any([state.stop, observers.stopRequested]),
    stopNow: state.takeSecondStop(),
  };
  await using servers = new ComparedServers({ state, directory, ...start, clock: systemClock });
  try {
    const ended = await runComparison(start.order, {
      segment: {
        bench,
        newRun: () => newRun(),
        run: judgedSides(state, start),
      },
      a: { ...a, ...servers.side('a') },
      b: { ...b, ...servers.side('b') },
      directory,
      document,
      ...(kept === undefined ? {} : { kept }),
      write: written => folder.write(written),
      observer: {
        segmentBegan: (run, segment) => observers.began(run, segment),
        phase: phase => observers.phase(phase),
        snapshot: snapshot => observers.snapshot(snapshot),
        notice: text => display.notice(text),
        segmentEnded: report => observers.ended(report),
        changed: changed => {
          display.show(changed);
          observers.changed(changed);
        },
      },
    });
    const diskProblems = await folder.writeText(ended);
    await observers.over(ended);
    return { document: ended, directory, diskProblems, notices: display.notices };
  } catch (error) {
    // Nothing was measured: a new folder is as it was.
    await servers[Symbol.asyncDispose]();
    await folder.discard();
    throw error;
  } finally {
    await observers.closePart();
  }
};

/** Each segment under the bound of the model that its side serves. */
const judgedSides = (
  state: ProcessState,
  { home, agents, a, b }: CompareStart,
): ReturnType<typeof judgedRuns> => {
  const run = energyRuns(state, home, agentsRun(state, home, agents));
  const ofA = judgedRuns(state, { home, facts: a.facts }, run);
  const ofB = judgedRuns(state, { home, facts: b.facts }, run);
  return (request, parts) => (request.target.shown === b.request.target.shown ? ofB : ofA)(request, parts);
};

interface OpenComparison {
  readonly folder: DocumentFolder<ComparisonDocument>;
  readonly document: ComparisonDocument;
  readonly kept: KeptPairs | undefined;
  /** What a person should know before it begins. */
  readonly notices: readonly string[];
}

const openComparison = async (state: ProcessState, start: CompareStart): Promise<OpenComparison> => {
  const { home, location, out, id = newId() } = start;
  if (location.kind === 'resumed') return await resumedComparison(location);
  const directory = out === undefined ? join(home, 'runs', id) : resolve(state.cwd, out);
  if (out === undefined) await openHome(home);
  const folder = await openDocumentFolder(COMPARISON_FOLDER, directory);
  const unlisted = out === undefined ? undefined : await linkInHome(home, id, directory);
  return {
    folder,
    document: newDocument(id, state, start),
    kept: undefined,
    notices: unlisted === undefined ? [] : [`plimsoll runs cannot list this comparison: ${unlisted}`],
  };
};

const resumedComparison = async ({
  directory,
  document,
}: Extract<CompareLocation, { readonly kind: 'resumed' }>): Promise<OpenComparison> => {
  const { folder, kept, putAside } = await resumeComparison(directory, document);
  const pairs = kept.a.length;
  const { endedEarly: _early, stopped: _why, progress: _old, gate: _gate, ...rest } = document;
  const at = formatMoment(new Date(systemClock.wallMs()).toISOString());
  return {
    folder,
    kept,
    document: {
      ...rest,
      state: 'running',
      notices: [
        ...rest.notices,
        `It went on at ${at} with ${pairs === 1 ? '1 pair' : `${pairs} pairs`} from before; the planned decisions are unchanged`,
      ],
    },
    notices: [
      pairs === 0 ? 'no complete pair is kept: it starts again' : `pairs 1 to ${pairs} are kept`,
      ...(putAside.length === 0 ? [] : [`what was cut off or not counted is kept in ${putAside.join(', ')}`]),
    ],
  };
};

const newDocument = (id: string, state: ProcessState, start: CompareStart): ComparisonDocument => {
  const { a, b, order, isAnyway, isSameModel, resume } = start;
  const { request } = a;
  return {
    schema: COMPARISON_SCHEMA,
    id,
    plimsoll: { version: state.version },
    name: request.name ?? unknown('not named'),
    tags: request.tags,
    startedAt: new Date(systemClock.wallMs()).toISOString(),
    command: commandText('compare', resume),
    environment: benchProcess(state).environment,
    state: 'running',
    mode: 'pairs',
    a: newSide(a),
    b: newSide(b),
    load: `${loadLabel(request)}, ${datasetLabel(request.dataset)}`,
    plan: order.plan,
    looks: [],
    metrics: [],
    refusals: [],
    isAnyway,
    isSameModel,
    notices: [],
    resume,
    verdict: { kind: 'undecided', pairsToDecide: unknown('no look was taken yet') },
    sentence: 'Nothing is measured yet',
  };
};

const newSide = ({ label, request, startCommand }: RequestedSide): ComparisonSide => ({
  label,
  target: request.target.shown,
  model: request.model ?? unknown('the server has not been queried yet'),
  serverKind: unknown('the server has not been queried yet'),
  isStartedHere: startCommand !== undefined,
  units: [],
});

// Shows a comparison while it goes on: what is known so far, which segment runs and how long it takes to the next look; a line for
// each pair where there is no terminal.
const compareDisplay = (mode: DisplayMode, stdout: OutputStream): StagedDisplay<ComparisonDocument> =>
  new StagedDisplay({
    mode,
    stdout,
    screen: comparisonScreen,
    ended: (document, reported) => {
      const count = document.progress?.pairsDone ?? reported;
      return {
        count: Math.max(reported, count),
        lines: count > reported ? [pairLine(document, stdout)] : [],
      };
    },
    footer: 'Ctrl-C ends the comparison and keeps the pairs that are done.',
  });
