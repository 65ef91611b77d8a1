// From the words of a command line to a command and its values, or to a mistake that is explained in two lines.

import { nearest } from '../core/text/nearest.ts';
import type { Command, Invocation } from './command.ts';
import { CommandError } from './command-error.ts';
import type { Option } from './options.ts';

export type CommandLine =
  | { readonly kind: 'help'; readonly command: Command | undefined; readonly group: string | undefined }
  | { readonly kind: 'version' }
  | { readonly kind: 'run'; readonly command: Command; readonly invocation: Invocation };

/** @throws CommandError `usage` with the nearest suggestion. */
export const parseCommandLine = (args: readonly string[], commands: readonly Command[]): CommandLine => {
  const [first, ...rest] = args;
  if (first === undefined || HELP_WORDS.has(first)) return helpFor(rest, commands);
  if (first === '--version' || first === '-V') return { kind: 'version' };
  if (first.startsWith('-')) throw optionBeforeCommand(first, commands);
  const { command, words } = findCommand(args, commands);
  if (command === undefined) return { kind: 'help', command: undefined, group: first };
  const left = args.slice(words);
  const beforeEnd = left.includes('--') ? left.slice(0, left.indexOf('--')) : left;
  if (beforeEnd.some(word => word === '--help' || word === '-h')) {
    return { kind: 'help', command, group: undefined };
  }
  return { kind: 'run', command, invocation: parseInvocation(command, left) };
};

/** A word as a message may show it: whatever a terminal could take for an order is escaped. */
export const shownWord = (word: string): string => {
  const short = word.length > 60 ? `${word.slice(0, 57)}…` : word;
  return /^[\p{L}\p{N}_./:=@%+-]+$/u.test(short) ? short : JSON.stringify(short);
};

const helpFor = (words: readonly string[], commands: readonly Command[]): CommandLine => {
  if (words.length === 0) return { kind: 'help', command: undefined, group: undefined };
  const group = words[0] ?? '';
  if (words.length === 1 && isGroup(group, commands)) return { kind: 'help', command: undefined, group };
  return { kind: 'help', command: findCommand(words, commands).command, group: undefined };
};

/** The command that the words begin with; undefined for the help of a group ("config --help"). */
const findCommand = (
  args: readonly string[],
  commands: readonly Command[],
): { readonly command: Command | undefined; readonly words: number } => {
  const [first = '', second] = args;
  for (const words of [2, 1]) {
    const name = args.slice(0, words).join(' ');
    const command = commands.find(candidate => candidate.name === name);
    if (command !== undefined) return { command, words };
  }
  if (!isGroup(first, commands)) {
    const meant = nearest(first, firstWords(commands));
    throw usage(
      `unknown command ${shownWord(first)}`,
      meant === undefined ? 'See: plimsoll --help' : `Did you mean: plimsoll ${meant}`,
    );
  }
  if (second === '--help' || second === '-h') return { command: undefined, words: 1 };
  const seconds = commands
    .filter(({ name }) => name.startsWith(`${first} `))
    .map(({ name }) => name.slice(first.length + 1));
  const meant = second === undefined ? undefined : nearest(second, seconds);
  throw usage(
    second === undefined ? `${first} needs one more word` : `unknown command ${first} ${shownWord(second)}`,
    meant === undefined
      ? `Known: ${seconds.map(word => `plimsoll ${first} ${word}`).join(', ')}`
      : `Did you mean: plimsoll ${first} ${meant}`,
  );
};

const parseInvocation = (command: Command, args: readonly string[]): Invocation => {
  const texts = new Map<string, string[]>();
  const values: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const word = args[index] ?? '';
    if (word === '--') {
      values.push(...args.slice(index + 1));
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      values.push(word);
      continue;
    }
    const [name, inline] = splitAtEquals(word);
    const option = knownOption(command, name);
    const given = texts.get(option.name) ?? [];
    if (given.length > 0 && !option.isRepeatable) {
      throw usage(`--${option.name} is given twice`, 'Give it once.');
    }
    if (option.valueName === undefined) {
      if (inline !== undefined)
        throw usage(`--${option.name} takes no value`, `Write --${option.name} alone.`);
      given.push('');
    } else if (inline !== undefined) {
      given.push(inline);
    } else {
      index += 1;
      given.push(valueAfter(option, args[index]));
    }
    texts.set(option.name, given);
  }
  checkArguments(command, values);
  const read = <T>(option: Option<T>): T => {
    const result = option.read(texts.get(option.name) ?? []);
    if (result.kind === 'ok') return result.value;
    throw usage(`--${option.name}: ${result.problem}`, result.advice);
  };
  for (const option of command.options) read(option);
  return { option: read, arguments: values };
};

const knownOption = (command: Command, name: string): Option<unknown> => {
  const option = command.options.find(candidate => `--${candidate.name}` === name);
  if (option !== undefined) return option;
  const known = [...command.options.map(candidate => `--${candidate.name}`), '--help'];
  const meant = nearest(name, known);
  throw usage(
    `unknown option ${shownWord(name)}`,
    meant === undefined
      ? `Known to plimsoll ${command.name}: ${known.join(', ')}`
      : `Did you mean ${meant}? See: plimsoll ${command.name} --help`,
  );
};

const valueAfter = (option: Option<unknown>, next: string | undefined): string => {
  // A lone "-" is a value: standard input.
  if (next !== undefined && (next === '-' || !next.startsWith('-'))) return next;
  const example = `--${option.name} ${option.valueName}`;
  throw usage(
    `--${option.name} needs a value`,
    next === undefined
      ? `Write: ${example}`
      : `Write: ${example}, or --${option.name}=VALUE if it begins with a dash`,
  );
};

const checkArguments = (command: Command, values: readonly string[]): void => {
  const extra = values[command.arguments.length];
  if (extra !== undefined) {
    throw usage(`${shownWord(extra)} is one word too many`, `See: plimsoll ${command.name} --help`);
  }
  const missing = command.arguments[values.length];
  if (missing?.isRequired === true) {
    throw usage(`${missing.name} is missing`, `See: plimsoll ${command.name} --help`);
  }
};

const optionBeforeCommand = (word: string, commands: readonly Command[]): CommandError => {
  const [name] = splitAtEquals(word);
  const owner = commands.find(({ options }) => options.some(option => `--${option.name}` === name));
  if (owner !== undefined) {
    return usage(
      `${shownWord(name)} stands before the command`,
      `Write it after: plimsoll ${owner.name} ${name} …`,
    );
  }
  const meant = nearest(name, ['--help', '--version']);
  return usage(
    `unknown option ${shownWord(name)}`,
    meant === undefined ? 'See: plimsoll --help' : `Did you mean ${meant}?`,
  );
};

const splitAtEquals = (word: string): readonly [string, string | undefined] => {
  const at = word.indexOf('=');
  return at === -1 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
};

const isGroup = (word: string, commands: readonly Command[]): boolean =>
  commands.some(({ name }) => name.startsWith(`${word} `));

const firstWords = (commands: readonly Command[]): ReadonlySet<string> =>
  new Set([...commands.map(({ name }) => name.split(' ')[0] ?? ''), 'help']);

const usage = (problem: string, advice: string): CommandError => new CommandError('usage', problem, advice);

const HELP_WORDS: ReadonlySet<string> = new Set(['help', '--help', '-h']);
