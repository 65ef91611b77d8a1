// Options from the environment: PLIMSOLL_RATE=5 is --rate 5, for every option that the command line does not give.

import { areExclusive, type Option, optionWords } from '../core/option/option.ts';
import type { Command } from './command.ts';
import { CommandError, usage } from './command-error.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** An option that a variable sets. */
export interface VariableOption {
  readonly option: Option<unknown>;
  /** As on a command line. */
  readonly words: readonly string[];
  /** The option of the command line that excludes it, and so comes first; undefined: none does. */
  readonly givesWayTo: string | undefined;
}

/** PLIMSOLL_MAX_IN_FLIGHT for --max-in-flight. */
export const environmentName = ({ name }: Pick<Option<unknown>, 'name'>): string =>
  `PLIMSOLL_${name.toUpperCase().replaceAll('-', '_')}`;

/** @throws CommandError `usage` for a flag that is neither on nor off. */
const variableOptions = (
  words: readonly string[],
  { options }: Command,
  env: Env,
): readonly VariableOption[] => {
  const end = words.indexOf('--');
  const names = new Set(words.slice(0, end === -1 ? undefined : end).map(word => word.split('=', 1)[0]));
  const given = options.filter(({ name }) => names.has(`--${name}`));
  return options.flatMap(option => {
    const text = env[environmentName(option)] ?? '';
    // PLIMSOLL_HOME also applies to what has no options.
    if (text === '' || given.includes(option) || option.name === 'home') return [];
    // Kubernetes sets PLIMSOLL_PORT=tcp://10.0.0.1:80 in every pod of a namespace with a Service "plimsoll".
    if (/^(?:tcp|udp|sctp):\/\//.test(text)) return [];
    const isFlag = option.valueName === undefined;
    if (isFlag && OFF.has(text.toLowerCase())) return [];
    if (isFlag && !isOn(text)) throw notAFlag(option, text);
    return {
      option,
      words: optionWords(option.name, isFlag ? undefined : text),
      givesWayTo: given.find(other => areExclusive(option, other))?.name,
    };
  });
};

/**
 * Reads the words with those of the environment. An error that its variables cause names them: nobody typed those options.
 * @param read given the words of the environment, and where they come from
 */
export const readWithEnvironment = <T>(
  {
    words,
    command,
    env,
  }: { readonly words: readonly string[]; readonly command: Command; readonly env: Env },
  read: (added: readonly string[], variables: readonly VariableOption[]) => T,
): T => {
  const variables = variableOptions(words, command, env);
  const used = variables.filter(({ givesWayTo }) => givesWayTo === undefined);
  const readUsed = (of: readonly VariableOption[]): T =>
    read(
      of.flatMap(each => each.words),
      variables,
    );
  try {
    return readUsed(used);
  } catch (error) {
    if (!(error instanceof CommandError) || used.length === 0) throw error;
    const isReadWithout = (left: VariableOption): boolean => {
      try {
        readUsed(used.filter(each => each !== left));
        return true;
      } catch {
        return false;
      }
    };
    const causes = used.filter(isReadWithout);
    const { code, problem, advice } = error.problem;
    const names = (causes.length === 0 ? used : causes).map(({ option }) => environmentName(option));
    throw new CommandError(code, problem, `${advice} The environment sets ${names.join(' and ')}.`, {
      cause: error,
    });
  }
};

const notAFlag = (option: Option<unknown>, text: string): CommandError =>
  usage(
    `${environmentName(option)}=${JSON.stringify(text.slice(0, 40))} is neither on nor off`,
    `Write ${environmentName(option)}=1 for --${option.name}, or 0 to leave it out.`,
  );

/** Of a flag. */
export const isOn = (text: string): boolean => ON.has(text.toLowerCase());

const ON: ReadonlySet<string> = new Set(['1', 'true', 'yes', 'on']);
const OFF: ReadonlySet<string> = new Set(['0', 'false', 'no', 'off']);
