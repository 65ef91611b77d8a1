// `guidellm benchmark` in options of ours (GuideLLM 0.3 to 0.8).

import type { LikeCommand } from './like-command.ts';
import { LikeBuilder, lengthText } from './like-command.ts';
import { ToolFlags } from './tool-flags.ts';

export const likeGuidellm = (words: readonly string[]): LikeCommand => {
  const flags = new ToolFlags(words);
  const made = new LikeBuilder();
  const format = flags.one('request-format', 'request-type') ?? 'chat_completions';
  made.add('api', format.includes('chat') ? 'chat' : 'completions');
  made.add('model', flags.one('model'));
  made.add('requests', flags.number('max-requests'));
  const seconds = flags.number('max-seconds');
  made.add('duration', seconds === undefined ? undefined : `${seconds}s`);
  addLoad(flags, made);
  addData(flags, made);
  made.add('seed', flags.number('random-seed'));
  if (flags.has('warmup', 'cooldown'))
    made.note(
      'warm-up and cool-down of guidellm cut measured requests away; here --warmup sends requests beforehand',
    );
  if (flags.has('output-path', 'output-dir', 'outputs', 'output'))
    made.note('for a page or a table: plimsoll report DIR --html FILE, --csv FILE');
  return made.made(flags.one('target') ?? 'http://localhost:8000', flags.unread(), HARMLESS);
};

const addLoad = (flags: ToolFlags, made: LikeBuilder): void => {
  const profile = flags.one('profile', 'rate-type') ?? 'sweep';
  const [rate, ...others] = (flags.all('rate') ?? []).flatMap(text => text.split(','));
  if (others.length > 0)
    made.note(`one rate a run: for ${others.join(', ')} run it again, or use plimsoll sweep`);
  switch (profile) {
    case 'synchronous':
      made.add('concurrency', 1);
      break;
    case 'concurrent':
      made.add('concurrency', rate ?? 1);
      break;
    case 'constant':
    case 'async':
      made.add('rate', rate);
      made.add('arrival', 'constant');
      break;
    case 'poisson':
      made.add('rate', rate);
      break;
    case 'throughput':
      made.add('max-throughput', '');
      break;
    default:
      made.note(
        `the profile ${profile} is several runs: plimsoll sweep, or plimsoll line to find the load line`,
      );
  }
};

const addData = (flags: ToolFlags, made: LikeBuilder): void => {
  const data = flags.one('data') ?? '';
  const fields = fieldsOf(data);
  if (fields === undefined) {
    made.add('dataset', data === '' ? undefined : data);
    made.add('prompt-column', flags.one('data-column-mapper'));
    if (data !== '') made.add('no-nonce', '');
    return;
  }
  const number = (name: string): number | undefined =>
    fields.has(name) ? Number(fields.get(name)) : undefined;
  made.add('input-tokens', lengthText(number('prompt_tokens'), number('prompt_tokens_stdev')));
  made.add('output-tokens', lengthText(number('output_tokens'), number('output_tokens_stdev')));
  made.add('prefix-tokens', number('prefix_tokens'));
  const min = number('prompt_tokens_min') ?? number('output_tokens_min');
  if (min !== undefined)
    made.note('least and greatest lengths are not taken over: see the distributions of docs/bench.md');
};

/** "prompt_tokens=256,output_tokens=128" or the same as JSON; undefined: the name of a file. */
const fieldsOf = (data: string): ReadonlyMap<string, string> | undefined => {
  const pairs = data
    .replace(/^\{|\}$/g, '')
    .split(',')
    .map(pair => pair.split(/[=:]/));
  const isPairs = pairs.every(pair => pair.length === 2 && /^"?\w+"?$/.test(pair[0]?.trim() ?? ''));
  if (!isPairs || !data.includes('tokens')) return undefined;
  return new Map(pairs.map(([name = '', value = '']) => [name.replaceAll('"', '').trim(), value.trim()]));
};

const HARMLESS: ReadonlySet<string> = new Set([
  'processor',
  'processor-args',
  'backend',
  'backend-type',
  'disable-console',
  'disable-console-outputs',
  'disable-progress',
  'sample-requests',
]);
