// Completion for bash 4.4 and newer: one function, a table of cases. Only for the names of servers plimsoll runs while a person types.

import type { Command } from '../command.ts';
import {
  argumentHint,
  type CommandGroup,
  commandGroups,
  TARGETS_COMMAND,
  type ValueHint,
  valueHint,
} from './command-tree.ts';

export const bashCompletion = (commands: readonly Command[]): string => {
  const groups = commandGroups(commands);
  const first = [...groups.map(({ word }) => word), 'help', '--help', '--version'];
  return `# bash completion of plimsoll; made by: plimsoll completion bash
_plimsoll_targets() {
  local name rest
  while IFS=$'\\t' read -r name rest; do
    # Bash takes a colon for the end of a word, and would repeat what is before it.
    if [[ $name == "$1"* ]]; then COMPREPLY+=("\${name#"\${1%"\${1##*:}"}"}"); fi
  done < <(${TARGETS_COMMAND})
}
_plimsoll() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} command=\${COMP_WORDS[1]-} at=1
  local from=$COMP_CWORD typed
  while ((from > 1)) && [[ \${COMP_WORDS[from]} == : || \${COMP_WORDS[from - 1]} == : ]]; do ((from--)); done
  typed=$(IFS=; echo "\${COMP_WORDS[*]:from:COMP_CWORD - from + 1}")
  before=\${COMP_WORDS[from - 1]}
  COMPREPLY=()
  [[ $command == help ]] && command=\${COMP_WORDS[2]-} at=2
  if ((COMP_CWORD <= at)); then
    COMPREPLY=($(compgen -W ${quoted(first.join(' '))} -- "$word"))
    return
  fi
  case $command in
${groups
  .filter(({ inside }) => inside.length > 0)
  .map(groupCase)
  .join('\n')}
  esac
  case "$command $before" in
${commands.flatMap(valueCases).join('\n')}
  esac
  local options= place= words=
  case $command in
${commands.map(optionCase).join('\n')}
  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options --help" -- "$word"))
  elif [[ $place == target ]]; then
    _plimsoll_targets "$typed"
  elif [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$word"))
  elif [[ -n $place ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen "$place" -- "$word")
  fi
}
complete -F _plimsoll plimsoll
`;
};

/** The second word becomes part of the command. */
const groupCase = ({ word, alone, inside }: CommandGroup): string => {
  const words = inside.map(entry => entry.word);
  const options = alone === undefined ? '' : ` ${alone.options.map(({ name }) => `--${name}`).join(' ')}`;
  const known = words.map(second => `${word} ${second}`);
  return `    ${word})
      if ((COMP_CWORD == at + 1)); then
        COMPREPLY=($(compgen -W ${quoted(`${words.join(' ')}${options}`)} -- "$word"))
        return
      fi
      case "$command \${COMP_WORDS[at + 1]-}" in
        ${known.map(quoted).join(' | ')}) command="$command \${COMP_WORDS[at + 1]}" ;;
      esac
      ;;`;
};

/** Options whose value follows: nothing else is offered there. */
const valueCases = ({ name, options }: Command): readonly string[] =>
  options.flatMap(option => {
    const complete = completionOf(valueHint(option));
    return complete === undefined ? [] : [`    ${quoted(`${name} --${option.name}`)})${complete} return ;;`];
  });

const completionOf = (hint: ValueHint): string | undefined => {
  switch (hint.kind) {
    case 'none':
      return undefined;
    case 'free':
      return '';
    case 'file':
      return ' compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$word");';
    case 'folder':
      return ' compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$word");';
    case 'words':
      return ` COMPREPLY=($(compgen -W ${quoted(hint.choices.join(' '))} -- "$word"));`;
    case 'target':
      return ' _plimsoll_targets "$typed";';
    default:
      return hint satisfies never;
  }
};

const optionCase = (command: Command): string => {
  const options = command.options.map(({ name }) => `--${name}`).join(' ');
  return `    ${quoted(command.name)}) options=${quoted(options)}${completionOfHint(argumentHint(command))} ;;`;
};

const completionOfHint = (hint: ValueHint): string => {
  switch (hint.kind) {
    case 'none':
    case 'free':
      return '';
    case 'file':
      return ' place=-f';
    case 'folder':
      return ' place=-d';
    case 'words':
      return ` words=${quoted(hint.choices.join(' '))}`;
    case 'target':
      return ' place=target';
    default:
      return hint satisfies never;
  }
};

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
