// `aiperf profile` in options of ours (AIPerf 0.13; GenAI-Perf's `genai-perf profile` has most of the same flags).

import { addBurstiness, LikeBuilder, type LikeCommand, lengthText } from './like-command.ts';
import { ToolFlags } from './tool-flags.ts';

export const likeAiperf = (words: readonly string[]): LikeCommand => {
  const flags = new ToolFlags(words, ALIASES);
  const made = new LikeBuilder();
  const endpoint = flags.one('endpoint-type') ?? 'chat';
  if (endpoint === 'chat' || endpoint === 'completions') made.add('api', endpoint);
  else made.note(`the endpoint type ${endpoint} does not exist here`);
  made.add('model', flags.one('model', 'model-names'));
  addLoad(flags, made);
  addData(flags, made);
  made.add('temperature', extraOf(flags, 'temperature'));
  made.add('body', bodyOf(flags));
  if (!flags.has('streaming')) made.add('streaming', 'off');
  const timeout = flags.number('request-timeout-seconds');
  made.add('timeout', timeout === undefined ? undefined : `${timeout}s`);
  made.add('warmup', flags.number('warmup-request-count', 'num-warmup-requests'));
  made.add('seed', flags.number('random-seed'));
  for (const header of flags.all('header') ?? []) made.add('header', header);
  for (const goal of (flags.one('goodput') ?? '').split(/\s+/)) if (goal !== '') made.addGoal(goal);
  if (flags.has('artifact-dir', 'output-artifact-dir', 'profile-export-file'))
    made.note('for the records: plimsoll report DIR --as aiperf --to FILE');
  if (flags.has('api-key')) made.note('put the API key into a file: --api-key-file F');
  const url = flags.one('url') ?? 'http://localhost:8000';
  return made.made(url.includes('://') ? url : `http://${url}`, flags.unread(), HARMLESS);
};

const addLoad = (flags: ToolFlags, made: LikeBuilder): void => {
  const rate = flags.number('request-rate');
  const concurrency = flags.number('concurrency');
  const seconds = flags.number('benchmark-duration');
  const requests = flags.number('request-count', 'num-requests');
  made.add(
    'requests',
    requests ?? (seconds === undefined ? Math.max(10, (concurrency ?? 1) * 2) : undefined),
  );
  made.add('duration', seconds === undefined ? undefined : `${seconds}s`);
  if (rate === undefined) made.add('concurrency', concurrency ?? 1);
  else {
    made.add('rate', rate);
    const pattern = flags.one('arrival-pattern', 'request-rate-mode');
    const smoothness = flags.one('arrival-smoothness', 'vllm-burstiness');
    if (pattern === 'constant') made.add('arrival', 'constant');
    else if (pattern === undefined || pattern === 'gamma') addBurstiness(made, smoothness);
    made.add('max-in-flight', concurrency);
  }
};

const addData = (flags: ToolFlags, made: LikeBuilder): void => {
  const file = flags.one('input-file');
  const type = flags.one('custom-dataset-type') ?? 'single_turn';
  if (file !== undefined) {
    made.add('dataset', file);
    made.add('prompt-column', type === 'single_turn' ? 'text' : undefined);
    made.add('no-nonce', '');
    if (type !== 'single_turn')
      made.note(`data sets of type ${type} are read here only where they are JSONL of prompts`);
  } else made.add('input-tokens', lengthText(flags.number('isl') ?? 550, flags.number('isl-stddev')));
  made.add('output-tokens', lengthText(flags.number('osl'), flags.number('osl-stddev')));
  made.add('prefix-tokens', flags.number('prefix-prompt-length'));
  made.add('prefixes', flags.number('num-prefix-prompts'));
};

const extraOf = (flags: ToolFlags, name: string): string | undefined =>
  (flags.all('extra-inputs') ?? []).find(extra => extra.startsWith(`${name}:`))?.slice(name.length + 1);

/** "min_p:0.1" each; one that is a JSON object holds several. */
const bodyOf = (flags: ToolFlags): string | undefined => {
  const fields: Record<string, unknown> = {};
  for (const extra of flags.all('extra-inputs') ?? []) {
    const [, name = '', text = ''] = /^([^:{]+):(.*)$/s.exec(extra) ?? [];
    if (extra.startsWith('{')) return extra;
    if (name !== '' && !OWN_EXTRAS.has(name)) fields[name] = asJson(text);
  }
  return Object.keys(fields).length === 0 ? undefined : JSON.stringify(fields);
};

const asJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** Extra inputs that our own options set, or that are the default here. */
const OWN_EXTRAS: ReadonlySet<string> = new Set(['temperature', 'ignore_eos', 'max_tokens', 'min_tokens']);
const ALIASES: Readonly<Record<string, string>> = {
  '-m': 'model',
  '-u': 'url',
  '-H': 'header',
  '--input-sequence-length-mean': 'isl',
  '--synthetic-input-tokens-mean': 'isl',
  '--synthetic-input-tokens-stddev': 'isl-stddev',
  '--output-tokens-mean': 'osl',
  '--output-tokens-stddev': 'osl-stddev',
  '--prompt-input-tokens-mean': 'isl',
  '--prompt-output-tokens-mean': 'osl',
};
const HARMLESS: ReadonlySet<string> = new Set([
  'tokenizer',
  'tokenizer-revision',
  'tokenizer-trust-remote-code',
  'ui',
  'ui-type',
  'log-level',
  'verbose',
  'v',
  'extra-verbose',
  'export-level',
  'workers-max',
  'max-workers',
  'gpu-telemetry',
  'no-gpu-telemetry',
  'no-server-metrics',
  'server-metrics',
]);
