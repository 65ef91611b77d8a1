// The manual in the format of man(7): every command with its help, on one page, under the headings of help.

import type { Command } from '../command.ts';
import { environmentName } from '../environment-words.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { groupsOfCommands, optionGroups, optionRow, usageText } from '../help.ts';

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
    ...groupsOfCommands(commands).flatMap(({ title, inGroup }) => [
      `.SH "${title.toUpperCase()}"`,
      ...inGroup.flatMap(commandSection),
    ]),
    '.SH EXIT STATUS',
    ...Object.values(EXIT_CODES).flatMap(({ code, meaning }) => ['.TP', `.B ${code}`, ...prose(meaning)]),
    '.SH ENVIRONMENT',
    '.TP',
    '.B PLIMSOLL_HOME',
    ...prose('The home of the node where --home is not given; else ~/.plimsoll.'),
    '.TP',
    `.B ${environmentName({ name: 'OPTION' })}`,
    ...prose(`Any option of a command that its line does not give: PLIMSOLL_RATE=5 is --rate 5.`),
    '.TP',
    '.B NO_COLOR, FORCE_COLOR',
    ...prose('Whether the terminal gets colours.'),
    '.SH FILES',
    '.TP',
    '.I ~/.plimsoll',
    ...prose('The home: identity, journal, config.toml, keys, runs. It belongs to one user (0700).'),
  ].join('\n')}\n`;

const commandSection = (command: Command): readonly string[] => [
  `.SS "plimsoll ${escaped(usageText(command))}"`,
  ...prose(sentence(command.summary)),
  ...command.description.split('\n\n').flatMap(part => (part === '' ? [] : ['.PP', ...prose(part)])),
  ...command.arguments.flatMap(({ name, meaning }) => ['.TP', `.I ${escaped(name)}`, ...prose(meaning)]),
  ...optionGroups(command.options).flatMap(([title, options], _, { length }) => [
    ...(length === 1 || options.length === 0 ? [] : ['.PP', `.B "${escaped(title)}"`]),
    ...options.map(optionRow).flatMap(([form, meaning]) => {
      const [name = '', ...value] = form.split(' ');
      return [
        '.TP',
        [
          `.B ${escaped(name)}`,
          ...(value.length === 0 ? [] : [String.raw`\fI${escaped(value.join(' '))}`]),
        ].join(' '),
        ...prose(meaning),
      ];
    }),
  ]),
  ...command.examples.flatMap(({ line, meaning }) => ['.TP', `.B "${escaped(line)}"`, ...prose(meaning)]),
];

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
