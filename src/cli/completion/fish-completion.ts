// Completion for fish: one line a word, with its description.

import type { Option } from '../../core/option/option.ts';
import type { Command } from '../command.ts';
import {
  argumentHint,
  type CommandGroup,
  commandGroups,
  meaningOf,
  TARGETS_COMMAND,
  type ValueHint,
  valueHint,
} from './command-tree.ts';

export const fishCompletion = (commands: readonly Command[]): string => {
  const groups = commandGroups(commands);
  return `# fish completion of plimsoll; made by: plimsoll completion fish
function __plimsoll_command
  set -l words (commandline -opc)
  set -e words[1]
  if test "$words[1]" = help
    set -e words[1]
  end
  set -l length (count $argv)
  test "$argv" = "$words[1..$length]"
end
complete -c plimsoll -f
complete -c plimsoll -n __fish_is_first_arg -l help -d 'List the commands'
complete -c plimsoll -n __fish_is_first_arg -l version -d 'Print the version'
complete -c plimsoll -n '__fish_seen_subcommand_from help; and test (count (commandline -opc)) = 2' -a ${quoted(groups.map(({ word }) => word).join(' '))}
${groups.flatMap(groupLines).join('\n')}
`;
};

const groupLines = (group: CommandGroup): readonly string[] => {
  const { word, alone, inside } = group;
  const seconds = inside.map(entry => entry.word).join(' ');
  const isAlone = inside.length === 0 ? '' : `; and not __fish_seen_subcommand_from ${seconds}`;
  return [
    line('__fish_is_first_arg', `-a ${quoted(word)} -d ${quoted(meaningOf(group))}`),
    ...(alone === undefined ? [] : commandLines(alone, `__plimsoll_command ${word}${isAlone}`)),
    ...inside.flatMap(({ word: second, command }) => [
      line(
        `__plimsoll_command ${word}; and not __fish_seen_subcommand_from ${seconds}`,
        `-a ${quoted(second)} -d ${quoted(command.summary)}`,
      ),
      ...commandLines(command, `__plimsoll_command ${word} ${second}`),
    ]),
  ];
};

const commandLines = (command: Command, condition: string): readonly string[] => {
  const hint = argumentHint(command);
  return [
    ...(hint.kind === 'file' || hint.kind === 'folder' ? [line(condition, '-F')] : []),
    ...(hint.kind === 'words' || hint.kind === 'target' ? [line(condition, wordsOf(hint).trimStart())] : []),
    ...command.options.map(option => line(condition, optionWords(option))),
    line(condition, "-l help -d 'This help'"),
  ];
};

const optionWords = (option: Option<unknown>): string =>
  `-l ${option.name}${VALUES[valueHint(option).kind]}${wordsOf(valueHint(option))} -d ${quoted(option.meaning)}`;

const wordsOf = (hint: ValueHint): string => {
  if (hint.kind === 'target') return ` -a ${quoted(`(${TARGETS_COMMAND})`)}`;
  return hint.kind === 'words' ? ` -a ${quoted(hint.choices.join(' '))}` : '';
};

const line = (condition: string, rest: string): string =>
  `complete -c plimsoll -n ${quoted(condition)} ${rest}`;

const quoted = (text: string): string =>
  `'${text.replaceAll('\\', String.raw`\\`).replaceAll("'", String.raw`\'`)}'`;

/** -r: a value must follow; -x: and it is no file. */
const VALUES: Readonly<Record<ValueHint['kind'], string>> = {
  none: '',
  free: ' -x',
  file: ' -r -F',
  folder: ' -x -a "(__fish_complete_directories)"',
  words: ' -x',
  target: ' -x',
};
