// Every rule of an option, from its row: a command line that breaks it is refused with both options and what to do, and
// one that keeps it is not.

import { expect, test } from 'vitest';
import type { Command } from '../../src/cli/command.ts';
import { CommandError } from '../../src/cli/command-error.ts';
import { parseCommandLine } from '../../src/cli/command-line.ts';
import { allCommands } from '../../src/cli/commands.ts';
import { areExclusive, type Option, type OptionRule, optionWords } from '../../src/core/option/option.ts';
import { shellWords } from '../../src/core/text/shell-words.ts';

const COMMANDS = await allCommands();

/** One for each kind of value that options have. */
const TEXTS = [
  ...['1', '4', '1s', '50%', '127.0.0.1:1', 'http://127.0.0.1:1', 'ttft=1s', 'a=b', 'A: b', 'ttft.p90 > 5%'],
  ...['1x1', '25%..50%', '1,2', 'text', 'gold=ttft=1s', 'agentx', '20s'],
];

/** undefined for a flag, and for an option that is refused in any case. */
const textOf = ({ choices = [], ...option }: Option<unknown>): string | undefined =>
  option.valueName === undefined
    ? undefined
    : [...choices, ...TEXTS].find(text => option.read([text]).kind === 'ok');

const isUsable = (option: Option<unknown>): boolean =>
  option.valueName === undefined || textOf(option) !== undefined;

const requiredOf = (command: Command): readonly string[] =>
  command.arguments.flatMap(({ isRequired, unless, choices }) =>
    isRequired || unless !== undefined ? (choices?.[0] ?? 'x') : [],
  );

const problemOf = (command: Command, words: readonly string[]) => {
  try {
    parseCommandLine([...command.name.split(' '), ...requiredOf(command), ...words], [command]);
    return undefined;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return error.problem;
  }
};

const wordsOf = (options: readonly Option<unknown>[]): readonly string[] =>
  options.flatMap(option => optionWords(option.name, textOf(option)));

const knownOf = ({ options }: Command, { names }: OptionRule): readonly Option<unknown>[] =>
  options.filter(option => names.includes(option.name) && isUsable(option));

/** With what they lack. */
const complete = (command: Command, given: readonly Option<unknown>[]): readonly Option<unknown>[] => {
  const lacking = given
    .flatMap(({ rules = [] }) => rules)
    .find(rule => rule.kind === 'needs' && !given.some(({ name }) => rule.names.includes(name)));
  const known = lacking === undefined ? [] : knownOf(command, lacking);
  const added = known.find(each => !given.some(one => areExclusive(one, each))) ?? known[0];
  return added === undefined ? given : complete(command, [...given, added]);
};

const RULES = COMMANDS.flatMap(command =>
  command.options
    .filter(isUsable)
    .flatMap(option => (option.rules ?? []).map(rule => [command, option, rule] as const)),
);

const CASES = RULES.flatMap(([command, option, rule]) =>
  knownOf(command, rule).map(other => ({
    label: `plimsoll ${command.name} --${option.name} ${rule.kind} --${other.name}`,
    command,
    option,
    rule,
    other,
  })),
);

test('every name in a rule is that of an option of a command', () => {
  const names = new Set(COMMANDS.flatMap(({ options }) => options.map(({ name }) => name)));
  for (const [, option, rule] of RULES)
    expect(
      rule.names.filter(name => !names.has(name)),
      `--${option.name}`,
    ).toEqual([]);
});

test('every option with a rule has a value in this test', () => {
  const unusable = COMMANDS.flatMap(({ options }) => options)
    .filter(option => option.rules !== undefined && !isUsable(option))
    .map(({ name }) => name);
  expect(unusable).toEqual([]);
  expect(CASES.length).toBeGreaterThan(100);
});

test.each(CASES.filter(({ rule }) => rule.kind === 'excludes'))('$label', ({ command, option, other }) => {
  const broken = problemOf(command, wordsOf([option, other]));
  expect(broken?.problem).toMatch(/^--\S+ and --\S+ cannot be combined/);
  expect(broken?.problem.split(' ')).toEqual(expect.arrayContaining([`--${option.name}`, `--${other.name}`]));
  expect(broken?.advice).toMatch(/\S/);
  for (const alone of [option, other])
    expect(problemOf(command, wordsOf(complete(command, [alone]))), alone.name).toBeUndefined();
});

test.each(CASES.filter(({ rule }) => rule.kind === 'needs'))('$label', ({ command, option, rule, other }) => {
  const lacking = knownOf(command, rule);
  const broken = problemOf(command, wordsOf([option]));
  expect(broken?.problem).toMatch(new RegExp(`^--${option.name} has no effect without --\\S+$`));
  expect(lacking.map(({ name }) => `--${name}`)).toContain(broken?.problem.split(' ').at(-1));
  const advised = shellWords(broken?.advice.replace('Write: ', '') ?? '');
  expect(problemOf(command, advised ?? ['no words'])).toBeUndefined();
  expect(problemOf(command, wordsOf(complete(command, [option, other])))).toBeUndefined();
});
