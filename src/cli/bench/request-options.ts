// The options of `plimsoll bench` for each request: length of prompts and answers, shared prefixes, sampling by the server, and
// other fields of the body.

import { resolve } from 'node:path';
import * as v from 'valibot';
import { LENGTHS_DRAWN, type LengthChoice, lengthsOf } from '../../bench/dataset/length-choice.ts';
import { PROMPT_WORDS } from '../../bench/dataset/synthetic-dataset.ts';
import type { RequestSettings } from '../../bench/run/bench-request.ts';
import { counted } from '../../core/figure/figure.ts';
import { type Parsed, parsed, wrong } from '../../core/figure/parse-figure.ts';
import { type LengthRequest, parseLength } from '../../core/figure/parse-length.ts';
import { isJsonObject, type JsonObject, parseAnyJson } from '../../core/json.ts';
import { excludes, needs, type OptionReader, optionsIn } from '../../core/option/option.ts';
import { decimalFrom, wholeNumberFrom } from '../../core/option/option-values.ts';
import { LOAD_OPTIONS } from '../../core/run/load-request.ts';
import { BODY_TEXT_MAX } from '../../core/run/run-requests.ts';
import { distributionText, LENGTH_MAX } from '../../core/statistics/length-distribution.ts';
import { secretIn } from '../../core/text/secret-look.ts';
import { shellCommand } from '../../core/text/shell-words.ts';
import { usage } from '../command-error.ts';

const { value } = optionsIn('Requests');

const bodyFields = (text: string): Parsed<JsonObject> => {
  if (text.length > BODY_TEXT_MAX)
    return wrong(`it is longer than ${BODY_TEXT_MAX} characters`, 'Use a data set for long content.');
  const json = parseAnyJson(text);
  if (!isJsonObject(json)) {
    // It is not repeated: it may have a key in it.
    return wrong('it is not a JSON object', 'Write it in single quotes: --body \'{"top_k": 40}\'');
  }
  for (const [name, advice] of OWN_FIELDS) {
    if (Object.hasOwn(json, name)) return wrong(`"${name}" cannot be set with --body`, advice);
  }
  const secret = secretIn(json);
  if (secret !== undefined)
    return wrong(
      `${JSON.stringify(secret.slice(0, SHOWN_CHARACTERS))} looks like a secret, and --body is stored with the run`,
      'Send it as a header, which is never stored: --header-file FILE or --api-key-file FILE.',
    );
  const { max_tokens: limit } = json;
  return limit === undefined || limit === null
    ? parsed(json)
    : wrong(
        '"max_tokens" cannot be set with --body',
        `Write: ${shellCommand`--output-tokens ${JSON.stringify(limit).slice(0, 20)}`}`,
      );
};

const hitRate = (text: string): Parsed<number> => {
  const percent = /^\d{1,2}(\.\d{1,3})?%$/.test(text) ? Number(text.slice(0, -1)) : 0;
  return percent >= 1
    ? parsed(percent / 100)
    : wrong(
        `${JSON.stringify(text.slice(0, 40))} is not a share of prompt tokens`,
        'Write a percentage from 1 to 99.999, such as 60%.',
      );
};

const lengthFile = (text: string): string | undefined => {
  const options = parseLength(text);
  return options.kind === 'ok' && options.value.kind === 'file' ? options.value.path : undefined;
};

const NOT_WITH_DATASET = excludes(['dataset'], { because: 'its prompts are sent as they are' });

/** In the order of --help. */
export const REQUEST_OPTIONS = {
  outputTokens: value({
    name: 'output-tokens',
    isCommon: true,
    valueName: 'N|A..B|D',
    meaning:
      'How long answers are: 256, 50..200, normal(1024,200) or another distribution of docs/bench.md. Default: at most 256.',
    reads: lengthFile,
    parse: parseLength,
  }),
  inputTokens: value({
    name: 'input-tokens',
    rules: [NOT_WITH_DATASET],
    isCommon: true,
    valueName: 'N|A..B|D',
    meaning: 'How long generated prompts are, as the server counts them. Default: 128 words.',
    reads: lengthFile,
    parse: parseLength,
  }),
  prefixTokens: value({
    name: 'prefix-tokens',
    rules: [NOT_WITH_DATASET],
    valueName: 'N',
    meaning: 'Begin each generated prompt with a system prompt this long that requests share.',
    parse: wholeNumberFrom(1, LENGTH_MAX),
  }),
  prefixes: value({
    name: 'prefixes',
    rules: [needs({ 'prefix-tokens': '1024', 'hit-rate': '60%' })],
    valueName: 'K',
    meaning: 'How many different system prompts of --prefix-tokens there are, used in turn. Default: 1.',
    parse: wholeNumberFrom(1, 1_000),
  }),
  hitRate: value({
    name: 'hit-rate',
    rules: [
      NOT_WITH_DATASET,
      excludes(['prefix-tokens'], { because: 'it determines how long the shared prefix is' }),
      excludes(['system-prompt'], { advice: 'Both are a system prompt: use one of them.' }),
      excludes(['turns', 'multi-turn'], { because: 'the history of a session is cached too' }),
      excludes(['no-nonce'], { because: 'a repeated prompt is cached as a whole' }),
    ],
    valueName: 'P%',
    meaning:
      'Begin generated prompts with a shared system prompt so long that a prefix cache can have this share of their tokens.',
    parse: hitRate,
  }),
  temperature: value({
    name: 'temperature',
    valueName: 'T',
    meaning: 'How the server samples: sent with each request. Default: left to the server.',
    parse: decimalFrom(0, 100, { advice: 'Write: --temperature 0.7' }),
  }),
  topP: value({
    name: 'top-p',
    valueName: 'P',
    meaning:
      'Sent with each request: the share of the likeliest tokens to sample from. Default: left to the server.',
    parse: decimalFrom(0, 1, { advice: 'Write: --top-p 0.95' }),
  }),
  seedSampling: value({
    name: 'seed-sampling',
    valueName: 'N',
    meaning: 'Sent with each request: the seed of sampling in the server, which --seed does not change.',
    parse: wholeNumberFrom(0, Number.MAX_SAFE_INTEGER),
  }),
  body: value({
    name: 'body',
    schema: v.record(v.string(), v.unknown()),
    aliases: ['extra-body'],
    valueName: 'JSON',
    meaning:
      'Fields for each request: \'{"top_k": 40}\'; null leaves one out. Secrets are refused: it is stored.',
    parse: bodyFields,
  }),
};

/** @throws CommandError `usage` for what contradicts or would have no effect. */
export const requestSettingsOf = (
  given: OptionReader,
  { cwd }: { readonly cwd: string },
): RequestSettings => {
  const options = {
    outputTokens: choiceOf(given(REQUEST_OPTIONS.outputTokens), cwd),
    inputTokens: choiceOf(given(REQUEST_OPTIONS.inputTokens), cwd),
    ...prefixesOf(given),
    fields: fieldsOf(given),
  };
  const limit = LIMITS_OF_OTHERS.find(name => name in options.fields);
  if (options.outputTokens !== undefined && limit !== undefined) {
    throw usage(
      `--output-tokens and "${limit}" of --body cannot be combined`,
      'Use one of them for the length of answers.',
    );
  }
  return options;
};

const choiceOf = (options: LengthRequest | undefined, cwd: string): LengthChoice | undefined =>
  options?.kind === 'file'
    ? { kind: 'file', path: resolve(cwd, options.path), shownPath: options.path }
    : options;

const prefixesOf = (given: OptionReader): Pick<RequestSettings, 'prefixes' | 'hitRate'> => {
  const share = given(REQUEST_OPTIONS.hitRate);
  const tokens = share === undefined ? given(REQUEST_OPTIONS.prefixTokens) : prefixTokensFor(share, given);
  return {
    prefixes: tokens === undefined ? undefined : { tokens, count: given(REQUEST_OPTIONS.prefixes) ?? 1 },
    ...(share === undefined ? {} : { hitRate: share }),
  };
};

/** Prefixes are equally long, so that the mean length of what the run draws after them decides. */
const prefixTokensFor = (share: number, given: OptionReader): number => {
  const own = given(REQUEST_OPTIONS.inputTokens) ?? { kind: 'fixed' as const, value: PROMPT_WORDS };
  if (own.kind === 'file')
    throw usage(
      '--hit-rate and lengths of a file cannot be combined',
      'Write them as a distribution, such as --input-tokens 128:60,512:30.',
    );
  const chosen = { distribution: own, text: distributionText(own) };
  const draw = lengthsOf(chosen, { seed: given(LOAD_OPTIONS.seed), purpose: 'input' });
  let total = 0;
  for (let drawn = 0; drawn < LENGTHS_DRAWN; drawn += 1) total += draw();
  const tokens = Math.round((share / (1 - share)) * (total / LENGTHS_DRAWN));
  if (tokens >= 1 && tokens <= LENGTH_MAX) return tokens;
  throw usage(
    `--hit-rate needs a shared prefix of ${counted(tokens, 'token')}, which is not from 1 to ${LENGTH_MAX}`,
    'Use another share, or another --input-tokens.',
  );
};

/** An option and --body for one field would leave open which of them is sent. */
const fieldsOf = (given: OptionReader): JsonObject => {
  const sampling = SAMPLING.flatMap(([field, option]) => {
    const number = given(option);
    return number === undefined ? [] : [{ field, name: option.name, number }];
  });
  const body = given(REQUEST_OPTIONS.body) ?? {};
  const twice = sampling.find(({ field }) => Object.hasOwn(body, field));
  if (twice !== undefined)
    throw usage(`--${twice.name} and "${twice.field}" of --body cannot be combined`, 'Use one of them.');
  return { ...Object.fromEntries(sampling.map(({ field, number }) => [field, number])), ...body };
};

const SHOWN_CHARACTERS = 80;
const SAMPLING = [
  ['temperature', REQUEST_OPTIONS.temperature],
  ['top_p', REQUEST_OPTIONS.topP],
  ['seed', REQUEST_OPTIONS.seedSampling],
] as const;

/** Fields that the run writes itself, and what to use instead. */
const OWN_FIELDS: readonly (readonly [name: string, advice: string])[] = [
  ['model', 'Write: --model M'],
  ['messages', 'Use --dataset FILE for prompts of your own.'],
  ['prompt', 'Use --dataset FILE for prompts of your own.'],
  ['stream', 'Use --streaming on or --streaming off.'],
];
const LIMITS_OF_OTHERS = ['max_tokens', 'max_completion_tokens', 'n_predict'] as const;
