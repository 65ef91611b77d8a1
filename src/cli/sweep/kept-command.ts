// A command line as it is kept: what to type to run it again, and what going on with it takes. Nothing secret is
// in it: headers, key files and credentials of a URL are named, and have to be given again.

import type { Option } from '../../core/option/option.ts';
import { pushAll } from '../../core/push-all.ts';
import type { SweepResume } from '../../core/sweep/sweep-document.ts';
import { shellCommand } from '../../core/text/shell-words.ts';
import { type Reported, unknown } from '../../core/unknown.ts';

interface KeptCommandOptions {
  /** Of the command: what they do not name is no part of it. */
  readonly options: readonly Option<unknown>[];
  /** Behind `plimsoll sweep`. */
  readonly args: readonly string[];
  /** As it was given. */
  readonly url: string;
  /** Without credentials. */
  readonly shownUrl: string;
  /** Behind it, of a run with several. */
  readonly others?: readonly { readonly given: string; readonly shown: string }[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export const keptCommand = ({ options, args, cwd, env, ...named }: KeptCommandOptions): SweepResume => {
  const urls = [{ given: named.url, shown: named.shownUrl }, ...(named.others ?? [])];
  // First, so that another one can take its place.
  const kept: string[] = urls.map(({ shown }) => shown);
  const secrets = new Set<string>(urls.some(({ given, shown }) => given !== shown) ? [URL_SECRET] : []);
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    const option = options.find(({ name }) => word === `--${name}` || word.startsWith(`--${name}=`));
    if (option === undefined) continue;
    const takesNext = option.valueName !== undefined && !word.includes('=');
    if (option.isSecret === true) secrets.add(`--${option.name}`);
    else if (option.isOfOneCall !== true) pushAll(kept, [word, ...(takesNext ? [args[at + 1] ?? ''] : [])]);
    if (takesNext) at += 1;
  }
  if ((env[KEY_VARIABLE] ?? '') !== '' && secrets.size === 0) secrets.add(KEY_VARIABLE);
  return { args: kept, cwd, secrets: [...secrets] };
};

/** "plimsoll sweep http://host:8000 --rates 1,2", as a shell takes it. */
export const commandText = (
  command: 'bench' | 'sweep' | 'line' | 'compare',
  { args }: Pick<SweepResume, 'args'>,
): string => shellCommand`plimsoll ${command} ${args}`;

/** The same, as published to the cluster: complete or not at all. */
export const storedCommand = (command: 'bench' | 'line', kept: SweepResume): Reported<string> => {
  const text = commandText(command, kept);
  return text.length > COMMAND_LENGTH_MAX ? unknown('the command is too long to show') : text;
};

export const URL_SECRET = 'the URL with its password';
export const KEY_VARIABLE = 'OPENAI_API_KEY';

/** Limit for a command that is published to the cluster. */
const COMMAND_LENGTH_MAX = 1_000;
