// What can be typed after `plimsoll`, as shells complete it and a manual lists it: derived from the same commands as --help, so
// that none of them can know an option that the others lack.

import type { Option } from '../../core/option/option.ts';
import type { Command } from '../command.ts';

export interface CommandGroup {
  /** The first word: "config". */
  readonly word: string;
  /** What it does alone; undefined where it needs a second word. */
  readonly alone: Command | undefined;
  /** Those with a second word. */
  readonly inside: readonly { readonly word: string; readonly command: Command }[];
}

export const commandGroups = (commands: readonly Command[]): readonly CommandGroup[] => {
  const words = [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''))];
  return words.map(word => ({
    word,
    alone: commands.find(({ name }) => name === word),
    inside: commands
      .filter(({ name }) => name.startsWith(`${word} `))
      .map(command => ({ word: command.name.slice(word.length + 1), command })),
  }));
};

/** In a list of commands: its own summary, or the commands inside. */
export const meaningOf = ({ alone, inside }: CommandGroup): string =>
  alone?.summary ?? inside.map(({ word }) => word).join(', ');

/** What may follow an option. */
export type ValueHint =
  | { readonly kind: 'none' }
  | { readonly kind: 'free' }
  | { readonly kind: 'file' }
  | { readonly kind: 'folder' }
  | { readonly kind: 'words'; readonly choices: readonly string[] }
  /** Names that a daemon reports; a shell gets them by TARGETS_COMMAND. */
  | { readonly kind: 'target' };

/** Prints a name and its description in each line, with a tab between; nothing without a daemon. */
export const TARGETS_COMMAND = 'plimsoll completion targets 2>/dev/null';

/** Its choices, or derived from the name of its value: lower-case words are literals, FILE and DIR are paths. */
export const valueHint = ({
  valueName,
  choices,
  target,
}: Pick<Option<unknown>, 'valueName' | 'choices' | 'target'>): ValueHint => {
  if (target !== undefined) return { kind: 'target' };
  if (choices !== undefined) return { kind: 'words', choices };
  if (valueName === undefined) return { kind: 'none' };
  const parts = valueName.split('|');
  const words = parts.filter(part => /^[a-z][a-z0-9-]*$/.test(part));
  if (words.length > 0) return { kind: 'words', choices: words };
  if (parts.includes('FILE')) return { kind: 'file' };
  return parts.includes('DIR') ? { kind: 'folder' } : { kind: 'free' };
};

/** Of a command's first argument. */
export const argumentHint = ({ arguments: [first] }: Command): ValueHint =>
  first === undefined ? { kind: 'none' } : valueHint({ ...first, valueName: first.name });
