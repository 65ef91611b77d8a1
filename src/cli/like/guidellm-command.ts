// `guidellm benchmark` (GuideLLM 0.3 to 0.6) and `guidellm run` (0.7 and 0.8, whose flags hold fields) in options of ours.

import { LikeBuilder, type LikeCommand, lengthText } from './like-command.ts';
import { ToolFlags } from './tool-flags.ts';

export const likeGuidellm = (words: readonly string[]): LikeCommand => {
  const flags = new ToolFlags(words);
  return (flags.one('backend') ?? flags.one('profile') ?? flags.one('constraint') ?? '').includes('kind=')
    ? likeRun(new ToolFlags(words))
    : likeBenchmark(new ToolFlags(words));
};

/** "kind=concurrent,streams=4" of each flag. */
const likeRun = (flags: ToolFlags): LikeCommand => {
  const made = new LikeBuilder();
  const fields = (flag: string): ReadonlyMap<string, string> => pairsOf(flags.one(flag) ?? '');
  const [backend, profile, data] = [fields('backend'), fields('profile'), fields('data')];
  if (backend.has('kind') && backend.get('kind') !== 'openai_http')
    made.note(`the backend ${backend.get('kind')} does not exist here: requests go over HTTP`);
  made.add('api', (backend.get('request_format') ?? 'chat').includes('chat') ? 'chat' : 'completions');
  made.add('model', backend.get('model'));
  for (const constraint of (flags.all('constraint') ?? []).map(pairsOf)) {
    const kind = constraint.get('kind');
    if (kind === 'max_requests') made.add('requests', constraint.get('count'));
    else if (kind === 'max_duration') made.add('duration', `${constraint.get('seconds') ?? ''}s`);
    else made.note(`the constraint ${kind ?? ''} does not exist here`);
  }
  addProfile(
    profile.get('kind') ?? 'sweep',
    valuesOf(profile.get('streams') ?? profile.get('rate') ?? ''),
    made,
  );
  made.add('max-in-flight', profile.has('rate') ? profile.get('max_concurrency') : undefined);
  if (data.get('kind') === 'synthetic_text' || data.has('prompt_tokens')) addLengths(data, made);
  else if (data.size > 0) {
    made.add('dataset', data.get('path') ?? data.get('source') ?? 'FILE');
    made.add('no-nonce', '');
  }
  made.add('seed', fields('seed').get('value'));
  if (flags.has('output')) made.note(OUTPUT_NOTE);
  return made.made(backend.get('target') ?? 'http://localhost:8000', flags.unread(), HARMLESS);
};

/** Commas inside brackets belong to a value. */
const pairsOf = (text: string): ReadonlyMap<string, string> =>
  new Map(
    (text.match(/[^,=]+=(?:\[[^\]]*\]|\{[^}]*\}|[^,]*)/g) ?? []).map(pair => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()] as const;
    }),
  );

const valuesOf = (text: string): readonly string[] =>
  text
    .replace(/^\[|\]$/g, '')
    .split(',')
    .filter(value => value !== '');

const likeBenchmark = (flags: ToolFlags): LikeCommand => {
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
  if (flags.has('output-path', 'output-dir', 'outputs', 'output')) made.note(OUTPUT_NOTE);
  return made.made(flags.one('target') ?? 'http://localhost:8000', flags.unread(), HARMLESS);
};

const addLoad = (flags: ToolFlags, made: LikeBuilder): void => {
  const rates = (flags.all('rate') ?? []).flatMap(text => text.split(','));
  addProfile(flags.one('profile', 'rate-type') ?? 'sweep', rates, made);
};

const addProfile = (profile: string, levels: readonly string[], made: LikeBuilder): void => {
  const [level] = levels;
  switch (profile) {
    case 'synchronous':
      made.add('concurrency', 1);
      break;
    case 'concurrent':
      if (levels.length > 1) made.addLoads('concurrency', levels.join(','));
      else made.add('concurrency', level ?? 1);
      break;
    case 'constant':
    case 'async':
    case 'poisson':
      if (levels.length > 1) made.addLoads('rates', levels.join(','));
      else made.add('rate', level);
      if (profile !== 'poisson') made.add('arrival', 'constant');
      break;
    case 'throughput':
      made.add('max-throughput', '');
      break;
    case 'sweep':
      made.addLoads('rates', '1..64x2');
      made.note(
        'guidellm measures the highest rate first and divides it; here the rates are given. plimsoll line finds the highest load that holds',
      );
      break;
    default:
      made.note(`the profile ${profile} does not exist here: see plimsoll sweep and plimsoll line`);
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
  addLengths(fields, made);
};

const addLengths = (fields: ReadonlyMap<string, string>, made: LikeBuilder): void => {
  const number = (name: string): number | undefined => {
    const value = Number(fields.get(name));
    return fields.has(name) && Number.isFinite(value) ? value : undefined;
  };
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

/** Of --as too, what its own tools read. */
const OUTPUT_NOTE =
  'for its file: plimsoll report DIR --as guidellm --to FILE; for a page or a table: --html FILE, --csv FILE';
const HARMLESS: ReadonlySet<string> = new Set([
  'processor',
  'tokenizer',
  'metrics',
  'data-loader',
  'label',
  'disable-console-interactive',
  'processor-args',
  'backend',
  'backend-type',
  'disable-console',
  'disable-console-outputs',
  'disable-progress',
  'sample-requests',
]);
