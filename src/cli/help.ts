// What --help prints.

import { inColumns } from '../core/text/columns.ts';
import type { Command, CommandArgument, Option } from './command.ts';

/** Of all commands, or of those of one group ("config"). */
export const commandList = (commands: readonly Command[], group: string | undefined): string => {
  const shown = group === undefined ? commands : commands.filter(({ name }) => name.startsWith(`${group} `));
  const lines = table(shown.map(command => [usageText(command), command.summary]));
  const intro =
    group === undefined
      ? ['Plimsoll, the load line for AI clusters: what your machines and cables can carry.', '']
      : [];
  return [
    ...intro,
    `Usage: plimsoll ${group ?? 'COMMAND'} [OPTIONS]`,
    '',
    'Commands:',
    ...lines,
    '',
    ...(group === undefined
      ? table([
          ['--help', 'This, or the help of a command: plimsoll up --help'],
          ['--version', 'The version of Plimsoll'],
        ])
      : [`See: plimsoll ${group} COMMAND --help`]),
    '',
  ].join('\n');
};

export const commandHelp = (command: Command): string =>
  [
    `Usage: plimsoll ${usageText(command)} [OPTIONS]`,
    '',
    command.summary,
    ...(command.description === '' ? [] : ['', command.description]),
    ...section(
      'Arguments:',
      command.arguments.map(({ name, meaning }) => [name, meaning]),
    ),
    ...section('Options:', [...command.options.map(optionRow), ['--help', 'This help']]),
    ...section(
      'Examples:',
      command.examples.map(({ line, meaning }) => [line, meaning]),
    ),
    '',
  ].join('\n');

const usageText = ({ name, arguments: names }: Command): string =>
  [name, ...names.map(argumentText)].join(' ');

const argumentText = ({ name, isRequired, isRepeatable }: CommandArgument): string =>
  `${isRequired ? name : `[${name}]`}${isRepeatable === true ? ' …' : ''}`;

const optionRow = ({
  name,
  valueName,
  valueAlone,
  meaning,
  isRepeatable,
}: Option<unknown>): [string, string] => [
  `--${name}${valueName === undefined ? '' : valueAlone === undefined ? ` ${valueName}` : ` [${valueName}]`}${isRepeatable ? ' …' : ''}`,
  meaning,
];

const section = (title: string, rows: readonly (readonly [string, string])[]): string[] =>
  rows.length === 0 ? [] : ['', title, ...table(rows)];

const table = (rows: readonly (readonly [string, string])[]): readonly string[] =>
  inColumns(rows, { gap: 3 });
