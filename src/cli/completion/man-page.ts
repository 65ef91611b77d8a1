// The manual in the format of man(7): every command with its help, on one page.

import type { Option } from '../../core/option/option.ts';
import type { Command, CommandArgument } from '../command.ts';
import { EXIT_CODES } from '../exit-codes.ts';

interface ManPage {
  readonly version: string;
}

export const manPage = (commands: readonly Command[], { version }: ManPage): string =>
  `${[
    `.TH PLIMSOLL 1 "" "plimsoll ${escaped(version)}" "User Commands"`,
    '.SH NAME',
    String.raw`plimsoll \- the load line for AI clusters`,
    '.SH SYNOPSIS',
    '.B plimsoll',
    '.I COMMAND',
    '[OPTIONS]',
    '.SH DESCRIPTION',
    ...prose(
      'Shows what the machines and cables of a cluster can carry, measured and live, and loads an inference endpoint with figures that can be trusted.',
    ),
    '.SH COMMANDS',
    ...commands.flatMap(commandSection),
    '.SH EXIT STATUS',
    ...Object.values(EXIT_CODES).flatMap(({ code, meaning }) => ['.TP', `.B ${code}`, ...prose(meaning)]),
    '.SH ENVIRONMENT',
    '.TP',
    '.B PLIMSOLL_HOME',
    ...prose('The home of the node where --home is not given; else ~/.plimsoll.'),
    '.TP',
    '.B NO_COLOR, FORCE_COLOR',
    ...prose('Whether the terminal gets colours.'),
    '.SH FILES',
    '.TP',
    '.I ~/.plimsoll',
    ...prose('The home: identity, journal, config.toml, keys, runs. It belongs to one user (0700).'),
  ].join('\n')}\n`;

const commandSection = (command: Command): readonly string[] => [
  `.SS "plimsoll ${escaped([command.name, ...command.arguments.map(argumentText)].join(' '))}"`,
  ...prose(sentence(command.summary)),
  ...command.description.split('\n\n').flatMap(part => (part === '' ? [] : ['.PP', ...prose(part)])),
  ...command.arguments.flatMap(({ name, meaning }) => ['.TP', `.I ${escaped(name)}`, ...prose(meaning)]),
  ...command.options.flatMap(optionRows),
  ...command.examples.flatMap(({ line, meaning }) => ['.TP', `.B "${escaped(line)}"`, ...prose(meaning)]),
];

const optionRows = ({ name, valueName, meaning, isRepeatable }: Option<unknown>): readonly string[] => [
  '.TP',
  `.B ${escaped(`--${name}`)}${valueName === undefined ? '' : String.raw` \fI` + escaped(valueName)}${isRepeatable ? ' …' : ''}`,
  ...prose(meaning),
];

const argumentText = ({ name, isRequired, isRepeatable }: CommandArgument): string =>
  `${isRequired ? name : `[${name}]`}${isRepeatable === true ? ' …' : ''}`;

const sentence = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`);

/** A line that begins with a dot or an apostrophe would be taken for an order. */
const prose = (text: string): readonly string[] =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
    .map(line => escaped(line).replace(/^([.'])/, String.raw`\&$1`));

const escaped = (text: string): string =>
  text.replaceAll('\\', String.raw`\e`).replaceAll('-', String.raw`\-`).replaceAll('"', String.raw`\(dq`);
