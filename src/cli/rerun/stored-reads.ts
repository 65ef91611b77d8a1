// What a stored command would read: files, folders and further addresses that its options name, and whether they are of the run's own
// directory. A directory may come from anybody, so that a person has to agree to each path outside of it.

import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';
import type { Option } from '../../core/option/option.ts';
import { errorCode } from '../../core/problem.ts';
import type { StoredCall } from './stored-call.ts';

export interface StoredRead {
  /** "--dataset" */
  readonly option: string;
  /** Absolute, without symbolic links; or a URL. */
  readonly location: string;
  readonly kind: 'file' | 'folder' | 'url' | 'missing';
  /** What `--yes` alone covers. */
  readonly isOfRun: boolean;
}

export const storedReads = async (
  directory: string,
  { command, args, cwd }: Pick<StoredCall, 'command' | 'args' | 'cwd'>,
): Promise<readonly StoredRead[]> => {
  const own = await realpath(directory);
  const reads: StoredRead[] = [];
  for (const { option, text } of givenTexts(args, command.options)) {
    const named = option.reads?.(text);
    if (named === undefined) continue;
    const read = await readOf(named, { cwd, own });
    // A text that is no file's name may be the value itself, as of --system-prompt.
    if (read.kind !== 'missing' || option.valueName?.startsWith('TEXT') !== true)
      reads.push({ option: `--${option.name}`, ...read });
  }
  return reads;
};

/** Each option with its text, as `parseCommandLine` takes them. */
function* givenTexts(
  args: readonly string[],
  options: readonly Option<unknown>[],
): Generator<{ readonly option: Option<unknown>; readonly text: string }, void, void> {
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    const [, name, joined] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    const option = options.find(known => known.name === name);
    if (option === undefined || option.valueName === undefined) continue;
    if (joined === undefined) at += 1;
    yield { option, text: joined ?? args[at] ?? '' };
  }
}

const readOf = async (
  named: string,
  { cwd, own }: { readonly cwd: string; readonly own: string },
): Promise<Omit<StoredRead, 'option'>> => {
  if (/^(?:https?:\/\/|hf:)/i.test(named)) return { location: named, kind: 'url', isOfRun: false };
  const given = resolve(cwd, named);
  try {
    const location = await realpath(given);
    const kind = (await stat(location)).isDirectory() ? 'folder' : 'file';
    const within = relative(own, location);
    return { location, kind, isOfRun: !within.startsWith('..') && !isAbsolute(within) };
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return { location: given, kind: 'missing', isOfRun: false };
  }
};
