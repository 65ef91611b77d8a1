// From a named trace to the request of a run. The trace is read whole, so errors in it are reported before anything is sent.

import { resolve } from 'node:path';
import { BenchError } from '../../bench/bench-error.ts';
import type { DatasetLocation } from '../../bench/dataset/dataset-chunks.ts';
import { readTrace, type TracePart } from '../../bench/dataset/trace/read-trace.ts';
import type { ReplayPace } from '../../bench/dataset/trace/replay-times.ts';
import { surveyTrace } from '../../bench/dataset/trace/survey-trace.ts';
import { TraceFactCounter } from '../../bench/dataset/trace/trace-facts.ts';
import { traceFormat } from '../../bench/dataset/trace/trace-file.ts';
import { traceLanes } from '../../bench/dataset/trace/trace-lanes.ts';
import { pacedTrace } from '../../bench/dataset/trace/trace-sessions.ts';
import type { BenchRequest, Warmup } from '../../bench/run/bench-request.ts';
import { isOfSessionRuns, objectiveName } from '../../core/run/objective.ts';
import { isOpenLoop } from '../../core/run/run-pattern.ts';
import type { ConcurrencyUnit } from '../../core/run/run-shape.ts';
import { unknown } from '../../core/unknown.ts';
import { CommandError, endedBy, usage } from '../command-error.ts';

export interface TraceReplayRequest {
  /** As it was given. */
  readonly file: string;
  /** Names of all options of the command that were given. */
  readonly given: readonly string[];
  readonly part: TracePart;
  readonly pace: ReplayPace;
  readonly isPrimed: boolean;
  readonly isRecycled: boolean;
  readonly idleMsMax: number | undefined;
  readonly nonceOf: 'run' | 'session';
}

export interface ReplayingRun {
  readonly cwd: string;
  /** Of the run; undefined: until the trace is over. */
  readonly durationMs: number | undefined;
  /** Of a trace of conversations; undefined: each once. */
  readonly sessionsMax: number | undefined;
  readonly concurrencyOf: ConcurrencyUnit | undefined;
  readonly signal: AbortSignal;
}

/** Reads the whole trace: errors in it are reported before anything is sent. @throws CommandError; the signal's reason. */
export const replayRequest = async (
  request: BenchRequest,
  options: TraceReplayRequest,
  run: ReplayingRun,
): Promise<BenchRequest> => {
  try {
    return await requestOfTrace(request, options, run);
  } catch (error) {
    throw error instanceof BenchError ? endedBy('benchInput', error) : error;
  }
};

const requestOfTrace = async (
  request: BenchRequest,
  options: TraceReplayRequest,
  run: ReplayingRun,
): Promise<BenchRequest> => {
  const { file, given, part, pace } = options;
  const { cwd, durationMs, signal } = run;
  if (request.models !== undefined)
    throw usage('--trace and several models cannot be combined', 'Use one model: --model M.');
  const location = { path: resolve(cwd, file), shownPath: file, signal };
  const format = await traceFormat(location);
  if (format === undefined)
    throw new CommandError(
      'benchInput',
      `${file} is not a trace in a known format`,
      'The formats are in docs/datasets.md.',
    );
  if (format === 'agentic') return await ofConversations(request, options, { ...run, location });
  refuse(given, OF_CONVERSATIONS, 'a trace with the time of each request');
  const objective = request.objectives.find(isOfSessionRuns);
  if (objective !== undefined)
    throw usage(
      `--slo ${objectiveName(objective)} needs sessions: ${file} has single requests`,
      'Leave it out, or replay a trace of conversations.',
    );
  const limits = { requestsMax: request.samplesMax, durationMs };
  const trace = await surveyTrace({ ...location, format, part, pace, limits }, signal);
  const { inputTokens, sharing } = trace.facts;
  return {
    ...request,
    pattern: { kind: 'poisson', requestsPerSecond: trace.requestsPerSecond },
    shape: {
      ...request.shape,
      trace: {
        speed: pace.speed,
        requests: trace.requests,
        fromMs: part.fromMs ?? unknown('from its beginning'),
        untilMs: part.untilMs ?? unknown('to its end'),
        startAt: unknown('single requests'),
        gapMsMax: pace.gapMsMax ?? unknown('pauses are as recorded'),
        gapsCapped: trace.gapsCapped,
        spanMs: trace.spanMs,
        inputTokens: inputTokens.total,
        sharedTokens: sharing?.sharedTokens ?? unknown(UNSHARED),
      },
    },
    dataset: { kind: 'timed-trace', trace },
    samplesMax: durationMs === undefined ? trace.requests : undefined,
    durationMs,
  };
};

/** Each conversation is a session, as many at a time or a second as was asked for. */
const ofConversations = async (
  request: BenchRequest,
  { given, part, pace, isPrimed, isRecycled, idleMsMax, nonceOf }: TraceReplayRequest,
  { location, durationMs, sessionsMax, concurrencyOf }: ReplayingRun & { readonly location: DatasetLocation },
): Promise<BenchRequest> => {
  refuse(given, ['requests'], 'a trace of conversations (give their number: --sessions 100)');
  if (isRecycled && durationMs === undefined)
    throw usage('--recycle has no effect without --duration', 'Write: --duration 30m --recycle');
  const isOpen = isOpenLoop(request.pattern);
  if (isOpen) refuse(given, ['concurrency-of'], '--rate, which counts sessions');
  else refuse(given, ['ramp', 'warmup-duration', 'max-in-flight'], 'a trace of conversations without --rate');
  const { seed, pattern } = request;
  const { trace, gapsCapped } = pacedTrace(
    await readTrace({ ...location, bytesMax: Number.POSITIVE_INFINITY }, 'agentic', {
      part: isPrimed ? { ...part, startAt: undefined } : part,
      seed,
      sessionsMax,
    }),
    pace,
  );
  const lanes =
    isPrimed && pattern.kind === 'concurrency'
      ? {
          count: pattern.concurrency,
          ...traceLanes(trace, { lanes: pattern.concurrency, startAt: part.startAt, seed }),
        }
      : undefined;
  const counter = new TraceFactCounter();
  for (const { id, requests } of trace.sessions)
    counter.add({ line: 0, key: id, startMs: undefined, requests });
  const facts = counter.facts();
  const { sessions } = trace;
  const noTimes = unknown('times are only within conversations');
  return {
    ...request,
    shape: {
      ...request.shape,
      sessions: { concurrencyOf: concurrencyOf ?? 'sessions' },
      trace: {
        speed: pace.speed,
        requests: facts.requests,
        fromMs: noTimes,
        untilMs: noTimes,
        startAt: part.startAt ?? unknown('conversations start with their first request'),
        gapMsMax: pace.gapMsMax ?? unknown('pauses are as recorded'),
        gapsCapped,
        spanMs: noTimes,
        inputTokens: facts.inputTokens.total,
        sharedTokens: facts.sharing?.sharedTokens ?? unknown(UNSHARED),
        ...(idleMsMax === undefined ? {} : { idleMsMax }),
        ...(lanes === undefined ? {} : { primed: lanes.primes.length }),
        ...(isRecycled ? { recycles: true as const } : {}),
        ...(nonceOf === 'run' ? {} : { marksSessions: true as const }),
        ...(facts.subagents === 0 ? {} : { subagents: facts.subagents }),
      },
    },
    dataset: {
      kind: 'agent-trace',
      trace: lanes === undefined ? trace : { ...trace, sessions: lanes.sessions },
      facts,
      nonceOf,
      ...(lanes === undefined ? {} : { primes: lanes.primes, repeatFrom: lanes.count }),
    },
    ...(lanes === undefined ? {} : { warmup: primingWarmup(lanes.primes.length) }),
    samplesMax: isRecycled ? undefined : (lanes?.sessions ?? sessions).length,
    durationMs,
  };
};

/** None if every session begins with its first request. */
const primingWarmup = (count: number): Warmup =>
  count === 0 ? { kind: 'default' } : { kind: 'requests', count };

const refuse = (given: readonly string[], names: readonly string[], beside: string): void => {
  const other = names.find(name => given.includes(name));
  if (other !== undefined) throw usage(`--${other} has no effect on ${beside}`, 'Leave it out.');
};

/** What only sessions have, and what a schedule of its own excludes. */
const OF_CONVERSATIONS: readonly string[] = [
  ...['start-at', 'sessions', 'concurrency-of', 'prime', 'recycle', 'idle-max', 'nonce-of'],
  ...['concurrency', 'rate', 'arrival', 'burstiness', 'max-throughput', 'ramp', 'warmup-duration'],
];
const UNSHARED = 'the trace does not report which prompts share a prefix';
