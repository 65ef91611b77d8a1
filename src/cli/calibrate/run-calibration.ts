// Loads a mock that says when it wrote what, a step after the other, and compares. Each step is a run as `plimsoll bench` makes it,
// in a folder that goes away. Loaded late, because it brings ZeroMQ along.

import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runBench } from '../../bench/bench.ts';
import { clockOffset } from '../../bench/fleet/clock-offset.ts';
import type { BenchObserver } from '../../bench/run/bench-parts.ts';
import { monotonicNs } from '../../clock/monotonic-ns.ts';
import { systemClock } from '../../clock/system-clock.ts';
import type { Calibration, CalibrationClock, RateStep, StreamStep } from '../../core/run/calibration.ts';
import { CALIBRATION_SCHEMA } from '../../core/run/calibration.ts';
import type { Report } from '../../core/run/report.ts';
import { isUnknown, unknown } from '../../core/unknown.ts';
import { spawnMock } from '../../mock/spawn-mock.ts';
import { decodeTruthStamps } from '../../wire/truth-stamps.ts';
import { asBenchCommandError, benchProcess, newRun } from '../bench/bench-process.ts';
import { benchWish } from '../bench/bench-wish.ts';
import { CommandError } from '../command-error.ts';
import { parseCommandLine } from '../command-line.ts';
import { benchCommand } from '../commands/bench.ts';
import type { ProcessState } from '../process-state.ts';
import { calibratedMachine } from './calibrated-machine.ts';
import { compareWithTruth } from './truth-comparison.ts';

export interface CalibrationWish {
  /** Of a `plimsoll mock --stamp`; undefined: one of our own on loopback. */
  readonly url: string | undefined;
  readonly budgetMs: number;
  /** What goes on, one line. */
  readonly tell: (line: string) => Promise<void>;
}

/** @throws CommandError where the target has no stamps, or nothing could be measured. */
export const runCalibration = async (state: ProcessState, wish: CalibrationWish): Promise<Calibration> => {
  const machine = calibratedMachine(state);
  const endsAtMs = systemClock.nowMs() + wish.budgetMs;
  const stepMs = Math.max(
    STEP_MS_MIN,
    Math.min(STEP_MS_MAX, wish.budgetMs / (STREAMS.length + RATES.length) - OVERHEAD_MS),
  );
  const hasTime = (): boolean => systemClock.nowMs() + stepMs <= endsAtMs && !state.stop.aborted;
  const streams: StreamStep[] = [];
  const rates: RateStep[] = [];
  let clock: CalibrationClock | null = null;
  for (const count of STREAMS) {
    if (streams.length > 0 && !hasTime()) break;
    await wish.tell(`${count} streams`);
    await using server = await serverFor(state, wish.url, count);
    if (wish.url !== undefined) clock = await clockOf(server.url);
    streams.push(await streamStep(state, server, { count, stepMs }));
  }
  for (const rate of RATES) {
    if (rates.length > 0 && !hasTime()) break;
    await wish.tell(`${rate} requests/s`);
    await using server = await serverFor(state, wish.url, 1);
    const { report } = await oneRun(
      state,
      server.url,
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
    target: wish.url ?? 'loopback',
    clock,
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
const serverFor = async (
  state: ProcessState,
  url: string | undefined,
  streams: number,
): Promise<StampedServer> => {
  if (url !== undefined) return { url, isHere: false, [Symbol.asyncDispose]: async () => undefined };
  const gapMs = Math.max(10, streams / 10);
  const tokens = Math.max(10, Math.round(1_000 / gapMs));
  const mock = await spawnMock(
    { stampsWrites: true, ttftMs: 50, gapMs, outputTokens: tokens },
    { nodePath: state.nodePath, env: benchProcess(state).env, signal: state.stop },
  );
  return { url: mock.url, isHere: true, [Symbol.asyncDispose]: () => mock[Symbol.asyncDispose]() };
};

const streamStep = async (
  state: ProcessState,
  server: StampedServer,
  { count, stepMs }: { readonly count: number; readonly stepMs: number },
): Promise<StreamStep> => {
  await stampsOf(server.url);
  const offset = server.isHere ? undefined : await offsetOf(server.url);
  const { report, lines, zeroNs } = await oneRun(state, server.url, ['--concurrency', String(count)], stepMs);
  const truth = decodeTruthStamps(await stampsOf(server.url));
  const compared = compareWithTruth({
    lines,
    truth,
    toRunNs: ns => Number(ns - zeroNs) - (offset?.offsetNs ?? 0),
  });
  if (compared === undefined)
    throw new CommandError(
      'failure',
      `the server at ${server.url} told no stamps of these requests`,
      'Start it with plimsoll mock --stamp, of this version.',
    );
  return {
    streams: count,
    chunksPerSecond: isUnknown(report.windowNs) ? 0 : compared.chunks / (report.windowNs / 1e9),
    ttftErrorNs: compared.ttftErrorNs,
    gapErrorNs: compared.gapErrorNs,
    boundNs: report.series.ttftNs?.errorBound?.percentiles['50']?.above ?? unknown('the run was too short'),
  };
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
  if (line.kind !== 'run') throw new Error('the command line of a calibration step is none');
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
      { ...benchWish(line.invocation, state.cwd), headers: [], hasEventLog: false },
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
  const reply = await answerOf(url, '/mock/stamps');
  return Buffer.from(await reply.arrayBuffer());
};

const offsetOf = async (url: string): ReturnType<typeof trips> => await trips(url);

const clockOf = async (url: string): Promise<CalibrationClock> => {
  const { errorNs } = await trips(url);
  return { errorNs, roundTripNs: 2 * errorNs };
};

const trips = async (url: string): Promise<ReturnType<typeof clockOffset>> => {
  const found: Parameters<typeof clockOffset>[0][number][] = [];
  for (let trip = 0; trip < CLOCK_TRIPS; trip += 1) {
    const sentNs = Number(monotonicNs());
    const reply = await answerOf(url, '/mock/clock');
    const receivedNs = Number(monotonicNs());
    found.push({ sentNs, receivedNs, agentNs: Number(await reply.text()) });
  }
  return clockOffset(found);
};

const answerOf = async (url: string, path: string): Promise<Response> => {
  const where = new URL(path, url).href;
  const advice = 'Start the target with plimsoll mock --stamp.';
  const reply = await fetch(where, { signal: AbortSignal.timeout(ANSWER_MS_MAX) }).catch((error: unknown) => {
    throw new CommandError('benchUnreachable', `${where} does not answer`, advice, { cause: error });
  });
  if (!reply.ok)
    throw new CommandError('benchUnreachable', `${where} answers ${reply.status}: it has no stamps`, advice);
  return reply;
};

const STREAMS: readonly number[] = [1, 10, 100, 500, 1_000];
const RATES: readonly number[] = [100, 1_000, 5_000];
const STEP_MS_MIN = 1_500;
const STEP_MS_MAX = 10_000;
/** Processes of a run start and end. */
const OVERHEAD_MS = 1_000;
const CLOCK_TRIPS = 50;
const ANSWER_MS_MAX = 10_000;
