// `vllm bench serve` in options of ours (vllm/benchmarks/serve.py; vllm-bench takes the same).

import { hostText } from '../../core/address/host-port.ts';
import { addBurstiness, IN_FLIGHT_MAX, LikeBuilder, type LikeCommand } from './like-command.ts';
import { ToolFlags } from './tool-flags.ts';

export const likeVllm = (words: readonly string[]): LikeCommand => {
  const flags = new ToolFlags(words);
  const made = new LikeBuilder();
  const endpoint = flags.one('endpoint');
  const backend = flags.one('backend', 'endpoint-type') ?? 'openai';
  made.add('api', endpoint?.includes('chat') === true || backend.includes('chat') ? 'chat' : 'completions');
  made.add('model', flags.one('served-model-name') ?? flags.one('model', 'm'));
  flags.has('model', 'm');
  const prompts = flags.number('num-prompts') ?? 1_000;
  made.add('requests', prompts);
  addLoad(flags, made, prompts);
  addData(flags, made);
  addRequest(flags, made);
  const warmups = flags.number('num-warmups') ?? 0;
  made.add('warmup', warmups > 0 ? warmups : undefined);
  made.add('seed', flags.number('seed') ?? 0);
  for (const header of flags.all('header') ?? []) made.add('header', header.replace('=', ': '));
  for (const goal of flags.all('goodput') ?? []) made.addGoal(goal);
  if (flags.has('save-result', 'save-detailed', 'append-result', 'result-dir', 'result-filename'))
    made.note('for the result file: plimsoll report DIR --as vllm --to FILE');
  if (flags.has('ready-check-timeout-sec')) made.note('the server must be ready: bench does not wait for it');
  return made.made(urlOf(flags), flags.unread(), HARMLESS);
};

const urlOf = (flags: ToolFlags): string => {
  const base = flags.one('base-url');
  const host = flags.one('host') ?? '127.0.0.1';
  const port = flags.one('port') ?? '8000';
  return base ?? `http://${hostText(host)}:${port}`;
};

const addLoad = (flags: ToolFlags, made: LikeBuilder, prompts: number): void => {
  const rate = flags.number('request-rate');
  const inFlight = flags.number('max-concurrency');
  if (rate === undefined) {
    made.add('concurrency', Math.min(inFlight ?? prompts, IN_FLIGHT_MAX));
    if (inFlight === undefined) made.note('vllm sends all requests at once: as many are kept in flight here');
  } else {
    made.add('rate', rate);
    made.add('max-in-flight', inFlight);
    addBurstiness(made, flags.one('burstiness'));
    made.note('vllm stretches its arrivals to the exact rate; here they are as they were drawn');
  }
  flags.has('burstiness');
};

const addData = (flags: ToolFlags, made: LikeBuilder): void => {
  const name = flags.one('dataset-name') ?? 'random';
  const path = flags.one('dataset-path');
  switch (name) {
    case 'random':
      addRandom(flags, made);
      break;
    case 'prefix_repetition':
      made.add('prefix-tokens', flags.number('prefix-repetition-prefix-len') ?? 256);
      made.add('prefixes', flags.number('prefix-repetition-num-prefixes') ?? 10);
      made.add('input-tokens', flags.number('prefix-repetition-suffix-len') ?? 256);
      made.add('output-tokens', flags.number('prefix-repetition-output-len') ?? 128);
      break;
    case 'sharegpt':
    case 'custom':
      made.add('dataset', path ?? 'FILE');
      made.add('output-tokens', flags.number('sharegpt-output-len', 'custom-output-len', 'output-len'));
      made.add('no-nonce', '');
      if (name === 'sharegpt')
        made.note(
          'vllm leaves out prompts of over 1,024 tokens and takes the length of each answer; here neither is done',
        );
      break;
    default:
      made.note(`the data set ${name} does not exist here: give a file with --dataset`);
  }
};

const addRandom = (flags: ToolFlags, made: LikeBuilder): void => {
  const ratio = flags.number('random-range-ratio') ?? 0;
  const spread = (length: number): string | number =>
    ratio > 0 && ratio < 1
      ? `${Math.max(1, Math.floor(length * (1 - ratio)))}..${Math.ceil(length * (1 + ratio))}`
      : length;
  made.add('output-tokens', spread(flags.number('random-output-len', 'output-len') ?? 128));
  made.add('input-tokens', spread(flags.number('random-input-len', 'input-len') ?? 1_024));
  if (!flags.has('ignore-eos'))
    made.note(
      'without --ignore-eos answers of vllm may end early; --output-tokens makes them as long as requested',
    );
  const prefix = flags.number('random-prefix-len') ?? 0;
  made.add('prefix-tokens', prefix > 0 ? prefix : undefined);
};

const addRequest = (flags: ToolFlags, made: LikeBuilder): void => {
  made.add('temperature', flags.number('temperature'));
  made.add('top-p', flags.number('top-p'));
  const body: Record<string, unknown> = {};
  for (const name of ['top-k', 'min-p', 'frequency-penalty', 'presence-penalty', 'repetition-penalty']) {
    const figure = flags.number(name);
    if (figure !== undefined) body[name.replaceAll('-', '_')] = figure;
  }
  const extra = flags.one('extra-body');
  if (extra !== undefined && Object.keys(body).length > 0)
    made.note(`add ${JSON.stringify(body)} to --body by hand`);
  made.add('body', extra ?? (Object.keys(body).length === 0 ? undefined : JSON.stringify(body)));
};

/** What changes no figure, or is so here anyway. */
const HARMLESS: ReadonlySet<string> = new Set([
  'disable-tqdm',
  'ignore-eos',
  'label',
  'metadata',
  'metric-percentiles',
  'percentile-metrics',
  'plot-dataset-stats',
  'plot-timeline',
  'tokenizer',
  'tokenizer-mode',
  'trust-remote-code',
]);
