// Options from the environment: PLIMSOLL_RATE=5 is --rate 5, for every option that the command line does not give.

import { type Option, optionWords } from '../core/option/option.ts';
import type { Command } from './command.ts';
import { CommandError, usage } from './command-error.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** PLIMSOLL_MAX_IN_FLIGHT for --max-in-flight. */
export const environmentName = ({ name }: Pick<Option<unknown>, 'name'>): string =>
  `PLIMSOLL_${name.toUpperCase().replaceAll('-', '_')}`;

/** @throws CommandError `usage` for a flag that is neither on nor off. */
const environmentWords = (words: readonly string[], command: Command, env: Env): readonly string[] => {
  const end = words.indexOf('--');
  const given = new Set(words.slice(0, end === -1 ? undefined : end).map(word => word.split('=', 1)[0]));
  return command.options.flatMap(option => {
    const text = env[environmentName(option)] ?? '';
    // PLIMSOLL_HOME also applies to what has no options.
    if (text === '' || given.has(`--${option.name}`) || option.name === 'home') return [];
    // Kubernetes sets PLIMSOLL_PORT=tcp://10.0.0.1:80 in every pod of a namespace with a Service "plimsoll".
    if (/^(?:tcp|udp|sctp):\/\//.test(text)) return [];
    if (option.valueName !== undefined) return optionWords(option.name, text);
    if (ON.has(text.toLowerCase())) return [`--${option.name}`];
    if (OFF.has(text.toLowerCase())) return [];
    throw notAFlag(option, text);
  });
};

/**
 * Reads the words with those of the environment. An error that its variables cause names them: nobody typed those options.
 * @param read given the words of the environment
 */
export const readWithEnvironment = <T>(
  {
    words,
    command,
    env,
  }: { readonly words: readonly string[]; readonly command: Command; readonly env: Env },
  read: (added: readonly string[]) => T,
): T => {
  const added = environmentWords(words, command, env);
  try {
    return read(added);
  } catch (error) {
    if (!(error instanceof CommandError) || added.length === 0) throw error;
    const set = command.options.filter(({ name }) =>
      added.some(word => word.split('=', 1)[0] === `--${name}`),
    );
    const isReadWithout = (option: Option<unknown>): boolean => {
      try {
        read(environmentWords(words, command, { ...env, [environmentName(option)]: undefined }));
        return true;
      } catch {
        return false;
      }
    };
    const causes = set.filter(isReadWithout);
    const { code, problem, advice } = error.problem;
    const variables = (causes.length === 0 ? set : causes).map(environmentName);
    throw new CommandError(code, problem, `${advice} The environment sets ${variables.join(' and ')}.`, {
      cause: error,
    });
  }
};

const notAFlag = (option: Option<unknown>, text: string): CommandError =>
  usage(
    `${environmentName(option)}=${JSON.stringify(text.slice(0, 40))} is neither on nor off`,
    `Write ${environmentName(option)}=1 for --${option.name}, or 0 to leave it out.`,
  );

const ON: ReadonlySet<string> = new Set(['1', 'true', 'yes', 'on']);
const OFF: ReadonlySet<string> = new Set(['0', 'false', 'no', 'off']);
