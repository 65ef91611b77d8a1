// From the words of a command line to a command and its values, or to a mistake that is explained in two lines.
// `node:util` splits the words; it is not strict, because its own refusals know no advice.

import { parseArgs } from 'node:util';
import { nearest } from '../core/text/nearest.ts';
import type { Command, Invocation, Option } from './command.ts';
import { type CommandError, usage } from './command-error.ts';

type CommandLine =
  | { readonly kind: 'help'; readonly command: Command | undefined; readonly group: string | undefined }
  | { readonly kind: 'version' }
  | { readonly kind: 'run'; readonly command: Command; readonly invocation: Invocation };

/** @throws CommandError `usage` with the nearest suggestion. */
export const parseCommandLine = (args: readonly string[], commands: readonly Command[]): CommandLine => {
  const [first = 'help', ...rest] = args;
  if (HELP_WORDS.has(first)) {
    const words = rest.filter(word => !HELP_WORDS.has(word));
    return words.length === 0
      ? { kind: 'help', command: undefined, group: undefined }
      : parseCommandLine([...words, '--help'], commands);
  }
  if (first === '--version' || first === '-V') return { kind: 'version' };
  if (first.startsWith('-')) throw optionBeforeCommand(first, commands);
  const command = findCommand(args, commands);
  if (command === undefined) return { kind: 'help', command, group: first };
  const left = args.slice(command.name.split(' ').length);
  const end = left.indexOf('--');
  const wantsHelp = left.slice(0, end === -1 ? undefined : end).some(isHelpOption);
  return wantsHelp
    ? { kind: 'help', command, group: undefined }
    : { kind: 'run', command, invocation: parseInvocation(command, left) };
};

/** The command that the words begin with; undefined for the help of a group ("config --help"). */
const findCommand = (
  [first = '', second]: readonly string[],
  commands: readonly Command[],
): Command | undefined => {
  const found =
    commands.find(({ name }) => name === `${first} ${second}`) ?? commands.find(({ name }) => name === first);
  if (found !== undefined) return found;
  const inGroup = commands.filter(({ name }) => name.startsWith(`${first} `));
  if (inGroup.length === 0) {
    const meant = nearest(first, [...commands.map(({ name }) => name.split(' ')[0] ?? ''), 'help']);
    throw usage(
      `unknown command ${shownWord(first)}`,
      meant === undefined ? 'See: plimsoll --help' : `Did you mean: plimsoll ${meant}`,
    );
  }
  if (second !== undefined && isHelpOption(second)) return undefined;
  const meant = nearest(
    second ?? '',
    inGroup.map(({ name }) => name.slice(first.length + 1)),
  );
  throw usage(
    second === undefined ? `${first} needs a subcommand` : `unknown command ${first} ${shownWord(second)}`,
    meant === undefined
      ? `Known: ${inGroup.map(({ name }) => `plimsoll ${name}`).join(', ')}`
      : `Did you mean: plimsoll ${first} ${meant}`,
  );
};

const parseInvocation = (command: Command, args: readonly string[]): Invocation => {
  const { positionals, tokens } = parseArgs({
    args: args.map((word, at) => withValue(word, args[at + 1], command)),
    options: Object.fromEntries(
      command.options.map(({ name, valueName }) => [
        name,
        { type: valueName === undefined ? 'boolean' : 'string' },
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const texts = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const option = knownOption(command, nameIn(args[token.index] ?? token.rawName));
    const given = texts.get(option.name) ?? [];
    if (given.length > 0 && !option.isRepeatable) {
      throw usage(`--${option.name} is given twice`, 'Use it once.');
    }
    texts.set(option.name, [...given, textOf(option, token)]);
  }
  checkArguments(command, positionals);
  const read = <T>(option: Option<T>): T => {
    const result = option.read(texts.get(option.name) ?? []);
    if (result.kind === 'ok') return result.value;
    throw usage(`--${option.name}: ${result.problem}`, result.advice);
  };
  for (const option of command.options) read(option);
  return { option: read, arguments: positionals };
};

/** An option that has a value of its own where none follows. */
const withValue = (word: string, next: string | undefined, { options }: Command): string => {
  const alone = options.find(({ name }) => `--${name}` === word)?.valueAlone;
  return alone !== undefined && (next === undefined || next.startsWith('-')) ? `${word}=${alone}` : word;
};

const knownOption = (command: Command, name: string): Option<unknown> => {
  const option = command.options.find(candidate => `--${candidate.name}` === name);
  if (option !== undefined) return option;
  if (name === '--help') throw usage('--help takes no value', 'Write --help alone.');
  const known = [...command.options.map(candidate => `--${candidate.name}`), '--help'];
  const meant = nearest(name, known);
  throw usage(
    `unknown option ${shownWord(name)}`,
    meant === undefined
      ? `Known to plimsoll ${command.name}: ${known.join(', ')}`
      : `Did you mean ${meant}? See: plimsoll ${command.name} --help`,
  );
};

const textOf = (
  { name, valueName }: Option<unknown>,
  {
    value,
    inlineValue: isInline,
  }: { readonly value?: string | undefined; readonly inlineValue?: boolean | undefined },
): string => {
  if (valueName === undefined) {
    if (isInline) throw usage(`--${name} takes no value`, `Use --${name} alone.`);
    return '';
  }
  // A lone "-" is a value: standard input.
  if (value !== undefined && (isInline || value === '-' || !value.startsWith('-'))) return value;
  const otherwise = value === undefined ? '' : `, or --${name}=VALUE if it begins with a dash`;
  throw usage(`--${name} needs a value`, `Write: --${name} ${valueName}${otherwise}`);
};

const checkArguments = (command: Command, values: readonly string[]): void => {
  const empty = command.arguments.find((_, at) => values[at]?.trim() === '');
  const isOpen = command.arguments.at(-1)?.isRepeatable === true;
  const extra = isOpen ? undefined : values[command.arguments.length];
  const missing = command.arguments[values.length];
  const advice = `See: plimsoll ${command.name} --help`;
  const last = command.arguments.at(-1);
  if (extra !== undefined && last?.insteadOfMore !== undefined)
    throw usage(
      `plimsoll ${command.name} takes one ${last.name}, and ${shownWord(extra)} is one more`,
      last.insteadOfMore,
    );
  if (extra !== undefined) throw usage(`${shownWord(extra)} is not expected`, advice);
  if (empty !== undefined) throw usage(`${empty.name} is empty`, advice);
  if (missing?.isRequired === true) throw usage(`${missing.name} is missing`, advice);
};

const optionBeforeCommand = (word: string, commands: readonly Command[]): CommandError => {
  const name = nameIn(word);
  const owner = commands.find(({ options }) => options.some(option => `--${option.name}` === name));
  if (owner !== undefined) {
    return usage(
      `${shownWord(name)} comes before the command`,
      `Write it after: plimsoll ${owner.name} ${name} …`,
    );
  }
  const meant = nearest(name, ['--help', '--version']);
  return usage(
    `unknown option ${shownWord(name)}`,
    meant === undefined ? 'See: plimsoll --help' : `Did you mean ${meant}?`,
  );
};

/** A word in a form that is safe to print: terminal control characters are escaped. */
const shownWord = (word: string): string => {
  const short = word.length > 60 ? `${word.slice(0, 57)}…` : word;
  return /^[\p{L}\p{N}_./:=@%+-]+$/u.test(short) ? short : JSON.stringify(short);
};

const nameIn = (word: string): string => word.split('=', 1)[0] ?? word;

const isHelpOption = (word: string): boolean => word === '--help' || word === '-h';

const HELP_WORDS: ReadonlySet<string> = new Set(['help', '--help', '-h']);
