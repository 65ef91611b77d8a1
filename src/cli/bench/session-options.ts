// The options of `plimsoll bench` that make a load of sessions: chats of several turns, and what the concurrency of a closed loop counts.

import type { ServerApi } from '../../bench/target/api/server-api.ts';
import { type Parsed, wrong } from '../../core/figure/parse-figure.ts';
import { parseLength } from '../../core/figure/parse-length.ts';
import { excludes, needs, type OptionReader, optionsIn } from '../../core/option/option.ts';
import { wholeNumberFrom } from '../../core/option/option-values.ts';
import type { SessionDatasetOptions } from '../../core/run/load-request.ts';
import { isOpenLoop, type RunPattern } from '../../core/run/run-pattern.ts';
import { CONCURRENCY_UNITS, type RunShape, SESSION_HISTORIES } from '../../core/run/run-shape.ts';
import { parseThinkTime } from '../../core/run/think-time.ts';
import type { LengthDistribution } from '../../core/statistics/length-distribution.ts';
import { unknown } from '../../core/unknown.ts';
import type { Invocation } from '../command.ts';
import { usage } from '../command-error.ts';

const { choice, flag, value } = optionsIn('Conversations');

const turnCount = (text: string): Parsed<LengthDistribution> => {
  const options = parseLength(text);
  if (options.kind === 'wrong')
    return wrong(
      options.problem.replace('tokens', 'turns'),
      'Write a number such as 4, or a range such as 2..8.',
    );
  if (options.value.kind === 'file')
    return wrong('turns cannot be read from a file', 'Write weights: 1:50,4:50.');
  return { kind: 'ok', value: options.value };
};

/** In the order of --help. */
export const SESSIONS = {
  turns: value({
    name: 'turns',
    rules: [
      excludes(['dataset'], {
        because: 'the number of turns is that of each conversation',
        advice: 'Use --multi-turn with the data set, or leave it out.',
      }),
    ],
    valueName: 'N|A..B|D',
    meaning:
      'Generated chats with this many turns, each with its history: 4, 2..8 or a distribution of docs/bench.md.',
    parse: turnCount,
  }),
  multiTurn: flag(
    'multi-turn',
    'Play the conversations of --dataset with all their turns, not only the first.',
    { rules: [needs({ dataset: 'FILE' })] },
  ),
  thinkTime: value({
    name: 'think-time',
    rules: [needs({ turns: '4', 'multi-turn': undefined })],
    valueName: 'D|A..B',
    meaning: 'The pause between an answer and the next turn: 2s, 1s..5s, exponential(2s). Default: none.',
    parse: parseThinkTime,
  }),
  answers: choice({
    name: 'answers',
    rules: [needs({ turns: '4', 'multi-turn': undefined })],
    meaning:
      'What the history of later turns contains: the answers of the server (default), or those of --dataset.',
    choices: ['live', 'recorded'],
  }),
  history: choice({
    name: 'history',
    rules: [needs({ turns: '4', 'multi-turn': undefined })],
    meaning:
      'Where the history is stored: in the client, which sends it each time (default), or in the server (--api responses).',
    choices: SESSION_HISTORIES,
  }),
  sessions: value({
    name: 'sessions',
    rules: [needs({ turns: '4', 'multi-turn': undefined, trace: 'FILE' })],
    valueName: 'N',
    meaning: 'Stop after this many sessions.',
    parse: wholeNumberFrom(1, 1e9),
  }),
  concurrencyOf: choice({
    name: 'concurrency-of',
    rules: [
      needs({ turns: '4', 'multi-turn': undefined, trace: 'FILE' }),
      excludes(['rate'], { advice: 'A rate counts sessions; leave --concurrency-of out.' }),
    ],
    meaning:
      'What --concurrency counts: whole sessions with their thinking time (default), or requests in flight.',
    choices: CONCURRENCY_UNITS,
  }),
};

export const hasSessions = ({ option }: Pick<Invocation, 'option'>): boolean =>
  option(SESSIONS.turns) !== undefined || option(SESSIONS.multiTurn);

interface RequestedSessions {
  readonly sessions?: SessionDatasetOptions;
  readonly shape: Pick<RunShape, 'sessions'>;
  readonly sessionsMax: number | undefined;
}

/** @throws CommandError `usage` for what contradicts or would have no effect. */
export const sessionDatasetOptions = (
  given: OptionReader,
  run: {
    readonly pattern: RunPattern;
    readonly hasDataset: boolean;
    readonly isMoving: boolean;
    /** True for a trace, which defines its own sessions. */
    readonly isReplay: boolean;
    readonly api: ServerApi;
  },
): RequestedSessions => {
  const turns = given(SESSIONS.turns);
  const isMultiTurn = given(SESSIONS.multiTurn);
  const concurrencyOf = given(SESSIONS.concurrencyOf);
  const answers = given(SESSIONS.answers);
  const thinkTime = given(SESSIONS.thinkTime);
  const history = given(SESSIONS.history);
  const sessionsMax = given(SESSIONS.sessions);
  if (turns === undefined && !isMultiTurn) {
    return { shape: { sessions: unknown('requests are independent') }, sessionsMax: undefined };
  }
  if (answers === 'recorded' && !isMultiTurn)
    throw usage('--answers recorded has no effect without --multi-turn', 'Generated chats have no answers.');
  if (history === 'server' && run.api.conversation?.kept === undefined)
    throw usage(
      `--history server and the API ${run.api.name} cannot be combined: it cannot continue a history that the server stores`,
      'Write: --api responses, or leave out --history.',
    );
  if (history === 'server' && answers === 'recorded')
    throw usage(
      '--history server and --answers recorded cannot be combined: a server continues from its own answers',
      'Leave one of them out.',
    );
  if (run.isMoving && !isOpenLoop(run.pattern) && concurrencyOf === 'requests')
    throw usage(
      '--concurrency-of requests and a concurrency that moves cannot be combined: a turn that waits for a level waits neither for the server nor for its session',
      'Use --concurrency-of sessions, or leave out --ramp, --warmup-duration and --stages.',
    );
  return {
    sessions: { turns, thinkTime, answers: answers ?? 'live' },
    shape: {
      sessions: { concurrencyOf: concurrencyOf ?? 'sessions', ...(history === 'server' ? { history } : {}) },
    },
    sessionsMax,
  };
};
