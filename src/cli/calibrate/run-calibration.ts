// Loads a mock that reports when it wrote each chunk, one step after the other, and compares. Each step is a run as `plimsoll
// bench` makes it, in a temporary folder. Loaded late, because it loads ZeroMQ.

import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runBench } from '../../bench/bench.ts';
import { clockLine, clockOffset } from '../../bench/fleet/clock-offset.ts';
import type { BenchObserver } from '../../bench/run/bench-parts.ts';
import { monotonicNs, systemClock } from '../../clock/system-clock.ts';
import { maximumOf, minimumOf } from '../../core/extremes.ts';
import { counted } from '../../core/figure/figure.ts';
import { INPUT_LIMITS } from '../../core/input/input-limits.ts';
import {
  CALIBRATION_SCHEMA,
  type Calibration,
  type CalibrationClock,
  type RateStep,
  type StreamStep,
} from '../../core/run/calibration.ts';
import type { Report } from '../../core/run/report.ts';
import { isUnknown, unknown } from '../../core/unknown.ts';
import { spawnMock } from '../../mock/spawn-mock.ts';
import { boundedBody } from '../../process/bounded-body.ts';
import { decodeTruthStamps } from '../../wire/truth-stamps.ts';
import { asBenchCommandError, benchProcess, newRun } from '../bench/bench-process.ts';
import { parseBenchOptions } from '../bench/parse-bench-options.ts';
import { CommandError } from '../command-error.ts';
import { parseCommandLine } from '../command-line.ts';
import { benchCommand } from '../commands/bench.ts';
import type { ProcessState } from '../process-state.ts';
import { calibratedMachine } from './calibrated-machine.ts';
import { type ComparedRun, compareWithTruth, type TruthLoad } from './truth-comparison.ts';

interface CalibrationOptions {
  /** Of a `plimsoll mock --stamp`; undefined: one of our own on loopback. */
  readonly url: string | undefined;
  readonly budgetMs: number;
  /** What goes on, one line. */
  readonly print: (line: string) => Promise<void>;
}

/** @throws CommandError where the target has no stamps, or nothing could be measured. */
export const runCalibration = async (
  state: ProcessState,
  options: CalibrationOptions,
): Promise<Calibration> => {
  const machine = calibratedMachine(state);
  const endsAtMs = systemClock.nowMs() + options.budgetMs;
  /** A target elsewhere is compared with loopback. */
  const runsOfSteps = options.url === undefined ? 1 : 2;
  const stepMs = Math.max(
    STEP_MS_MIN,
    Math.min(STEP_MS_MAX, options.budgetMs / (runsOfSteps * STREAMS.length + RATES.length) - OVERHEAD_MS),
  );
  const hasTime = (runs: number): boolean =>
    systemClock.nowMs() + runs * (stepMs + OVERHEAD_MS) <= endsAtMs && !state.stop.aborted;
  const streams: StreamStep[] = [];
  const rates: RateStep[] = [];
  const clockErrorsNs: number[] = [];
  let stamps: Calibration['stamps'] = unknown('no step was measured');
  for (const count of STREAMS) {
    if (streams.length > 0 && !hasTime(runsOfSteps)) break;
    await options.print(counted(count, 'stream'));
    const measured = await streamStep(state, options.url, { count, stepMs });
    streams.push(measured.step);
    clockErrorsNs.push(measured.clockErrorNs);
    stamps = measured.stamps;
  }
  for (const rate of RATES) {
    if (rates.length > 0 && !hasTime(1)) break;
    await options.print(`${rate} requests/s`);
    await using mock = options.url === undefined ? await mockHere(state, loadOf(1)) : undefined;
    const { report } = await oneRun(
      state,
      mock?.url ?? options.url ?? '',
      ['--rate', String(rate), '--output-tokens', '1'],
      stepMs,
    );
    const { sendLatenessNs } = report.client;
    if (isUnknown(sendLatenessNs)) continue;
    rates.push({
      requestsPerSecond: rate,
      achievedPerSecond: isUnknown(report.windowNs) ? 0 : report.counts.issued / (report.windowNs / 1e9),
      sendLatenessNs: { p50: sendLatenessNs.p50, p99: sendLatenessNs.p99 },
    });
  }
  return {
    schema: CALIBRATION_SCHEMA,
    madeAt: new Date(systemClock.wallMs()).toISOString(),
    machine,
    target: options.url ?? 'loopback',
    stamps,
    clock: options.url === undefined ? null : clockOf(clockErrorsNs),
    streams,
    rates,
  };
};

interface StampedServer extends AsyncDisposable {
  readonly url: string;
  /** Whether its clock is ours. */
  readonly isHere: boolean;
}

/** Ten thousand chunks a second at the most: past it the mock itself is the limit of a small machine. */
const loadOf = (streams: number): TruthLoad => {
  const gapMs = Math.max(10, streams / 10);
  return { ttftMs: 50, gapMs, chunks: Math.max(10, Math.round(1_000 / gapMs)) };
};

const mockHere = async (state: ProcessState, load: TruthLoad): Promise<StampedServer> => {
  const mock = await spawnMock(
    { stampsWrites: true, ttftMs: load.ttftMs, gapMs: load.gapMs, outputTokens: load.chunks },
    { nodePath: state.nodePath, env: benchProcess(state).env, signal: state.stop },
  );
  return { url: mock.url, isHere: true, [Symbol.asyncDispose]: () => mock[Symbol.asyncDispose]() };
};

interface ComparedStep extends ComparedRun {
  readonly report: Report;
  /** 0 where the server's clock is ours. */
  readonly clockErrorNs: number;
}

/** Runs on loopback. A remote target is measured too, one after the other with the same load, to isolate the path between. */
const streamStep = async (
  state: ProcessState,
  url: string | undefined,
  { count, stepMs }: { readonly count: number; readonly stepMs: number },
): Promise<{
  readonly step: StreamStep;
  readonly stamps: Calibration['stamps'];
  readonly clockErrorNs: number;
}> => {
  const there =
    url === undefined ? undefined : await comparedRun(state, { url, isHere: false }, { count, stepMs });
  await using mock = await mockHere(state, there?.load ?? loadOf(count));
  const here = await comparedRun(state, mock, { count, stepMs });
  const { report } = here;
  const step: StreamStep = {
    streams: count,
    chunksPerSecond: isUnknown(report.windowNs) ? 0 : here.chunks / (report.windowNs / 1e9),
    ttftErrorNs: here.ttftErrorNs,
    gapErrorNs: here.gapErrorNs,
    networkNs:
      there === undefined
        ? unknown('loopback has none')
        : {
            p50: Math.max(0, there.ttftErrorNs.p50 - here.ttftErrorNs.p50),
            p99: Math.max(0, there.ttftErrorNs.p99 - here.ttftErrorNs.p99),
          },
    boundNs: boundOf(report),
  };
  return { step, stamps: report.run.stamps, clockErrorNs: there?.clockErrorNs ?? 0 };
};

const boundOf = ({ series, rateBounds }: Report): StreamStep['boundNs'] => {
  const above = series.ttftNs?.errorBound?.percentiles['50']?.above;
  return above ?? (isUnknown(rateBounds) ? rateBounds : unknown('no request completed'));
};

const comparedRun = async (
  state: ProcessState,
  server: Pick<StampedServer, 'url' | 'isHere'>,
  { count, stepMs }: { readonly count: number; readonly stepMs: number },
): Promise<ComparedStep> => {
  await stampsOf(server.url);
  const before = server.isHere ? undefined : await clockTrips(server.url);
  const { report, lines, zeroNs } = await oneRun(state, server.url, ['--concurrency', String(count)], stepMs);
  const truth = decodeTruthStamps(await stampsOf(server.url));
  const clock = before === undefined ? undefined : clockLine(before, await clockTrips(server.url));
  const compared = compareWithTruth({
    lines,
    truth,
    toRunNs: ns =>
      clock === undefined ? Number(ns - zeroNs) : clock.toCoordinatorNs(Number(ns)) - Number(zeroNs),
  });
  if (compared === undefined)
    throw new CommandError(
      'failure',
      `the server at ${server.url} reported no stamps for these requests`,
      'Start it with plimsoll mock --stamp, of this version.',
    );
  return { ...compared, report, clockErrorNs: clock?.errorNs ?? 0 };
};

interface CalibrationRun {
  readonly report: Report;
  /** Of samples.jsonl. */
  readonly lines: string;
  readonly zeroNs: bigint;
}

const oneRun = async (
  state: ProcessState,
  url: string,
  load: readonly string[],
  stepMs: number,
): Promise<CalibrationRun> => {
  const line = parseCommandLine(
    ['bench', url, ...load, '--duration', `${Math.round(stepMs)}ms`],
    [benchCommand],
  );
  if (line.kind !== 'run') throw new Error('a calibration step has no command line');
  const folder = await mkdtemp(join(state.temporaryFolder, 'plimsoll-calibrate-'));
  let lines = '';
  let zeroNs = 0n;
  const observer: BenchObserver = {
    started: run => {
      zeroNs = run.runZeroNs;
    },
    phase: () => undefined,
    snapshot: () => undefined,
    notice: () => undefined,
  };
  try {
    const { report } = await runBench(
      { ...parseBenchOptions(line.invocation, state.cwd), headers: [], hasEventLog: false },
      {
        ...benchProcess(state),
        ...newRun(),
        directory: join(folder, 'run'),
        stop: state.stop,
        stopNow: state.stop,
        observer,
        tap: {
          batch: () => undefined,
          sampleLines: bytes => {
            lines += Buffer.from(bytes).toString('utf8');
          },
          started: () => undefined,
        },
      },
    );
    return { report, lines, zeroNs };
  } catch (error) {
    throw asBenchCommandError(error);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Of all streams since the last call. */
const stampsOf = async (url: string): Promise<Buffer> => {
  return await answerOf(url, '/mock/stamps');
};

/** The error is half the shortest round trip of the worst step; the shortest round trip of all steps is the distance. */
const clockOf = (errorsNs: readonly number[]): CalibrationClock => ({
  errorNs: maximumOf(errorsNs),
  roundTripNs: 2 * minimumOf(errorsNs),
});

const clockTrips = async (url: string): Promise<ReturnType<typeof clockOffset>> => {
  const found: Parameters<typeof clockOffset>[0][number][] = [];
  const endsAtMs = systemClock.nowMs() + CLOCK_MS_MAX;
  while (
    found.length < CLOCK_TRIPS_MIN ||
    (found.length < CLOCK_TRIPS_MAX && systemClock.nowMs() < endsAtMs)
  ) {
    const sentNs = Number(monotonicNs());
    const reply = await answerOf(url, '/mock/clock');
    const receivedNs = Number(monotonicNs());
    found.push({ sentNs, receivedNs, agentNs: Number(reply.toString('utf8')) });
  }
  return clockOffset(found);
};

const answerOf = async (url: string, path: string): Promise<Buffer> => {
  const where = new URL(path, url).href;
  const advice = 'Start the target with plimsoll mock --stamp.';
  const silent = (error: unknown): never => {
    throw new CommandError('benchUnreachable', `${where} does not answer`, advice, { cause: error });
  };
  const signal = AbortSignal.timeout(ANSWER_MS_MAX);
  const reply = await fetch(where, { redirect: 'manual', signal }).catch(silent);
  if (!reply.ok)
    throw new CommandError('benchUnreachable', `${where} answers ${reply.status}: it has no stamps`, advice);
  const { bytesMax } = INPUT_LIMITS.serverReply;
  const body = await boundedBody(reply, bytesMax).catch(silent);
  if (body !== undefined) return body;
  throw new CommandError('benchUnreachable', `${where} replies with more than ${bytesMax} bytes`, advice);
};

const STREAMS: readonly number[] = [1, 10, 100, 500, 1_000];
const RATES: readonly number[] = [100, 1_000, 5_000];
const STEP_MS_MIN = 1_500;
const STEP_MS_MAX = 10_000;
/** Processes of a run start and end. */
const OVERHEAD_MS = 1_000;
const CLOCK_TRIPS_MIN = 10;
const CLOCK_TRIPS_MAX = 200;
const CLOCK_MS_MAX = 1_000;
const ANSWER_MS_MAX = 10_000;
