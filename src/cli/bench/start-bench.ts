// Runs a benchmark for the command line: what the process knows goes in, views and report come out, and what can go wrong
// becomes two lines and a code. Loaded late, because it brings ZeroMQ along.

import { randomBytes } from 'node:crypto';
import { availableParallelism, cpus, release } from 'node:os';
import { join, resolve } from 'node:path';
import { announceRun } from '../../bench/announce/run-reporter.ts';
import { runBench } from '../../bench/bench.ts';
import { BenchError } from '../../bench/bench-error.ts';
import type { BenchResult, StartedRun } from '../../bench/run/bench-parts.ts';
import { BENCH_SETTINGS } from '../../bench/run/bench-parts.ts';
import type { BenchRequest } from '../../bench/run/bench-request.ts';
import { LIVE_RUN_SCHEMA, removeLiveRun, writeLiveRun } from '../../bench/run/live-run-file.ts';
import type { SessionPhase } from '../../bench/run/session.ts';
import { HeaderError } from '../../bench/target/http1/request-writer.ts';
import { systemClock } from '../../clock/system-clock.ts';
import { HomeError, homeFiles, openHome } from '../../config/home.ts';
import { errorMessage } from '../../core/problem.ts';
import { lookUp } from '../../core/run/metric-lookup.ts';
import type { ReportEnvironment } from '../../core/run/report.ts';
import type { RunPhase } from '../../core/run/run.ts';
import type { MetricsSnapshot } from '../../core/run/snapshot.ts';
import { readDaemonFile } from '../../daemon/daemon-file.ts';
import type { Env } from '../../process/child.ts';
import { CommandError, endedBy } from '../command-error.ts';
import { localUrl } from '../daemon-client.ts';
import type { ExitName } from '../exit-codes.ts';
import type { ProcessState } from '../process-state.ts';
import type { DisplayMode } from './run-display.ts';
import { RunDisplay } from './run-display.ts';

export interface BenchStart {
  readonly request: BenchRequest;
  readonly home: string;
  /** As it was given; undefined: in the home. */
  readonly out: string | undefined;
  readonly mode: DisplayMode;
  readonly notices: readonly string[];
}

export interface BenchEnd extends BenchResult {
  readonly directory: string;
  /** What the person was told beside the report. */
  readonly notices: readonly string[];
}

/** @throws CommandError when there is nothing to report. */
export const startBench = async (state: ProcessState, start: BenchStart): Promise<BenchEnd> => {
  const { request, home } = start;
  const runId = `${stamp(systemClock.wallMs())}-${randomBytes(2).toString('hex')}`;
  const directory = start.out === undefined ? join(home, 'runs', runId) : resolve(state.cwd, start.out);
  await using display = new RunDisplay({
    mode: start.mode,
    stdout: state.stdout,
    clock: systemClock,
    footer: 'Ctrl-C stops the run and reports on what was done.',
  });
  for (const notice of start.notices) display.notice(notice);
  await using companions = new Companions(state, { home, directory, request, display });
  try {
    await useHome(start, companions);
    const result = await runBench(request, {
      clock: systemClock,
      env: withoutSecrets(state.env),
      nodePath: state.nodePath,
      temporaryFolder: state.temporaryFolder,
      version: state.version,
      environment: environment(state),
      runId,
      startedAt: new Date(systemClock.wallMs()).toISOString(),
      noncePrefix: randomBytes(4).toString('hex'),
      directory,
      settings: BENCH_SETTINGS,
      stop: AbortSignal.any([state.stop, companions.stopAsked]),
      stopNow: state.takeSecondStop(),
      observer: companions,
    });
    await companions.ended(result);
    await display.close();
    return { ...result, directory, notices: display.notices };
  } catch (error) {
    await display.close();
    throw asCommandError(error);
  }
};

/** A run that is kept elsewhere needs no home, but only there `plimsoll watch` can find it. */
const useHome = async ({ home, out }: BenchStart, companions: Companions): Promise<void> => {
  try {
    await openHome(home);
  } catch (error) {
    if (out === undefined || !(error instanceof HomeError)) throw error;
    companions.withoutHome(error.problem.problem);
  }
};

/** Who else wants to know of a run: the display, `plimsoll watch` by a file, the daemon. */
class Companions implements AsyncDisposable {
  readonly #state: ProcessState;
  readonly #context: CompanionContext;
  #run: StartedRun | undefined;
  #announcing: ReturnType<typeof announceRun> | undefined;
  #writing: Promise<void> | undefined;
  #phase: RunPhase = 'connecting';
  #hasHome = true;
  readonly #stopAsked = new AbortController();

  constructor(state: ProcessState, context: CompanionContext) {
    this.#state = state;
    this.#context = context;
  }

  /** Aborts when somebody asks the daemon that the run end, as Ctrl-C does here. */
  get stopAsked(): AbortSignal {
    return this.#stopAsked.signal;
  }

  notice(text: string): void {
    this.#context.display.notice(text);
  }

  withoutHome(reason: string): void {
    this.#hasHome = false;
    this.notice(`plimsoll watch cannot find this run: ${reason}`);
  }

  started(run: StartedRun): void {
    const { directory, request, display } = this.#context;
    const { samplesMax, durationMs } = request;
    this.#run = run;
    const { id, target, model, pattern, shape, streaming } = run.config.run;
    display.started({
      id,
      target,
      model,
      pattern,
      shape,
      isStreaming: streaming,
      limits: { samplesMax, durationMs },
    });
    if (this.#hasHome) this.#writing = this.#writeLiveRun(run);
    this.#announcing = announceRun({
      findDaemon: () => this.#findDaemon(),
      clock: systemClock,
      config: run.config,
      directory,
      limits: { samplesMax, durationMs },
      onStopAsked: () => {
        this.notice('the run was stopped from the dashboard; it ends now and reports what was done');
        this.#stopAsked.abort();
      },
      onNotStored: () =>
        this.notice(
          'the daemon of this machine cannot store this run: its disk is full; the run directory has it',
        ),
    });
  }

  async #writeLiveRun({ config, snapshotsEndpoint }: StartedRun): Promise<void> {
    const { home, directory, request } = this.#context;
    try {
      await writeLiveRun(home, {
        schema: LIVE_RUN_SCHEMA,
        runId: config.run.id,
        pid: this.#state.pid,
        directory,
        snapshotsEndpoint,
        startedAt: config.run.startedAt,
        samplesMax: request.samplesMax ?? null,
        durationMs: request.durationMs ?? null,
      });
    } catch (error) {
      this.withoutHome(errorMessage(error));
    }
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
    void this.#announcing?.then(announcement => announcement.progress(snapshot, progress));
  }

  async ended({ report }: BenchResult): Promise<void> {
    const announcement = await this.#announcing;
    await announcement?.end(report);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writing;
    if (this.#run !== undefined) await removeLiveRun(this.#context.home, this.#run.config.run.id);
    const announcement = await this.#announcing;
    await announcement?.[Symbol.asyncDispose]();
  }

  async #findDaemon(): Promise<{ readonly url: string; readonly token: string } | undefined> {
    const result = await readDaemonFile(homeFiles(this.#context.home).daemon);
    if (result.kind !== 'found' || !this.#state.isAlive(result.file.pid)) return undefined;
    return { url: localUrl(result.file.url), token: result.file.token };
  }
}

/** On the clock of the samples, so that what is told in a moment stands beside what they say of it. */
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

interface CompanionContext {
  readonly home: string;
  readonly directory: string;
  readonly request: BenchRequest;
  readonly display: RunDisplay;
}

const asCommandError = (error: unknown): unknown => {
  if (error instanceof HeaderError)
    return new CommandError('usage', error.message, 'Change it, or leave it out.', { cause: error });
  const isOurs = error instanceof BenchError || error instanceof HomeError;
  if (!isOurs) return error;
  const exit = error instanceof HomeError ? 'homeUnusable' : EXITS[error.code];
  return endedBy(exit, error);
};

const environment = ({ nodeVersion, platform }: ProcessState): ReportEnvironment => ({
  node: nodeVersion,
  os: `${platform} ${release()}`,
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  cores: availableParallelism(),
});

/** Children talk to nobody but us. */
const withoutSecrets = (env: Env): Env =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !SECRET_VARIABLE.test(name)));

/** "20261120-120501", UTC. */
const stamp = (wallMs: number): string =>
  new Date(wallMs).toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);

const PHASES: Readonly<Record<SessionPhase, RunPhase>> = {
  'warming up': 'warmup',
  // Older versions know no other word for what is sent and not measured.
  ramping: 'warmup',
  measuring: 'measuring',
  draining: 'draining',
  stopping: 'draining',
  ended: 'draining',
};

const EXITS: Readonly<Record<BenchError['code'], ExitName>> = {
  input: 'benchInput',
  unreachable: 'benchUnreachable',
  'run-directory': 'benchRunDirectory',
  failed: 'failure',
};

const SECRET_VARIABLE = /KEY|TOKEN|SECRET|PASSW|_PROXY$/i;
