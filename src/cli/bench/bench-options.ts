// The options of `plimsoll bench`, each on its own; parse-bench-options.ts checks and combines them.

import { RUN_OPTIONS } from '../../bench/run/run-options.ts';
import { SERVER_APIS } from '../../bench/target/api/server-apis.ts';
import type { HeaderField } from '../../bench/target/load-target.ts';
import { parsed, wrong } from '../../core/figure/parse-figure.ts';
import { isRunId } from '../../core/ids.ts';
import { excludes, needs, nonEmpty, type Option, optionsIn, wholeText } from '../../core/option/option.ts';
import { duration, requestRate, wholeNumberFrom } from '../../core/option/option-values.ts';
import { type Objective, REQUEST_OBJECTIVE_NAMES } from '../../core/run/objective.ts';
import { parseObjectives } from '../../core/run/parse-objective.ts';
import { agentsOption, fromOption } from '../agent/agent-addresses.ts';
import { homeOption } from '../command.ts';
import { LIKE_TOOLS } from '../like/like-command.ts';
import { otlpOption } from '../otlp-option.ts';
import { FORM } from '../report/form-options.ts';
import { webhookOption } from '../webhook-option.ts';
import { ARRIVAL } from './arrival-options.ts';
import { CANCEL } from './cancel-options.ts';
import { CHECKS } from './check-options.ts';
import { DEPTH } from './depth-options.ts';
import { parseHeader } from './headers.ts';
import { IMAGES } from './image-options.ts';
import { NAMES } from './name-options.ts';
import { REPLAY } from './replay-options.ts';
import { REQUEST_OPTIONS } from './request-options.ts';
import { scenarioOption } from './scenario-option.ts';
import { SESSIONS } from './session-options.ts';
import { SHAPE } from './shape-options.ts';
import { STOP } from './stop-options.ts';
import { TIMEOUTS } from './timeout-options.ts';
import { TOKENIZER } from './tokenizer-option.ts';
import { URLS } from './url-options.ts';

const server = optionsIn('Server');
const load = optionsIn('Load');
const requests = optionsIn('Requests');
const judged = optionsIn('Objectives and exit codes');
const output = optionsIn('Output');

const WARMUPS = wholeNumberFrom(1, 100_000);

const API_CHOICES: readonly string[] = ['auto', ...SERVER_APIS.map(({ name }) => name)];

/** In the order of --help. Times are milliseconds. */
export const BENCH = {
  ...URLS,
  api: server.choice({
    name: 'api',
    valueName: 'NAME',
    meaning: `API: ${API_CHOICES.slice(1).join(', ')}. Default: auto, by the URL, else ${SERVER_APIS[0].name}.`,
    choices: API_CHOICES,
  }),
  model: server.value({
    name: 'model',
    aliases: ['m'],
    isCommon: true,
    valueName: 'M',
    meaning:
      'Sent as given; several by weight: base=0.7,adapter=0.3, each reported on its own. Default: the first that the server lists.',
    parse: nonEmpty,
  }),
  requests: load.value({
    name: 'requests',
    rules: [
      excludes(['turns', 'multi-turn'], { advice: 'Give the number of sessions: --sessions 100' }),
      excludes(['duration'], { advice: 'Use the one that should end the run.' }),
    ],
    aliases: ['num-prompts', 'num-requests', 'request-count', 'max-requests', 'n'],
    isCommon: true,
    valueName: 'N',
    meaning: 'Stop after this many requests.',
    parse: wholeNumberFrom(1, 1e9),
  }),
  duration: load.value({
    name: 'duration',
    rules: [excludes(['sessions'], { advice: 'Use the one that should end the run.' })],
    aliases: ['d', 'z'],
    isCommon: true,
    valueName: 'D',
    meaning: 'Send requests for this long: 500ms, 30s, 2m. Default: 30s.',
    parse: duration(1, 7 * 86_400_000),
  }),
  concurrency: load.value({
    name: 'concurrency',
    rules: [excludes(['rate', 'max-throughput', 'stages'], { advice: 'Use one of them.' })],
    aliases: ['vus', 'c'],
    isCommon: true,
    valueName: 'C',
    meaning: 'Keep this many requests in flight. Default: 8.',
    parse: wholeNumberFrom(1, 20_000),
  }),
  rate: load.value({
    name: 'rate',
    rules: [excludes(['max-throughput', 'stages'], { advice: 'Use one of them.' })],
    aliases: ['qps'],
    isCommon: true,
    valueName: 'R',
    meaning: 'Send this many requests a second, whether answers arrive or not.',
    parse: requestRate,
  }),
  ...ARRIVAL,
  maxThroughput: load.flag(
    'max-throughput',
    'Keep 256 requests in flight, to find the most the server can do.',
    { rules: [excludes(['stages'], { advice: 'Use one of them.' })] },
  ),
  ...SHAPE,
  scenario: scenarioOption,
  ...REPLAY,
  ...DEPTH,
  dataset: requests.value({
    name: 'dataset',
    isCommon: true,
    valueName: 'FILE',
    meaning:
      'Prompts: JSONL, a JSON list, ShareGPT, CSV, Parquet, a folder of texts, or hf:org/name (docs/datasets.md). Default: generated text.',
    reads: wholeText,
    parse: nonEmpty,
  }),
  systemPrompt: requests.value({
    name: 'system-prompt',
    rules: [excludes(['prefix-tokens'], { advice: 'Both are a system prompt: use one of them.' })],
    valueName: 'TEXT|FILE',
    meaning:
      'The same system prompt before every request without one of its own: a text, or the file of that name.',
    reads: wholeText,
    parse: nonEmpty,
  }),
  promptColumn: requests.value({
    name: 'prompt-column',
    rules: [needs({ dataset: 'FILE' })],
    valueName: 'NAME',
    meaning: 'The field of --dataset with the prompt or the messages.',
    parse: nonEmpty,
  }),
  ...REQUEST_OPTIONS,
  ...SESSIONS,
  streaming: requests.choice({
    name: 'streaming',
    valueAlone: 'on',
    meaning: 'Request a stream, which shows time to first token. Default: on.',
    choices: ['on', 'off'],
  }),
  ...TIMEOUTS,
  ...STOP,
  ...IMAGES,
  ...TOKENIZER,
  ...CHECKS,
  ...CANCEL,
  warmup: load.value({
    name: 'warmup',
    rules: [excludes(['no-warmup'])],
    valueName: 'N',
    meaning: 'Requests before the measured phase, not counted. Default: one per load thread.',
    schema: WARMUPS.schema,
    parse: text =>
      text.trim() === '0'
        ? wrong('a warm-up needs at least one request', 'Use --no-warmup, with --model.')
        : WARMUPS(text),
  }),
  noWarmup: load.flag('no-warmup', 'Send no request at all before time zero; needs --model.'),
  from: fromOption,
  agents: agentsOption,
  ...NAMES,
  facts: output.value({
    name: 'facts',
    valueName: 'MODEL',
    meaning:
      'The served model, as for plimsoll headroom: the report shows its bound. Default: what the server reports.',
    reads: wholeText,
    parse: nonEmpty,
  }),
  out: output.value({
    name: 'out',
    isOfOneCall: true,
    valueName: 'DIR',
    meaning: 'The run directory itself, new or empty. Default: <home>/runs/<id>.',
    parse: nonEmpty,
  }),
  id: output.value({
    name: 'id',
    isOfOneCall: true,
    rules: [excludes(['resume'])],
    valueName: 'ID',
    meaning: 'The id, up to 64 letters, digits, - and _. Default: from the time.',
    parse: text =>
      isRunId(text)
        ? parsed<string>(text)
        : wrong('it is not up to 64 letters, digits, - and _', 'Write for example: --id nightly-12'),
  }),
  repeat: output.value({
    name: 'repeat',
    valueName: 'K',
    meaning:
      'Repeat the run this many times with new seeds, and report how much the runs differ and how small a change they can show.',
    parse: wholeNumberFrom(2, 99),
  }),
  header: server.repeated<HeaderField>({
    name: 'header',
    isSecret: true,
    aliases: ['H'],
    valueName: 'K:V',
    meaning:
      'A header for each request. Other users of this machine can see it: use --header-file for secrets.',
    parse: parseHeader,
  }),
  headerFile: server.value({
    name: 'header-file',
    isSecret: true,
    valueName: 'F',
    meaning: 'Headers, one "K: V" on each line.',
    reads: wholeText,
    parse: nonEmpty,
  }),
  apiKeyFile: server.value({
    name: 'api-key-file',
    isSecret: true,
    isCommon: true,
    valueName: 'F',
    meaning: 'The API key, alone in a file. Default: OPENAI_API_KEY.',
    reads: wholeText,
    parse: nonEmpty,
  }),
  maxFailures: judged.value({
    name: 'max-failures',
    valueName: 'N',
    meaning: 'Exit with code 0 if at most this many requests failed. Default: 0. Never stops the run.',
    parse: wholeNumberFrom(0, 1e9),
  }),
  slo: judged.repeated<readonly Objective[]>({
    name: 'slo',
    isCommon: true,
    valueName: 'OBJECTIVE',
    meaning: `Of a request NAME=D: ${REQUEST_OBJECTIVE_NAMES.join(', ')}. Of the run [turn 2+] NAME.p95=D, NAME.mean=D, session.p95=D, error-rate=P%.`,
    parse: parseObjectives,
  }),
  ...RUN_OPTIONS,
  requireTrustworthy: judged.flag('require-trustworthy', 'Exit with code 14 if this machine was the limit.'),
  like: output.choice({
    name: 'like',
    isOfOneCall: true,
    meaning:
      "Print the command for the load of another tool's command, given in place of URL (docs/coming-from.md).",
    choices: LIKE_TOOLS,
    valueName: 'TOOL',
  }),
  save: output.value({
    name: 'save',
    isOfOneCall: true,
    valueName: 'FILE',
    meaning: 'Write this command as a file of options (.toml, .yaml or .json) instead of running it.',
    parse: nonEmpty,
  }),
  noteGit: output.value({
    name: 'note-git',
    isOfOneCall: true,
    valueName: 'DIR',
    meaning: 'Record the git commit of this folder in the report, and whether files differ from it.',
    parse: nonEmpty,
  }),
  ...FORM,
  otlp: otlpOption,
  webhook: webhookOption,
  json: output.flag('json', 'Print report.json alone.', { isOfOneCall: true }),
  quiet: output.flag('quiet', 'Print the report alone: no progress, no notices.', { isOfOneCall: true }),
  home: homeOption,
};

export const BENCH_OPTIONS: readonly Option<unknown>[] = Object.values(BENCH);

/** For commands whose runs are those of bench but for some options: a new option is part of them too. */
export const benchOptionsWithout = (left: readonly Option<unknown>[]): readonly Option<unknown>[] =>
  BENCH_OPTIONS.filter(option => !left.includes(option));
