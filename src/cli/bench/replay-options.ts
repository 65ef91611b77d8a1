// The options of `plimsoll bench` that replay a recorded trace, and the request made from them. `--from` already names the
// machines that load, so a part of a trace is given by --trace-from and --trace-until, as in `dataset make`.

import type { BenchRequest } from '../../bench/run/bench-request.ts';
import {
  excludes,
  isSet,
  needs,
  nonEmpty,
  type Option,
  optionsIn,
  wholeText,
} from '../../core/option/option.ts';
import { decimalFrom, duration } from '../../core/option/option-values.ts';
import type { Invocation } from '../command.ts';
import { TRACE, tracePart } from '../trace-options.ts';
import type { ReplayingRun, TraceReplayRequest } from './replay-request.ts';

const { choice, flag, value, valueOr } = optionsIn('Replay of a trace');

/** A trace has its own prompts, lengths and sessions. */
const TRACE_CONFLICTS = [
  ...['stages', 'profile', 'depths', 'repetitions', 'dataset', 'prompt-column', 'input-tokens'],
  ...['output-tokens', 'prefix-tokens', 'prefixes', 'hit-rate', 'turns', 'multi-turn', 'think-time'],
  ...['answers', 'system-prompt', 'history', 'images', 'image-size', 'image-folder', 'from', 'agents'],
] as const;

const OPEN = ['rate', 'max-throughput'] as const;

/** In the order of --help. */
export const REPLAY = {
  trace: value({
    name: 'trace',
    rules: [excludes(TRACE_CONFLICTS, { advice: 'A trace contains its own requests and times.' })],
    valueName: 'FILE',
    meaning:
      'Replay a recorded trace, its requests at their times: Mooncake, Azure, BurstGPT, agents, plimsoll capture (docs/datasets.md).',
    reads: wholeText,
    parse: nonEmpty,
  }),
  speed: valueOr({
    name: 'speed',
    fallback: '1',
    rules: [needs({ trace: 'FILE' })],
    valueName: 'X',
    meaning: 'Replay the trace this many times faster than recorded.',
    parse: decimalFrom(0.001, 100_000, {
      what: 'speed',
      advice: 'Write how many times faster than recorded: --speed 10, or --speed 0.5 for half as fast.',
    }),
  }),
  longestGap: value({
    name: 'gap-max',
    rules: [needs({ trace: 'FILE' })],
    valueName: 'D',
    meaning: 'Shorten longer pauses of the trace to this, in the time of the trace.',
    parse: duration(1, 366 * 86_400_000),
  }),
  ...TRACE,
  prime: flag(
    'prime',
    "Before time zero send what precedes the starts of --start-at, so that the server's cache has it; later conversations of agents begin with their first request.",
    {
      rules: [
        needs({ trace: 'FILE' }),
        excludes([...OPEN, 'warmup', 'no-warmup'], {
          advice: 'Give the number of sessions: --concurrency 8',
        }),
      ],
    },
  ),
  recycle: flag(
    'recycle',
    'After the last conversation of agents begin again with the first, until --duration ends.',
    {
      rules: [
        needs({ trace: 'FILE' }),
        excludes(['requests', 'sessions'], { advice: 'Use the one that should end the run.' }),
      ],
    },
  ),
  longestIdle: value({
    name: 'idle-max',
    rules: [
      needs({ trace: 'FILE' }),
      excludes(OPEN, { because: 'sessions then arrive by a schedule', advice: 'Use --concurrency.' }),
    ],
    valueName: 'D',
    meaning:
      'Longest time without a request in flight: longer ones end sooner, by the same time for all conversations of agents.',
    parse: duration(1, 366 * 86_400_000),
  }),
  nonceOf: choice({
    name: 'nonce-of',
    rules: [needs({ trace: 'FILE' }), excludes(['no-nonce'])],
    meaning:
      'What the nonce of prompts of agents distinguishes: runs (default), or each session, after what conversations have in common.',
    choices: ['run', 'session'],
  }),
};

/** What is to be replayed, and how; undefined: no trace. */
export const traceReplayRequest = (
  invocation: Invocation,
  options: readonly Option<unknown>[],
): TraceReplayRequest | undefined => {
  const given = <T>(option: Option<T>): T => invocation.option(option);
  const file = given(REPLAY.trace);
  if (file === undefined) return undefined;
  return {
    file,
    given: options.filter(option => isSet(invocation, option)).map(({ name }) => name),
    part: tracePart(given),
    pace: { speed: given(REPLAY.speed), gapMsMax: given(REPLAY.longestGap) },
    isPrimed: given(REPLAY.prime),
    isRecycled: given(REPLAY.recycle),
    idleMsMax: given(REPLAY.longestIdle),
    nonceOf: given(REPLAY.nonceOf) ?? 'run',
  };
};

/** As it was asked for where no trace is replayed. @throws CommandError */
export const replayed = async (
  request: BenchRequest,
  options: TraceReplayRequest | undefined,
  run: ReplayingRun,
): Promise<BenchRequest> => {
  if (options === undefined) return request;
  const { replayRequest } = await loadReplay();
  return await replayRequest(request, options, run);
};

/** Loaded late: few commands read a trace. */
const loadReplay = () => import('./replay-request.ts');
