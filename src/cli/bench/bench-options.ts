// The options of `plimsoll bench`, each on its own; parse-bench-options.ts checks and combines them.

import type { BenchRequest } from '../../bench/run/bench-request.ts';
import { SERVER_APIS } from '../../bench/target/api/server-apis.ts';
import type { HeaderField } from '../../bench/target/load-target.ts';
import { wrong } from '../../core/figure/parse-figure.ts';
import { OBJECTIVE_NAMES, type Objective } from '../../core/run/objective.ts';
import { parseAttainment, parseObjectives } from '../../core/run/parse-objective.ts';
import { agentsOption, fromOption } from '../agent/agent-addresses.ts';
import {
  flag,
  homeOption,
  type Invocation,
  nonEmpty,
  type Option,
  repeated,
  value,
  wholeText,
} from '../command.ts';
import { CommandError } from '../command-error.ts';
import { otlpOption } from '../otlp-option.ts';
import { CANCEL } from './cancel-options.ts';
import { CHECKS } from './check-options.ts';
import { DEPTH } from './depth-options.ts';
import { parseHeader } from './headers.ts';
import { IMAGES } from './image-options.ts';
import { NAMES } from './name-options.ts';
import { duration, oneOf, requestRate, wholeNumberFrom } from './option-values.ts';
import { REPLAY } from './replay-options.ts';
import { REQUEST_OPTIONS } from './request-options.ts';
import { SESSIONS } from './session-options.ts';
import { SHAPE } from './shape-options.ts';
import { STOP } from './stop-options.ts';
import { TIMEOUTS } from './timeout-options.ts';
import { TOKENIZER } from './tokenizer-option.ts';
import { URLS } from './url-options.ts';

// `--real-time`: load threads that other programs of the machine do not keep waiting.
const REAL_TIME = {
  realTime: flag(
    'real-time',
    'Let the threads that send and stamp run before every other program, where the system allows it (Linux, as root); the report says so.',
  ),
};

/** @throws CommandError `usage` where one of `elsewhere`, the options that let other machines make the load, was given */
export const realTimePriority = (
  invocation: Invocation,
  elsewhere: readonly string[],
): Pick<BenchRequest, 'hasRealTimeThreads'> => {
  if (!invocation.option(REAL_TIME.realTime)) return {};
  const [other] = elsewhere;
  if (other === undefined) return { hasRealTimeThreads: true };
  throw new CommandError(
    'usage',
    `--real-time has no effect with ${other}: other machines make the load`,
    'Leave one of them out.',
  );
};

const API_CHOICES: readonly string[] = ['auto', ...SERVER_APIS.map(({ name }) => name)];

/** In the order of --help. Times are milliseconds. */
export const BENCH = {
  ...URLS,
  api: value({
    name: 'api',
    valueName: API_CHOICES.join('|'),
    meaning: `Which API of the server to use. Default: auto, the endpoint in the URL, otherwise ${SERVER_APIS[0].name}.`,
    parse: oneOf(...API_CHOICES),
  }),
  model: value({
    name: 'model',
    valueName: 'M',
    meaning:
      'Sent as given; several by weight: base=0.7,adapter=0.3, each reported on its own. Default: the first that the server lists.',
    parse: nonEmpty,
  }),
  requests: value({
    name: 'requests',
    valueName: 'N',
    meaning: 'Stop after this many requests.',
    parse: wholeNumberFrom(1, 1e9),
  }),
  duration: value({
    name: 'duration',
    valueName: 'D',
    meaning: 'Send requests for this long: 500ms, 30s, 2m. Default: 30s.',
    parse: duration(1, 7 * 86_400_000),
  }),
  concurrency: value({
    name: 'concurrency',
    valueName: 'C',
    meaning: 'Keep this many requests in flight. Default: 8.',
    parse: wholeNumberFrom(1, 20_000),
  }),
  rate: value({
    name: 'rate',
    valueName: 'R',
    meaning: 'Send this many requests a second, whether answers arrive or not.',
    parse: requestRate,
  }),
  arrival: value({
    name: 'arrival',
    valueName: 'poisson|constant',
    meaning: 'How requests are spread over time: at random (poisson, default) or evenly (constant).',
    parse: oneOf('poisson', 'constant'),
  }),
  maxThroughput: flag('max-throughput', 'Keep 256 requests in flight, to find the most the server can do.'),
  ...SHAPE,
  ...REPLAY,
  ...DEPTH,
  dataset: value({
    name: 'dataset',
    valueName: 'FILE',
    meaning:
      'Prompts: JSONL, a JSON list, ShareGPT, CSV, Parquet or a folder of texts (docs/bench.md). Default: generated text.',
    reads: wholeText,
    parse: nonEmpty,
  }),
  systemPrompt: value({
    name: 'system-prompt',
    valueName: 'TEXT|FILE',
    meaning:
      'The same system prompt before every request without one of its own: a text, or the file of that name.',
    reads: wholeText,
    parse: nonEmpty,
  }),
  promptColumn: value({
    name: 'prompt-column',
    valueName: 'NAME',
    meaning: 'The field of --dataset with the prompt or the messages.',
    parse: nonEmpty,
  }),
  noNonce: flag('no-nonce', 'Send prompts as they are, so that a prefix cache may answer.'),
  noGuard: flag('no-guard', 'Skip the contamination checks (docs/contamination.md); the report notes it.'),
  ...REQUEST_OPTIONS,
  ...SESSIONS,
  streaming: value({
    name: 'streaming',
    valueName: 'on|off',
    meaning: 'Request a stream, which shows time to first token. Default: on.',
    parse: oneOf('on', 'off'),
  }),
  ...TIMEOUTS,
  ...STOP,
  ...IMAGES,
  ...TOKENIZER,
  ...CHECKS,
  ...CANCEL,
  warmup: value({
    name: 'warmup',
    valueName: 'N',
    meaning: 'Requests before the measured phase, not counted. Default: one per load thread.',
    parse: text =>
      text.trim() === '0'
        ? wrong('a warm-up needs at least one request', 'Use --no-warmup, with --model.')
        : wholeNumberFrom(1, 100_000)(text),
  }),
  noWarmup: flag('no-warmup', 'Send no request at all before time zero; needs --model.'),
  ...REAL_TIME,
  from: fromOption,
  agents: agentsOption,
  ...NAMES,
  facts: value({
    name: 'facts',
    valueName: 'MODEL',
    meaning:
      'The served model, as for plimsoll headroom: the report shows its bound. Default: what the server reports.',
    reads: wholeText,
    parse: nonEmpty,
  }),
  out: value({
    name: 'out',
    valueName: 'DIR',
    meaning: 'The run directory itself, new or empty. Default: <home>/runs/<id>.',
    parse: nonEmpty,
  }),
  repeat: value({
    name: 'repeat',
    valueName: 'K',
    meaning:
      'Repeat the run this many times with new seeds, and report how much the runs differ and how small a change they can show.',
    parse: wholeNumberFrom(2, 99),
  }),
  seed: value({
    name: 'seed',
    valueName: 'N',
    meaning: 'Seed of arrival times and generated prompts. Default: 42.',
    parse: wholeNumberFrom(0, Number.MAX_SAFE_INTEGER),
  }),
  header: repeated<HeaderField>({
    name: 'header',
    valueName: 'K:V',
    meaning:
      'A header for each request. Other users of this machine can see it: use --header-file for secrets.',
    parse: parseHeader,
  }),
  headerFile: value({
    name: 'header-file',
    valueName: 'F',
    meaning: 'Headers, one "K: V" on each line.',
    reads: wholeText,
    parse: nonEmpty,
  }),
  apiKeyFile: value({
    name: 'api-key-file',
    valueName: 'F',
    meaning: 'The API key, alone in a file. Default: OPENAI_API_KEY.',
    reads: wholeText,
    parse: nonEmpty,
  }),
  maxFailures: value({
    name: 'max-failures',
    valueName: 'N',
    meaning: 'Exit with code 0 if at most this many requests failed. Default: 0. Never stops the run.',
    parse: wholeNumberFrom(0, 1e9),
  }),
  events: value({
    name: 'events',
    valueName: 'on|off',
    meaning: 'Write every event record to events.jsonl. Default: on.',
    parse: oneOf('on', 'off'),
  }),
  slo: repeated<readonly Objective[]>({
    name: 'slo',
    valueName: 'OBJECTIVE',
    meaning: `Objectives. For each request NAME=D: ${OBJECTIVE_NAMES.join(', ')}. For the run NAME.p95=D, NAME.mean=D, error-rate=P%.`,
    parse: parseObjectives,
  }),
  attainment: value({
    name: 'attainment',
    valueName: 'P%',
    meaning: 'The share of issued requests that must meet NAME=D; failed ones do not. Default: 100%.',
    parse: parseAttainment,
  }),
  requireTrustworthy: flag('require-trustworthy', 'Exit with code 14 if this machine was the limit.'),
  like: value({
    name: 'like',
    valueName: 'vllm|aiperf|guidellm',
    meaning:
      "Print the bench command for the load of another tool's command, given in place of URL: vllm, aiperf, guidellm.",
    parse: oneOf('vllm', 'aiperf', 'guidellm'),
  }),
  noteGit: value({
    name: 'note-git',
    valueName: 'DIR',
    meaning: 'Record the git commit of this folder in the report, and whether files differ from it.',
    parse: nonEmpty,
  }),
  otlp: otlpOption,
  json: flag('json', 'Print report.json alone.'),
  quiet: flag('quiet', 'Print the report alone: no progress, no notices.'),
  home: homeOption,
};

export const BENCH_OPTIONS: readonly Option<unknown>[] = Object.values(BENCH);
