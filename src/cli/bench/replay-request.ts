// From a trace that was named to the request of a run: read whole, so that what is wrong with it is said before anything is sent.

import { resolve } from 'node:path';
import { BenchError } from '../../bench/bench-error.ts';
import type { TracePart } from '../../bench/dataset/trace/read-trace.ts';
import type { ReplayPace } from '../../bench/dataset/trace/replay-times.ts';
import { surveyTrace } from '../../bench/dataset/trace/survey-trace.ts';
import { traceFormat } from '../../bench/dataset/trace/trace-file.ts';
import type { BenchRequest } from '../../bench/run/bench-request.ts';
import { unknown } from '../../core/unknown.ts';
import { CommandError, endedBy } from '../command-error.ts';

export interface TraceReplayWish {
  /** As it was given. */
  readonly file: string;
  readonly part: TracePart;
  readonly pace: ReplayPace;
}

export interface ReplayingRun {
  readonly cwd: string;
  /** Of the run; undefined: until the trace is over. */
  readonly durationMs: number | undefined;
  readonly signal: AbortSignal;
}

/** The whole trace is read here: what is wrong with it is said before anything is sent. @throws CommandError; the signal's reason. */
export const replayRequest = async (
  request: BenchRequest,
  wish: TraceReplayWish,
  run: ReplayingRun,
): Promise<BenchRequest> => {
  try {
    return await requestOfTrace(request, wish, run);
  } catch (error) {
    throw error instanceof BenchError ? endedBy('benchInput', error) : error;
  }
};

const requestOfTrace = async (
  request: BenchRequest,
  { file, part, pace }: TraceReplayWish,
  { cwd, durationMs, signal }: ReplayingRun,
): Promise<BenchRequest> => {
  if (request.models !== undefined)
    throw usage('--trace and several models cannot be combined', 'Ask one model: --model M.');
  const place = { path: resolve(cwd, file), shownPath: file, signal };
  const format = await traceFormat(place);
  if (format === undefined)
    throw new CommandError(
      'benchInput',
      `${file} is no trace that is known`,
      'docs/datasets.md has the formats.',
    );
  if (format === 'agentic')
    throw new CommandError(
      'benchInput',
      `${file} is a trace of agents, whose conversations a run does not replay yet`,
      'Its prompts as single requests: plimsoll dataset make FILE --trace …',
    );
  const limits = { requestsMax: request.samplesMax, durationMs };
  const trace = await surveyTrace({ ...place, format, part, pace, limits }, signal);
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
        sharedTokens: sharing?.sharedTokens ?? unknown('the trace does not tell which prompts began alike'),
      },
    },
    dataset: { kind: 'timed-trace', trace },
    samplesMax: durationMs === undefined ? trace.requests : undefined,
    durationMs,
  };
};

const usage = (problem: string, advice: string): CommandError => new CommandError('usage', problem, advice);
