// From the words of a command line to a command and its values, or to a mistake that is explained in two lines.
// `node:util` splits the words; it is not strict, because its own refusals know no advice.

import { parseArgs } from 'node:util';
import { areExclusive, hasValue, type Option, optionWords } from '../core/option/option.ts';
import { nearest } from '../core/text/nearest.ts';
import { shellCommand } from '../core/text/shell-words.ts';
import type { Command, Invocation } from './command.ts';
import { type CommandError, usage } from './command-error.ts';
import { readWithEnvironment, type VariableOption } from './environment-words.ts';
import { ownWords } from './like/own-words.ts';

type CommandLine =
  | {
      readonly kind: 'help';
      readonly command: Command | undefined;
      readonly group: string | undefined;
      /** Every command or option, not only those that people need first. */
      readonly isFull: boolean;
    }
  | { readonly kind: 'version' }
  | {
      /** Which value each option has, and where it comes from. */
      readonly kind: 'explain';
      readonly command: Command;
      /** Those of the line, in names of ours. */
      readonly words: readonly string[];
      readonly variables: readonly VariableOption[];
      readonly notes: readonly string[];
    }
  | RunLine;

export interface RunLine {
  readonly kind: 'run';
  readonly command: Command;
  readonly invocation: Invocation;
  /** The words of the line in names of ours, the command first. */
  readonly args: readonly string[];
  /** How names of other tools were read. */
  readonly notes: readonly string[];
}

interface ParseOptions {
  /** Options that the line does not give are taken from its PLIMSOLL_… variables. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The line was stored by this program: names of other tools are unknown options. */
  readonly isStored?: boolean;
}

/** @throws CommandError `usage` with the nearest suggestion. */
export const parseCommandLine = (
  args: readonly string[],
  commands: readonly Command[],
  { env = {}, isStored = false }: ParseOptions = {},
): CommandLine => {
  const [first = 'help', ...rest] = args;
  if (HELP_WORDS.has(first)) {
    const words = rest.filter(word => !HELP_WORDS.has(word));
    const isNamed = commands.some(({ name }) => name === words.join(' '));
    const named = words.at(-1) === ALL && !isNamed ? words.slice(0, -1) : words;
    if (named.length === 0)
      return { kind: 'help', command: undefined, group: undefined, isFull: words.length > 0 };
    const extra = named[findCommand([...named, '--help'], commands)?.name.split(' ').length ?? named.length];
    if (extra !== undefined)
      throw usage(`${shownWord(extra)} is not expected`, 'Write: plimsoll help COMMAND');
    return parseCommandLine([...named, '--help', ...words.slice(named.length)], commands);
  }
  if (first === '--version' || first === '-V') return { kind: 'version' };
  if (first.startsWith('-')) throw optionBeforeCommand(first, commands);
  const command = findCommand(args, commands);
  if (command === undefined) return { kind: 'help', command, group: first, isFull: true };
  const own = command.name.split(' ');
  const left = args.slice(own.length);
  const end = left.indexOf('--');
  const options = left.slice(0, end === -1 ? undefined : end);
  if (options.some(isHelpOption))
    return { kind: 'help', command, group: undefined, isFull: options.includes(ALL) };
  const { words, notes } = isStored ? { words: left, notes: [] } : ownWords(left, command);
  const explained = words.filter(word => word !== EXPLAIN);
  const read = readWithEnvironment({ words: explained, command, env }, (added, variables) => {
    const all = withAdded(explained, added);
    return { variables, all, invocation: parseInvocation(command, all) };
  });
  const { variables, all, invocation } = read;
  if (explained.length < words.length)
    return { kind: 'explain', command, words: explained, variables, notes };
  return { kind: 'run', command, invocation, args: [...own, ...all], notes };
};

/** Options of the environment come before "--", after which nothing is an option. */
const withAdded = (words: readonly string[], added: readonly string[]): readonly string[] => {
  const end = words.indexOf('--');
  return end === -1 ? [...words, ...added] : [...words.slice(0, end), ...added, ...words.slice(end)];
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
  checkArguments(command, positionals, texts);
  const read = <T>(option: Option<T>): T => {
    const result = option.read(texts.get(option.name) ?? []);
    if (result.kind === 'ok') return result.value;
    throw usage(`--${option.name}: ${result.problem}`, result.advice);
  };
  for (const option of command.options) read(option);
  checkRules(command, texts);
  return { option: read, arguments: positionals };
};

/**
 * Options that exclude each other come first: what an option lacks may be excluded by another one.
 * @throws CommandError `usage` for the first rule of an option that does not hold
 */
const checkRules = ({ options }: Command, texts: ReadonlyMap<string, readonly string[]>): void => {
  const given = options.filter(({ name }) => texts.has(name));
  const rules = given.flatMap(option => (option.rules ?? []).map(rule => ({ option, rule })));
  for (const { option, rule } of rules) {
    const other = given.find(({ name }) => rule.names.includes(name));
    if (rule.kind === 'excludes' && other !== undefined)
      throw usage(
        `--${option.name} and --${other.name} cannot be combined${rule.because === undefined ? '' : `: ${rule.because}`}`,
        rule.advice ?? 'Leave one of them out.',
      );
  }
  for (const { option, rule } of rules) {
    if (rule.kind !== 'needs' || given.some(({ name }) => rule.names.includes(name))) continue;
    const known = rule.names.flatMap(name => options.find(candidate => candidate.name === name) ?? []);
    const lacking = known.find(each => !given.some(one => areExclusive(one, each))) ?? known[0];
    if (lacking === undefined) continue;
    const text = option.valueName === undefined ? undefined : texts.get(option.name)?.[0];
    throw usage(
      `--${option.name} has no effect without --${lacking.name}`,
      `Write: ${shellCommand`${optionWords(lacking.name, rule.examples[lacking.name])} ${optionWords(option.name, text)}`}`,
    );
  }
};

/** An option that has a value of its own where none follows. */
const withValue = (word: string, next: string | undefined, { options }: Command): string => {
  const option = options.find(({ name }) => `--${name}` === word);
  return option?.valueAlone === undefined || hasValue(option, next) ? word : `${word}=${option.valueAlone}`;
};

const knownOption = (command: Command, name: string): Option<unknown> => {
  const option = command.options.find(candidate => `--${candidate.name}` === name);
  if (option !== undefined) return option;
  if (name === '--help') throw usage('--help takes no value', 'Write --help alone.');
  const names = [
    ...command.options.flatMap(candidate => [candidate.name, ...(candidate.aliases ?? [])]),
    ...(command.foreignOptions ?? []).flatMap(option => option.names),
    'help',
  ];
  const meant = nearest(
    name,
    names.filter(({ length }) => length > 1).map(known => `--${known}`),
  );
  const like = command.options.some(candidate => candidate.name === 'like')
    ? `; for the command of another tool: plimsoll ${command.name} --like vllm '…'`
    : '';
  throw usage(
    `unknown option ${shownWord(name)}`,
    `${meant === undefined ? 'See' : `Did you mean ${meant}? See`}: plimsoll ${command.name} --help all${like}`,
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

const checkArguments = (
  command: Command,
  values: readonly string[],
  given: ReadonlyMap<string, unknown>,
): void => {
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
  if (missing === undefined) return;
  const { isRequired, unless, isOffered } = missing;
  if (isRequired || (isOffered !== true && unless !== undefined && !given.has(unless)))
    throw usage(`${missing.name} is missing`, advice);
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

const EXPLAIN = '--explain';
/** After --help or help: everything. */
const ALL = 'all';
const HELP_WORDS: ReadonlySet<string> = new Set(['help', '--help', '-h']);
