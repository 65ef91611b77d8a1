// What --help prints: the commands or options that people need first, and with "all" every one under its heading, in lines
// that fit the terminal.

import { maximumOf } from '../core/extremes.ts';
import { hasValue, type Option, optionForm } from '../core/option/option.ts';
import { hangingLines, inColumns, padded, textWidth } from '../core/text/columns.ts';
import { COMMAND_GROUPS, type Command, type CommandArgument, FIRST_COMMANDS } from './command.ts';
import { environmentName, type VariableOption } from './environment-words.ts';

interface HelpOptions {
  /** Every command or option. */
  readonly isFull: boolean;
  /** Width of the terminal. */
  readonly columns: number;
}

/** Of all commands, or of those of one group ("config"). */
export const commandList = (
  commands: readonly Command[],
  group: string | undefined,
  { isFull, columns }: HelpOptions,
): string => {
  if (group !== undefined) {
    const inGroup = commands.filter(({ name }) => name.startsWith(`${group} `));
    return text([
      `Usage: plimsoll ${group} COMMAND [OPTIONS]`,
      ...section('Commands', inGroup.map(commandRow), columns),
      '',
      ...hangingLines('See: ', `plimsoll ${group} COMMAND --help`, width(columns)),
    ]);
  }
  const sections = groupsOfCommands(commands).flatMap(({ title, inGroup }) => {
    const shown = isFull ? inGroup : inGroup.filter(({ name }) => FIRST_COMMANDS.includes(name));
    return section(title, shown.map(commandRow), columns);
  });
  return text([
    ...hangingLines('', WHAT, width(columns)),
    '',
    'Usage: plimsoll COMMAND [OPTIONS]',
    ...sections,
    ...section(
      'More',
      [
        ...(isFull ? [] : [['help all', 'Every command'] as const]),
        ['COMMAND --help', 'The help of a command, such as: plimsoll bench --help'],
        ['--version', 'The version of Plimsoll'],
      ],
      columns,
    ),
  ]);
};

/** Under the headings of help. */
export const groupsOfCommands = (
  commands: readonly Command[],
): readonly { readonly title: string; readonly inGroup: readonly Command[] }[] =>
  COMMAND_GROUPS.map(({ title, words }) => ({
    title,
    inGroup: commands.filter(({ name }) => words.some(word => name.split(' ')[0] === word)),
  }));

export const commandHelp = (command: Command, { isFull, columns }: HelpOptions): string => {
  const common = command.options.filter(({ isCommon }) => isCommon === true);
  const isShort = !isFull && common.length > 0;
  return text([
    ...hangingLines('Usage: ', `plimsoll ${usageText(command)} [OPTIONS]`, width(columns)),
    '',
    ...hangingLines('', command.summary, width(columns)),
    ...(command.description === ''
      ? []
      : ['', ...hangingLines('', command.description.replaceAll('\n', ' '), width(columns))]),
    ...section(
      'Arguments',
      command.arguments.map(({ name, meaning }) => [name, meaning]),
      columns,
    ),
    ...(isShort
      ? section(
          'Options used most',
          [
            ...common.map(optionRow),
            ['--help all', `All ${command.options.length} options: plimsoll ${command.name} --help all`],
          ],
          columns,
        )
      : [...optionGroups(command.options)].flatMap(([title, options], at, { length }) =>
          section(
            title,
            [...options.map(optionRow), ...(at === length - 1 ? [['--help', 'This help'] as const] : [])],
            columns,
          ),
        )),
    ...examples(command, columns),
  ]);
};

/** --explain: each option that is set, and where its value comes from. Secret values are not shown. */
export const explainedOptions = (
  {
    command,
    words,
    variables,
  }: {
    readonly command: Command;
    readonly words: readonly string[];
    readonly variables: readonly VariableOption[];
  },
  columns: number,
): string => {
  const rows = command.options.flatMap(option => [
    ...givenRows(option, words, 'command line'),
    ...variables
      .filter(variable => variable.option === option)
      .flatMap(({ words: own, givesWayTo: other }) =>
        givenRows(
          option,
          own,
          `${environmentName(option)}${other === undefined ? '' : `, not used: the command line has --${other}`}`,
        ),
      ),
  ]);
  return text([
    `Options of plimsoll ${command.name} that are set:`,
    ...(rows.length === 0 ? ['  none'] : inColumns(rows)),
    '',
    ...hangingLines('', PRECEDENCE.replace('COMMAND', command.name), width(columns)),
  ]);
};

/** A row for each time that the words have the option. */
const givenRows = (
  option: Option<unknown>,
  given: readonly string[],
  source: string,
): readonly (readonly string[])[] =>
  given.flatMap((word, at) => {
    const [name, ...joined] = word.split('=');
    if (name !== `--${option.name}`) return [];
    const next = hasValue(option, given[at + 1]) ? given[at + 1] : undefined;
    const value = joined.length > 0 ? joined.join('=') : (next ?? option.valueAlone ?? 'on');
    return [[name, option.isSecret === true ? '(not shown)' : value, source]];
  });

const PRECEDENCE =
  'The command line comes first, then PLIMSOLL_… variables, then the file of the run, then the default of each option (plimsoll COMMAND --help all).';

/** The headings in the order in which their first option is declared; options without one are last. */
export const optionGroups = (
  options: readonly Option<unknown>[],
): readonly (readonly [title: string, options: readonly Option<unknown>[]])[] => {
  const groups = Map.groupBy(options, ({ group }) => group);
  const others = groups.get(undefined) ?? [];
  const titled = [...groups].flatMap(([title, inGroup]) =>
    title === undefined ? [] : [[title, inGroup] as const],
  );
  return [...titled, [titled.length === 0 ? 'Options' : 'Other', others]];
};

const commandRow = (command: Command): readonly [string, string] => [usageText(command), command.summary];

export const optionRow = (option: Option<unknown>): readonly [form: string, meaning: string] => [
  optionForm(option),
  option.aliases === undefined ? option.meaning : `${option.meaning} Also: ${aliasText(option.aliases)}.`,
];

const aliasText = (aliases: readonly string[]): string =>
  aliases.map(name => (name.length === 1 ? `-${name}` : `--${name}`)).join(', ');

/** Each on its own line, so that it can be copied, with its meaning below. */
const examples = ({ examples }: Command, columns: number): readonly string[] =>
  examples.length === 0
    ? []
    : [
        '',
        'Examples:',
        ...examples.flatMap(({ line, meaning }) => [
          `  ${line}`,
          ...hangingLines('      ', meaning, width(columns)),
        ]),
      ];

const section = (
  title: string,
  rows: readonly (readonly [string, string])[],
  columns: number,
): readonly string[] => (rows.length === 0 ? [] : ['', `${title}:`, ...table(rows, columns)]);

/** Two columns; a long first cell has the line to itself, and in a narrow terminal almost every one. */
const table = (rows: readonly (readonly [string, string])[], columns: number): readonly string[] => {
  const fitting = rows.map(([cell]) => textWidth(cell)).filter(cells => cells <= FIRST_COLUMN_MAX);
  const first = width(columns) < NARROW ? FIRST_COLUMN_NARROW : maximumOf([...fitting, FIRST_COLUMN_MIN]);
  return rows.flatMap(([cell, meaning]) => {
    const isLong = textWidth(cell) > first;
    const head = `  ${padded(isLong ? '' : cell, first)}  `;
    const lines = hangingLines(head, meaning, width(columns));
    return isLong ? [...hangingLines('  ', cell, width(columns)), ...lines] : lines;
  });
};

export const usageText = ({ name, arguments: names }: Command): string =>
  [name, ...names.map(argumentText)].join(' ');

const argumentText = ({ name, isRequired, isRepeatable }: CommandArgument): string =>
  `${isRequired ? name : `[${name}]`}${isRepeatable === true ? ' …' : ''}`;

const text = (lines: readonly string[]): string => `${lines.map(line => line.trimEnd()).join('\n')}\n`;

const width = (columns: number): number => Math.min(Math.max(columns, COLUMNS_MIN), COLUMNS_MAX);

const WHAT = 'Plimsoll, the load line for AI clusters: what your machines and cables can carry.';
const NARROW = 60;
const FIRST_COLUMN_NARROW = 4;
const FIRST_COLUMN_MIN = 12;
const FIRST_COLUMN_MAX = 26;
/** Longer lines are hard to read. */
const COLUMNS_MAX = 100;
const COLUMNS_MIN = 40;
