// The options that may be given with `--resume`: a sweep or a comparison resumes with its own options, and those that are stored
// nowhere have to be given again.

import type { SweepResume } from '../../core/sweep/sweep-document.ts';
import type { Invocation, Option } from '../command.ts';
import { CommandError } from '../command-error.ts';
import { KEY_VARIABLE, URL_SECRET } from './kept-command.ts';

interface ResumedCall {
  /** "sweep". */
  readonly one: string;
  readonly options: readonly Option<unknown>[];
  /** Names of options that belong to one call and may be given with --resume. */
  readonly beside: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** @throws CommandError */
export const checkResumed = (
  invocation: Invocation,
  { secrets }: SweepResume,
  { one, options, beside, env }: ResumedCall,
): void => {
  const changing = options
    .filter(option => !beside.includes(option.name))
    .find(option => {
      const read = option.read([]);
      return read.kind === 'ok' && JSON.stringify(invocation.option(option)) !== JSON.stringify(read.value);
    });
  if (changing !== undefined)
    throw new CommandError(
      'usage',
      `--resume and --${changing.name} cannot be combined`,
      `A ${one} resumes with its own options; leave it out, or start a new one.`,
    );
  const missing = secrets.filter(secret => {
    if (secret === URL_SECRET) return invocation.arguments[0] === undefined;
    if (secret === KEY_VARIABLE) return (env[KEY_VARIABLE] ?? '') === '';
    const option = options.find(({ name }) => secret === `--${name}`);
    const given = option === undefined ? undefined : invocation.option(option);
    return given === undefined || (Array.isArray(given) && given.length === 0);
  });
  if (missing.length === 0) return;
  throw new CommandError(
    'usage',
    `the ${one} was given ${missing.join(' and ')}, which is stored nowhere`,
    'Give it again with --resume.',
  );
};
