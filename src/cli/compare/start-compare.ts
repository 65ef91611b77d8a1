// Runs a comparison by pairs for the command line: its directory, its servers, its segments with whoever follows them. Loaded late,
// because it brings ZeroMQ along.

import { join, resolve } from 'node:path';
import { writeComparison, writeComparisonText } from '../../bench/compare/comparison-directory.ts';
import type { ComparisonOrder } from '../../bench/compare/run-comparison.ts';
import { runComparison } from '../../bench/compare/run-comparison.ts';
import { openRunDirectory } from '../../bench/run/run-directory.ts';
import { systemClock } from '../../clock/system-clock.ts';
import { openHome } from '../../config/home.ts';
import type { ComparisonDocument, ComparisonSide } from '../../core/comparison/comparison-document.ts';
import { COMPARISON_SCHEMA } from '../../core/comparison/comparison-document.ts';
import { patternLabel } from '../../core/run/run-pattern.ts';
import { unknown } from '../../core/unknown.ts';
import { agentsRun } from '../agent/agents-run.ts';
import type { NamedAgents } from '../agent/load-agents.ts';
import { asBenchCommandError, benchProcess, newId, newRun } from '../bench/bench-process.ts';
import { Companions } from '../bench/run-companions.ts';
import type { DisplayMode } from '../bench/run-display.ts';
import { citedCalibration } from '../calibrate/calibrated-machine.ts';
import type { ProcessState } from '../process-state.ts';
import { CompareDisplay } from './compare-display.ts';
import type { AskedSide } from './compared-servers.ts';
import { ComparedServers } from './compared-servers.ts';

export interface CompareStart {
  readonly a: AskedSide;
  readonly b: AskedSide;
  readonly order: ComparisonOrder;
  readonly isAnyway: boolean;
  readonly agents: NamedAgents;
  readonly startMsMax: number;
  readonly isOneAtATime: boolean;
  /** What to type to run it again, without secrets and without commands that start a server. */
  readonly command: string;
  readonly home: string;
  /** As it was given; undefined: in the home. */
  readonly out: string | undefined;
  readonly mode: DisplayMode;
  readonly notices: readonly string[];
}

export interface CompareEnd {
  readonly document: ComparisonDocument;
  readonly directory: string;
  readonly diskProblems: readonly string[];
  readonly notices: readonly string[];
}

/** @throws CommandError when there is nothing to tell. */
export const startCompare = async (state: ProcessState, start: CompareStart): Promise<CompareEnd> => {
  try {
    return await compareIn(state, start);
  } catch (error) {
    throw asBenchCommandError(error);
  }
};

const compareIn = async (state: ProcessState, start: CompareStart): Promise<CompareEnd> => {
  const { home, out, a, b } = start;
  const id = newId();
  const directory = out === undefined ? join(home, 'runs', id) : resolve(state.cwd, out);
  if (out === undefined) await openHome(home);
  const folder = await openRunDirectory(directory);
  await using display = new CompareDisplay(start.mode, state.stdout);
  for (const notice of start.notices) display.notice(notice);
  const stopAsked = new AbortController();
  const bench = {
    ...benchProcess(state),
    said: citedCalibration(home, state),
    stop: AbortSignal.any([state.stop, stopAsked.signal]),
    stopNow: state.takeSecondStop(),
  };
  await using servers = new ComparedServers({ state, directory, ...start, clock: systemClock });
  let following: Companions | undefined;
  const closeFollowing = async (): Promise<void> => {
    await following?.[Symbol.asyncDispose]();
    following = undefined;
  };
  try {
    const document = await runComparison(start.order, {
      segment: { bench, newRun, run: agentsRun(state, home, start.agents) },
      a: { ...a, ...servers.side('a') },
      b: { ...b, ...servers.side('b') },
      directory,
      document: newDocument(id, state, start),
      write: written => writeComparison(directory, written),
      observer: {
        segmentBegan: (run, segment) => {
          following = new Companions(state, {
            home,
            directory: join(directory, segment),
            limits: { samplesMax: undefined, durationMs: start.order.plan.segment.durationMs },
            display: { ...NO_DISPLAY, notice: text => display.notice(text) },
          });
          // Whoever stops a segment on its page means the comparison: the next one would only begin.
          following.stopAsked.addEventListener('abort', () => stopAsked.abort(), { once: true });
          following.started(run);
        },
        phase: phase => following?.phase(phase),
        snapshot: snapshot => following?.snapshot(snapshot),
        notice: text => display.notice(text),
        segmentEnded: async report => {
          await following?.ended({ report });
          await closeFollowing();
        },
        changed: changed => display.show(changed),
      },
    });
    const diskProblems = await writeComparisonText(directory, document);
    return { document, directory, diskProblems, notices: display.notices };
  } catch (error) {
    // Nothing was measured: the folder is as it was.
    await servers[Symbol.asyncDispose]();
    await folder.discard();
    throw error;
  } finally {
    await closeFollowing();
  }
};

const newDocument = (id: string, state: ProcessState, start: CompareStart): ComparisonDocument => {
  const { a, b, order, isAnyway, command } = start;
  const { request } = a;
  const prompts = request.dataset.kind === 'file' ? request.dataset.shownPath : 'generated prompts';
  return {
    schema: COMPARISON_SCHEMA,
    id,
    plimsoll: { version: state.version },
    name: request.name ?? unknown('not named'),
    tags: request.tags,
    startedAt: new Date(systemClock.wallMs()).toISOString(),
    command,
    environment: benchProcess(state).environment,
    state: 'running',
    mode: 'pairs',
    a: newSide(a),
    b: newSide(b),
    load: `${patternLabel(request.pattern)}, ${prompts}`,
    plan: order.plan,
    looks: [],
    metrics: [],
    refusals: [],
    isAnyway,
    notices: [],
    verdict: { kind: 'undecided', pairsToDecide: unknown('no look was taken yet') },
    sentence: 'Nothing is measured yet',
  };
};

const newSide = ({ label, request, startCommand }: AskedSide): ComparisonSide => ({
  label,
  target: request.target.shown,
  model: request.model ?? unknown('the server was not asked yet'),
  serverKind: unknown('the server was not asked yet'),
  isStartedHere: startCommand !== undefined,
  units: [],
});

/** The whole has one. */
const NO_DISPLAY = {
  started: () => undefined,
  stage: () => undefined,
  measuring: () => undefined,
  snapshot: () => undefined,
};
