// The observers of a run started on the command line: the display, `plimsoll watch` through a file in the home, the daemon.

import { RunReporter } from '../../bench/announce/run-reporter.ts';
import type { BenchObserver, BenchResult, StartedRun } from '../../bench/run/bench-parts.ts';
import { LIVE_RUN_SCHEMA, removeLiveRun, writeLiveRun } from '../../bench/run/live-run-file.ts';
import type { SessionPhase } from '../../bench/run/session.ts';
import { systemClock } from '../../clock/system-clock.ts';
import type { LoadRequest } from '../../core/run/load-request.ts';
import type { RunPhase } from '../../core/run/run.ts';
import { lookUp, type MetricsSnapshot } from '../../core/run/snapshot.ts';
import type { SweepStageRef } from '../../core/sweep/sweep.ts';
import { fileReason } from '../../process/disk-reason.ts';
import { runHead } from '../../tui/watched-run.ts';
import type { ProcessState } from '../process-state.ts';
import { runningDaemon } from './bench-process.ts';
import type { RunDisplay } from './run-display.ts';

export class RunObservers implements BenchObserver, AsyncDisposable {
  readonly #state: ProcessState;
  readonly #context: RunObserverContext;
  #run: StartedRun | undefined;
  #announcing: RunReporter | undefined;
  #writing: Promise<void> | undefined;
  #phase: RunPhase = 'connecting';
  #hasHome = true;
  readonly #stopRequested = new AbortController();

  constructor(state: ProcessState, context: RunObserverContext) {
    this.#state = state;
    this.#context = context;
  }

  /** Aborts when somebody asks the daemon that the run end, as Ctrl-C does here. */
  get stopRequested(): AbortSignal {
    return this.#stopRequested.signal;
  }

  notice(text: string): void {
    this.#context.display.notice(text);
  }

  withoutHome(reason: string): void {
    this.#hasHome = false;
    this.notice(`plimsoll watch cannot find this run: ${reason}`);
  }

  started(run: StartedRun): void {
    const { directory, limits, display, sweep } = this.#context;
    this.#run = run;
    display.started(runHead(run.config, limits));
    if (this.#hasHome) this.#writing = this.#writeLiveRun(run);
    this.#announcing = new RunReporter({
      findDaemon: () => runningDaemon(this.#context.home, this.#state),
      clock: systemClock,
      config: run.config,
      directory,
      limits,
      ...(sweep === undefined ? {} : { sweep }),
      onStopRequested: () => {
        this.notice('the run was stopped from the dashboard; it ends now and reports what was done');
        this.#stopRequested.abort();
      },
      onNotStored: () =>
        this.notice(
          'the daemon of this machine cannot store this run: its disk is full; the run directory has it',
        ),
    });
  }

  async #writeLiveRun({ config, snapshotsEndpoint }: StartedRun): Promise<void> {
    const { home, directory, limits } = this.#context;
    try {
      await writeLiveRun(home, {
        schema: LIVE_RUN_SCHEMA,
        runId: config.run.id,
        pid: this.#state.pid,
        directory,
        snapshotsEndpoint,
        startedAt: config.run.startedAt,
        samplesMax: limits.samplesMax ?? null,
        durationMs: limits.durationMs ?? null,
      });
    } catch (error) {
      this.withoutHome(fileReason(error));
    }
    if (this.#context.isElsewhere !== true) return;
    const { linkInHome } = await import('../runs/found-runs.ts');
    const reason = await linkInHome(home, config.run.id, directory);
    if (reason !== undefined) this.notice(`plimsoll runs cannot list this run: ${reason}`);
  }

  phase(phase: SessionPhase): void {
    this.#context.display.stage(phase);
    if (phase === 'measuring') this.#context.display.measuring();
    this.#phase = PHASES[phase];
  }

  snapshot(snapshot: MetricsSnapshot): void {
    this.#context.display.snapshot(snapshot);
    if (this.#run === undefined) return;
    const progress = { phase: this.#phase, ...timesOf(snapshot, this.#run.runZeroNs) };
    this.#announcing?.progress(snapshot, progress);
  }

  async ended({ report }: Pick<BenchResult, 'report'>): Promise<void> {
    await this.#announcing?.end(report);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writing;
    if (this.#run !== undefined) await removeLiveRun(this.#context.home, this.#run.config.run.id);
    await this.#announcing?.[Symbol.asyncDispose]();
  }
}

/** Times on the clock of the samples, so that progress matches the samples of the same moment. */
const timesOf = (
  snapshot: MetricsSnapshot,
  runZeroNs: bigint,
): { readonly elapsedMs: number; readonly measuredMs: number } => {
  const sinceMs = (atNs: number): number => Math.max(0, (snapshot.timestampNs - atNs) / 1e6);
  const measuringSinceNs = lookUp(snapshot).counter('measuringSinceNs');
  return {
    elapsedMs: sinceMs(Number(runZeroNs)),
    measuredMs: measuringSinceNs === 0 ? 0 : sinceMs(measuringSinceNs),
  };
};

interface RunObserverContext {
  readonly home: string;
  readonly directory: string;
  /** Of the run, as far as it is limited. */
  readonly limits: Pick<LoadRequest, 'samplesMax' | 'durationMs'>;
  readonly display: ObservedDisplay;
  /** Whether a person chose another directory than that in the home. */
  readonly isElsewhere?: boolean;
  /** Where the run is a stage of a sweep or line. */
  readonly sweep?: SweepStageRef;
}

export type ObservedDisplay = Pick<RunDisplay, 'started' | 'stage' | 'measuring' | 'snapshot' | 'notice'>;

const PHASES: Readonly<Record<SessionPhase, RunPhase>> = {
  'warming up': 'warmup',
  waiting: 'warmup',
  // Sent and not measured.
  ramping: 'warmup',
  measuring: 'measuring',
  draining: 'draining',
  stopping: 'draining',
  ended: 'draining',
};
