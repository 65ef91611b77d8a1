// The command of a sweep, a search or a comparison that `--resume` continues: the stored one, and next to it only what belongs to
// this call or was stored nowhere.

import { isSet, type Option } from '../../core/option/option.ts';
import type { SweepResume } from '../../core/sweep/sweep-document.ts';
import { isUnknown, type Reported } from '../../core/unknown.ts';
import { BENCH } from '../bench/bench-options.ts';
import type { Command, Invocation } from '../command.ts';
import { CommandError } from '../command-error.ts';
import { parseCommandLine } from '../command-line.ts';
import { FORM } from '../report/form-options.ts';
import { KEY_VARIABLE, URL_SECRET } from './kept-command.ts';
import { SWEEP } from './sweep-options.ts';

interface ResumedOptions {
  readonly command: Command;
  /** "sweep": the file of its document is sweep.json. */
  readonly one: 'sweep' | 'line' | 'comparison';
  readonly directory: string;
  /** Names of options that may be given with --resume. */
  readonly beside: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface ResumedCommand {
  /** As it was stored; a target that is given again, with its password, takes its place. */
  readonly requested: Invocation;
  /** Relative paths start there. */
  readonly cwd: string;
}

/** @throws CommandError if there is no command, another option is given, or something that was stored nowhere is not. */
export const resumedCommand = (
  invocation: Invocation,
  resume: Reported<SweepResume>,
  { command, one, directory, beside, env }: ResumedOptions,
): ResumedCommand => {
  if (isUnknown(resume))
    throw new CommandError(
      'benchRunDirectory',
      `the ${one} in ${directory} does not contain its command: ${resume.reason}`,
      `Run it again; its command is in ${one}.json.`,
    );
  const changing = command.options
    .filter(option => !beside.includes(option.name))
    .find(option => isSet(invocation, option));
  if (changing !== undefined)
    throw new CommandError(
      'usage',
      `--resume and --${changing.name} cannot be combined`,
      `A ${one} resumes with its own options; leave it out, or start a new one.`,
    );
  const missing = resume.secrets.filter(secret => !isGiven(secret, invocation, command.options, env));
  if (missing.length > 0)
    throw new CommandError(
      'usage',
      `the ${one} was given ${missing.join(' and ')}, which is stored nowhere`,
      'Give it again with --resume.',
    );
  const [first, ...args] = resume.args;
  const words = [command.name, invocation.arguments[0] ?? first ?? '', ...args];
  const line = parseCommandLine(words, [command], { isStored: true });
  if (line.kind !== 'run') throw new Error('a kept command line asks for help');
  return { requested: line.invocation, cwd: resume.cwd };
};

const isGiven = (
  secret: string,
  invocation: Invocation,
  options: readonly Option<unknown>[],
  env: ResumedOptions['env'],
): boolean => {
  if (secret === URL_SECRET) return invocation.arguments[0] !== undefined;
  if (secret === KEY_VARIABLE) return (env[KEY_VARIABLE] ?? '') !== '';
  const option = options.find(({ name }) => secret === `--${name}`);
  const given = option === undefined ? undefined : invocation.option(option);
  return given !== undefined && !(Array.isArray(given) && given.length === 0);
};

/** Of a sweep or a search. */
export const WITH_RESUME: readonly string[] = [
  SWEEP.resume,
  SWEEP.json,
  FORM.as,
  FORM.to,
  BENCH.quiet,
  BENCH.home,
  BENCH.agents,
  BENCH.header,
  BENCH.headerFile,
  BENCH.apiKeyFile,
  BENCH.requireTrustworthy,
  BENCH.noteGit,
  BENCH.otlp,
].map(({ name }) => name);
