// Runs a search for a load line for the command line: takes the state of the process and returns the result. Loaded late, because
// it loads ZeroMQ.

import { join, resolve } from 'node:path';
import { announceSweep } from '../../bench/announce/sweep-reporter.ts';
import type { SearchOptions } from '../../bench/line/line-search.ts';
import type { BenchRequest } from '../../bench/run/bench-request.ts';
import { openRunDirectory } from '../../bench/run/run-directory.ts';
import { type LineResult, runLine } from '../../bench/sweep/run-line.ts';
import type { StageObserver } from '../../bench/sweep/run-stage.ts';
import { systemClock } from '../../clock/system-clock.ts';
import { openHome } from '../../config/home.ts';
import { isSweepId, type SweepId } from '../../core/ids.ts';
import type { LineDocument } from '../../core/sweep/sweep-document.ts';
import { searchProgress, searchScreen, stageLine } from '../../render/sweep/sweep-text.ts';
import { type NamedAgents, stageAgentsRun } from '../agent/load-agents.ts';
import { asBenchCommandError, benchProcess, newRun, runningDaemon } from '../bench/bench-process.ts';
import type { DisplayMode } from '../bench/run-display.ts';
import { energyRuns } from '../bench/run-energy.ts';
import { judgedRuns } from '../bench/run-headroom.ts';
import { type ObservedDisplay, RunObservers } from '../bench/run-observers.ts';
import { stageProvenance } from '../bench/run-provenance.ts';
import { citedCalibration } from '../calibrate/calibrated-machine.ts';
import type { OutputStream, ProcessState } from '../process-state.ts';
import { linkInHome } from '../runs/found-runs.ts';
import { StagedDisplay } from '../staged-display.ts';

interface LineStart {
  readonly request: BenchRequest;
  readonly search: SearchOptions;
  readonly agents: NamedAgents;
  /** Of the model that is served: its file, folder or URL. */
  readonly facts: string | undefined;
  readonly budgetMs: number;
  /** What to type to run it again, without secrets. */
  readonly command: string;
  readonly confidence: number;
  readonly home: string;
  /** A folder whose commit each report names, as it was given. */
  readonly noteGit: string | undefined;
  /** As it was given; undefined: in the home. */
  readonly out: string | undefined;
  readonly mode: DisplayMode;
  readonly notices: readonly string[];
}

interface LineEnd extends LineResult {
  readonly directory: string;
  readonly notices: readonly string[];
}

/** @throws CommandError when there is nothing to report. */
export const startLine = async (state: ProcessState, start: LineStart): Promise<LineEnd> => {
  const { request, search, budgetMs, home, out } = start;
  const { runId: id, startedAt } = newRun();
  const directory = out === undefined ? join(home, 'runs', id) : resolve(state.cwd, out);
  await using display = lineDisplay(start.mode, state.stdout);
  for (const notice of start.notices) display.notice(notice);
  const onNotice = (text: string): void => display.notice(text);
  // Made of the same signs as the id of a run, which this module has just made.
  if (!isSweepId(id)) throw new TypeError(`not an id: ${id}`);
  await using observers = new StageObservers({ state, home, sweepId: id, directory, onNotice });
  try {
    if (out === undefined) await openHome(home);
    const provenance = await stageProvenance(state, start);
    await openRunDirectory(directory);
    const unlisted = out === undefined ? undefined : await linkInHome(home, id, directory);
    if (unlisted !== undefined) onNotice(`plimsoll runs cannot list this search: ${unlisted}`);
    const result = await runLine(
      { id, startedAt, command: start.command, search, budgetMs },
      {
        request,
        bench: {
          ...benchProcess(state),
          provenance,
          reported: citedCalibration(home, state),
          stop: AbortSignal.any([state.stop, observers.stopRequested]),
          stopNow: state.takeSecondStop(),
        },
        newRun,
        run: judgedRuns(state, start, energyRuns(state, home, stageAgentsRun(state, home, start.agents))),
        directory,
        confidence: start.confidence,
        observer: observers,
      },
      {
        changed: document => {
          display.show(document);
          observers.update(document);
        },
        stageEnded: report => observers.stageEnded({ report }),
      },
    );
    await observers.over(result.document);
    return { ...result, directory, notices: display.notices };
  } catch (error) {
    throw asBenchCommandError(error);
  }
};

// Shows a search while it goes on: the sentence so far, what runs, what comes next and how much time is left; a line for each stage
// where there is no terminal.
const lineDisplay = (mode: DisplayMode, stdout: OutputStream): StagedDisplay<LineDocument> =>
  new StagedDisplay({
    mode,
    stdout,
    screen: searchScreen,
    ended: (document, reported) => {
      const stages = document.stages.filter(({ state }) => state === 'ended');
      const progress = searchProgress(document).join('. ');
      return {
        count: stages.length,
        lines: stages.slice(reported).map(stage => `${stageLine(stage)}. ${progress}`),
      };
    },
    footer: 'Ctrl-C ends the search and keeps what is known.',
  });

// The observers of a search for a load line: `plimsoll watch` and the daemon for the run of each stage, the daemon for the whole
// search.
interface StageObserversOptions {
  readonly state: ProcessState;
  readonly home: string;
  readonly sweepId: SweepId;
  /** Absolute. */
  readonly directory: string;
  readonly onNotice: (text: string) => void;
}

class StageObservers implements StageObserver, AsyncDisposable {
  readonly #options: StageObserversOptions;
  readonly #stopRequested = new AbortController();
  #stage: RunObservers | undefined;
  #whole: ReturnType<typeof announceSweep> | undefined;

  constructor(options: StageObserversOptions) {
    this.#options = options;
  }

  /** Aborts when somebody asks the daemon that it end, as Ctrl-C does here. */
  get stopRequested(): AbortSignal {
    return this.#stopRequested.signal;
  }

  run(...[run, stage]: Parameters<StageObserver['run']>): void {
    const { state, home, directory, sweepId } = this.#options;
    const observers = new RunObservers(state, {
      home,
      directory: join(directory, stage.directory),
      limits: { samplesMax: undefined, durationMs: undefined },
      display: { ...NO_DISPLAY, notice: text => this.notice(text) },
      sweep: { sweepId, stage: stage.number },
    });
    observers.stopRequested.addEventListener('abort', () => this.#stopRequested.abort(), { once: true });
    observers.started(run);
    this.#stage = observers;
  }

  phase(...reported: Parameters<StageObserver['phase']>): void {
    this.#stage?.phase(...reported);
  }

  snapshot(...reported: Parameters<StageObserver['snapshot']>): void {
    this.#stage?.snapshot(...reported);
  }

  notice(text: string): void {
    this.#options.onNotice(text);
  }

  /** The whole search is reported separately. */
  changed(): void {}

  async stageEnded(...reported: Parameters<RunObservers['ended']>): Promise<void> {
    await this.#stage?.ended(...reported);
    await this.#closeStage();
  }

  update(document: LineDocument): void {
    const { state, home, directory, onNotice } = this.#options;
    if (this.#whole !== undefined) {
      void this.#whole.then(announcement => announcement.update(document));
      return;
    }
    this.#whole = announceSweep({
      findDaemon: () => runningDaemon(home, state),
      clock: systemClock,
      document,
      directory,
      onStopRequested: () => {
        onNotice('it was stopped from the dashboard; it ends now and keeps what is known');
        this.#stopRequested.abort();
      },
    });
  }

  async over(document: LineDocument): Promise<void> {
    await (await this.#whole)?.end(document);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#closeStage();
    await (await this.#whole)?.[Symbol.asyncDispose]();
  }

  async #closeStage(): Promise<void> {
    await this.#stage?.[Symbol.asyncDispose]();
    this.#stage = undefined;
  }
}

/** The whole has one. */
const NO_DISPLAY: ObservedDisplay = {
  started: () => undefined,
  stage: () => undefined,
  measuring: () => undefined,
  snapshot: () => undefined,
  notice: () => undefined,
};
