// The command line of a sweep as it is kept: what to type to run it again, and what going on with it takes. Nothing secret is
// in it: headers, key files and credentials of a URL are named, and have to be given again.

import type { SweepResume } from '../../core/sweep/sweep-document.ts';
import { BENCH } from '../bench/bench-options.ts';
import type { Option } from '../command.ts';
import { SWEEP, SWEEP_OPTIONS } from './sweep-options.ts';

export interface KeptCommandOptions {
  /** Behind `plimsoll sweep`. */
  readonly args: readonly string[];
  /** As it was given. */
  readonly url: string;
  /** Without credentials. */
  readonly shownUrl: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export const keptCommand = ({ args, url, shownUrl, cwd, env }: KeptCommandOptions): SweepResume => {
  // First, so that another one can take its place.
  const kept: string[] = [shownUrl];
  const secrets = new Set<string>(url === shownUrl ? [] : [URL_SECRET]);
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    const option = SWEEP_OPTIONS.find(({ name }) => word === `--${name}` || word.startsWith(`--${name}=`));
    if (option === undefined) continue;
    const takesNext = option.valueName !== undefined && !word.includes('=');
    if (SECRET.includes(option)) secrets.add(`--${option.name}`);
    else if (!PASSING.includes(option)) kept.push(word, ...(takesNext ? [args[at + 1] ?? ''] : []));
    if (takesNext) at += 1;
  }
  if ((env[KEY_VARIABLE] ?? '') !== '' && secrets.size === 0) secrets.add(KEY_VARIABLE);
  return { args: kept, cwd, secrets: [...secrets] };
};

/** "plimsoll sweep http://host:8000 --rates 1,2", as a shell takes it. */
export const commandText = ({ args }: SweepResume): string =>
  ['plimsoll', 'sweep', ...args].map(quoted).join(' ');

export const URL_SECRET = 'the URL with its password';
export const KEY_VARIABLE = 'OPENAI_API_KEY';

const SECRET: readonly Option<unknown>[] = [BENCH.header, BENCH.headerFile, BENCH.apiKeyFile];
/** Of this one call. */
const PASSING: readonly Option<unknown>[] = [SWEEP.out, SWEEP.json, SWEEP.resume, BENCH.quiet, BENCH.home];

const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
