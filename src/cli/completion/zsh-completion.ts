// Completion for zsh: a file for a folder of $fpath, or for eval. _arguments shows each option with its description.

import type { Option } from '../../core/option/option.ts';
import type { Command } from '../command.ts';
import { groupsOfCommands } from '../help.ts';
import {
  argumentHint,
  type CommandGroup,
  commandGroups,
  meaningOf,
  TARGETS_COMMAND,
  type ValueHint,
  valueHint,
} from './command-tree.ts';

export const zshCompletion = (commands: readonly Command[]): string => {
  const groups = commandGroups(commands);
  return `#compdef plimsoll
# zsh completion of plimsoll; made by: plimsoll completion zsh
_plimsoll_targets() {
  local -a found
  found=(\${(f)"$(${TARGETS_COMMAND})"})
  found=(\${found//:/\\\\:})
  found=(\${found/$'\\t'/:})
  _describe -t targets 'node or engine' found
}
_plimsoll() {
  local -a commands
  if ((CURRENT == 2)); then
${groupsOfCommands(commands).map(titledCommands).join('\n')}
    commands=(${described('help', 'The help of a command')})
    _describe -t help help commands
    _arguments '--help[List the commands]' '--version[Print the version]'
    return
  fi
  shift words
  ((CURRENT--))
  case $words[1] in
${groups.map(groupCase).join('\n')}
  esac
}
if [[ $funcstack[1] == _plimsoll ]]; then
  _plimsoll "$@"
else
  compdef _plimsoll plimsoll
fi
`;
};

/** zsh shows the matches of each list under its description. */
const titledCommands = ({
  title,
  inGroup,
}: ReturnType<typeof groupsOfCommands>[number]): string => `    commands=(
${commandGroups(inGroup)
  .map(group => `      ${described(group.word, meaningOf(group))}`)
  .join('\n')}
    )
    _describe -t ${quoted(title.toLowerCase().replaceAll(' ', '-'))} ${quoted(title)} commands`;

const groupCase = ({ word, alone, inside }: CommandGroup): string => {
  if (inside.length === 0)
    return `    ${word})${alone === undefined ? '' : `\n${argumentsOf(alone, '      ')}`}\n      ;;`;
  return `    ${word})
      if ((CURRENT == 2)); then
        commands=(
${inside.map(entry => `          ${described(entry.word, entry.command.summary)}`).join('\n')}
        )
        _describe -t commands ${quoted(`${word} command`)} commands
      fi
      case $words[2] in
${inside.map(({ word: second, command }) => `        ${second})\n          shift words; ((CURRENT--))\n${argumentsOf(command, '          ')}\n          ;;`).join('\n')}
${alone === undefined ? '' : `        *)\n${argumentsOf(alone, '          ')}\n          ;;\n`}      esac
      ;;`;
};

const argumentsOf = (command: Command, indent: string): string => {
  const action = actionOf(argumentHint(command));
  const first = command.arguments[0];
  const words = [
    ...command.options.map(optionWord),
    quoted('--help[This help]'),
    ...(first === undefined ? [] : [quoted(`*:${plain(first.name)}:${action}`)]),
  ];
  return `${indent}_arguments ${words.join(` \\\n${indent}  `)}`;
};

const optionWord = (option: Option<unknown>): string => {
  const many = option.isRepeatable ? '*' : '';
  const value =
    option.valueName === undefined ? '' : `:${plain(option.valueName)}:${actionOf(valueHint(option))}`;
  return quoted(`${many}--${option.name}[${plain(option.meaning)}]${value}`);
};

const actionOf = (hint: ValueHint): string => {
  switch (hint.kind) {
    case 'none':
    case 'free':
      return ' ';
    case 'file':
      return '_files';
    case 'folder':
      return '_files -/';
    case 'words':
      return `(${hint.choices.join(' ')})`;
    case 'target':
      return '_plimsoll_targets';
    default:
      return hint satisfies never;
  }
};

const described = (word: string, meaning: string): string =>
  quoted(`${word}:${meaning.replaceAll(':', String.raw`\:`)}`);

/** Within a specification of _arguments a bracket or a colon has a meaning. */
const plain = (text: string): string => text.replaceAll(/[[\]:\\]/g, String.raw`\$&`);

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
