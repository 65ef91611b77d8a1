// Follows a run from outside: finds it, shows its snapshots while its process lives, and its report when it has ended.

import { readdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { type LiveRunRecord, readLiveRuns } from '../../bench/run/live-run-file.ts';
import { pause } from '../../clock/clock.ts';
import { systemClock } from '../../clock/system-clock.ts';
import { errorCode, errorMessage } from '../../core/problem.ts';
import type { RunConfig } from '../../core/run/report.ts';
import { lookUp, type MetricsSnapshot } from '../../core/run/snapshot.ts';
import { snapshotCodec } from '../../messaging/snapshot-message-codec.ts';
import { NEWEST_MESSAGE } from '../../messaging/subscriber.ts';
import { openZeromqSubscriber } from '../../messaging/zeromq/zeromq-subscriber.ts';
import { MetricsSnapshotSubscriber } from '../../metrics/metrics-snapshot-subscriber.ts';
import { RunDirectoryError, rebuildReport } from '../../metrics/report-sources.ts';
import { runFiles } from '../../metrics/run-files.ts';
import { readInputText } from '../../process/input-file.ts';
import { renderReport } from '../../render/run/text-report.ts';
import { type RunStage, runHead } from '../../tui/watched-run.ts';
import { runConfigFromJson } from '../../wire/stored-json.ts';
import { CommandError, endedBy } from '../command-error.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import type { ProcessState } from '../process-state.ts';
import { displayMode, RunDisplay } from './run-display.ts';

interface WatchOptions {
  readonly home: string;
  /** Id or directory; undefined: the newest. */
  readonly run: string | undefined;
}

/** @throws CommandError when there is no such run. */
export const watchRun = async (state: ProcessState, { home, run }: WatchOptions): Promise<ExitCode> => {
  const found = await findRun(state, home, run);
  if (found.kind === 'ended') {
    const which = run === undefined ? 'No run is in progress. The newest has ended' : 'This run has ended';
    await state.stdout.write(`${which}: ${found.directory}\n\n`);
    return await showReport(state, found.directory);
  }
  const { live } = found;
  await follow(state, live);
  if (state.stop.aborted || state.stdout.closed.aborted) return EXIT_CODES.ok.code;
  await untilReport(live, state);
  const ending = state.isAlive(live.pid) ? 'The run has ended' : 'The run has ended: its process is gone';
  await state.stdout.write(`${ending}. ${live.directory}\n\n`);
  return await showReport(state, live.directory);
};

type FoundRun =
  | { readonly kind: 'live'; readonly live: LiveRunRecord }
  | { readonly kind: 'ended'; readonly directory: string };

const findRun = async (state: ProcessState, home: string, run: string | undefined): Promise<FoundRun> => {
  const runs = await readLiveRuns(home, pid => state.isAlive(pid));
  if (run === undefined) {
    const [newest] = runs;
    if (newest !== undefined) return { kind: 'live', live: newest };
    const ended = await newestEnded(join(home, 'runs'));
    if (ended !== undefined) return { kind: 'ended', directory: ended };
    throw new CommandError(
      'usage',
      'there is no run to watch',
      'Start one: plimsoll bench http://127.0.0.1:8000',
    );
  }
  const path = resolve(state.cwd, run);
  const live = runs.find(({ runId, directory }) => runId === run || directory === path);
  if (live !== undefined) return { kind: 'live', live };
  for (const directory of [path, ...(basename(run) === run ? [join(home, 'runs', run)] : [])]) {
    if (await isThere(runFiles(directory).config)) return { kind: 'ended', directory };
  }
  const known = runs.map(({ runId }) => runId).slice(0, 5);
  throw new CommandError(
    'usage',
    `there is no run ${JSON.stringify(run.slice(0, 100))}`,
    known.length === 0 ? 'No run is in progress in this home.' : `In progress: ${known.join(', ')}`,
  );
};

const follow = async (state: ProcessState, live: LiveRunRecord): Promise<void> => {
  const config = await configOf(live.directory);
  const gone = new AbortController();
  const until = AbortSignal.any([state.stop, state.stdout.closed, gone.signal]);
  await using display = new RunDisplay({
    mode: displayMode(state.stdout, false),
    stdout: state.stdout,
    clock: systemClock,
    footer: 'Ctrl-C stops watching; the run continues.',
  });
  display.started(
    runHead(config, {
      samplesMax: live.samplesMax ?? undefined,
      durationMs: live.durationMs ?? undefined,
    }),
  );
  const subscriber = await openZeromqSubscriber(live.snapshotsEndpoint, snapshotCodec, NEWEST_MESSAGE);
  await using snapshots = new MetricsSnapshotSubscriber({ subscriber, clock: systemClock }, snapshot => {
    display.stage(stageOf(snapshot));
    display.snapshot(snapshot);
  });
  const watching = watchProcess(state, live.pid, until).then(() => gone.abort());
  await snapshots.waitForComplete(FOREVER_MS, until).catch(() => undefined);
  gone.abort();
  await watching;
};

/** Resolves when the process of the run is gone. */
const watchProcess = async (state: ProcessState, pid: number, until: AbortSignal): Promise<void> => {
  while (!until.aborted && state.isAlive(pid)) {
    await pause(systemClock, ALIVE_MS, until);
  }
};

/** The report follows the final snapshot by a moment. */
const untilReport = async ({ directory, pid }: LiveRunRecord, state: ProcessState): Promise<void> => {
  const untilMs = systemClock.nowMs() + REPORT_MS_MAX;
  while (!state.stop.aborted && systemClock.nowMs() < untilMs && state.isAlive(pid)) {
    if (await isThere(runFiles(directory).reportText)) return;
    await pause(systemClock, REPORT_POLL_MS, state.stop);
  }
};

const showReport = async (state: ProcessState, directory: string): Promise<ExitCode> => {
  try {
    const report = await rebuildReport(directory);
    const lines = renderReport(report, {
      isUnicode: state.stdout.isUnicode,
      columns: state.stdout.columns,
      isFull: false,
    });
    await state.stdout.write(`${lines.join('\n')}\n`);
    return EXIT_CODES.ok.code;
  } catch (error) {
    if (!(error instanceof RunDirectoryError)) throw error;
    throw endedBy('benchRunDirectory', error);
  }
};

const configOf = async (directory: string): Promise<RunConfig> => {
  try {
    return runConfigFromJson(await readInputText(runFiles(directory).config, 'runFile'));
  } catch (error) {
    throw new CommandError(
      'benchRunDirectory',
      `${runFiles(directory).config} cannot be read: ${errorMessage(error)}`,
      'Does the run belong to another user?',
      { cause: error },
    );
  }
};

const stageOf = (snapshot: MetricsSnapshot): RunStage => {
  switch (snapshot.state) {
    case 'initialize':
      return 'connecting';
    case 'live':
      return lookUp(snapshot).counter('trackedSamplesIssued') === 0 ? 'warming up' : 'measuring';
    case 'draining':
      return 'draining';
    case 'complete':
    case 'interrupted':
      return 'ended';
    default:
      return snapshot.state satisfies never;
  }
};

/** Ids begin with their time, so that the last by name is the newest. */
const newestEnded = async (folder: string): Promise<string | undefined> => {
  const names = await readdir(folder).catch((error: unknown) => {
    if (errorCode(error) === undefined) throw error;
    return [];
  });
  for (const name of names.sort().reverse()) {
    if (await isThere(runFiles(join(folder, name)).config)) return join(folder, name);
  }
  return undefined;
};

const isThere = async (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

const FOREVER_MS = 2_147_483_647;
const ALIVE_MS = 500;
const REPORT_MS_MAX = 15_000;
const REPORT_POLL_MS = 50;
