// A command line in the names of other tools, written in ours: aliases of an option get its name, and options of other tools
// become those that they mean. A name of ours is never read as one of another tool.

import { isJsonObject, type JsonObject, parseAnyJson } from '../../core/json.ts';
import { hasValue, type Option, optionWords } from '../../core/option/option.ts';
import { pushAll } from '../../core/push-all.ts';
import { shellCommand } from '../../core/text/shell-words.ts';
import type { Command, ForeignOption, GivenText } from '../command.ts';
import { type CommandError, usage } from '../command-error.ts';

interface OwnWords {
  readonly words: readonly string[];
  /** How the line was read, and what has no counterpart, a sentence each; none if every name is ours. */
  readonly notes: readonly string[];
}

/** A part of the line: words that stay, or an option of another tool with its values. */
type Part =
  | {
      readonly words: readonly string[];
      readonly note?: string;
      readonly option?: string;
      readonly value?: string | undefined;
    }
  | { readonly foreign: ForeignOption; readonly name: string; readonly value: string };

/** @param args those after the command's own words @throws CommandError `usage` for a name without its value */
export const ownWords = (
  args: readonly string[],
  command: Pick<Command, 'options' | 'foreignOptions'>,
): OwnWords => {
  const { foreignOptions } = command;
  if (foreignOptions === undefined) return { words: args, notes: [] };
  const parts: Part[] = [];
  const texts = new Map<string, string>();
  const remember = (name: string, text: string): void => {
    if (!texts.has(name)) texts.set(name, text);
  };
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    if (word === '--') {
      parts.push({ words: args.slice(at) });
      break;
    }
    const [name, joined] = nameOf(word);
    const own = command.options.find(option => isLong(word) && option.name === name);
    const option = own ?? command.options.find(({ aliases }) => aliases?.includes(name) === true);
    const foreign =
      option === undefined ? foreignOptions.find(({ names }) => names.includes(name)) : undefined;
    if (option !== undefined) {
      const following = joined === undefined && hasValue(option, args[at + 1]) ? args[at + 1] : undefined;
      const value = joined ?? following;
      if (own === undefined && isMissing(option, joined, following))
        throw needsValue(name, option.valueName ?? '');
      if (value !== undefined) remember(option.name, value);
      parts.push(
        own === undefined
          ? {
              words: optionWords(option.name, value),
              note: `${shown(name)} as --${option.name}`,
              option: option.name,
              value,
            }
          : { words: following === undefined ? [word] : [word, following], option: option.name, value },
      );
      if (following !== undefined) at += 1;
    } else if (foreign === undefined) parts.push({ words: [word] });
    else {
      const following = joined === undefined ? valuesAfter(args, at, foreign.takes) : [];
      const value = joined ?? following.join(' ');
      if (foreign.takes !== 'none' && value.trim() === '') throw needsValue(name, 'VALUE');
      for (const each of foreign.names) remember(each, value);
      parts.push({ foreign, name, value });
      at += following.length;
    }
  }
  return inOwnNames(parts, (...names) => names.map(name => texts.get(name)).find(isGiven), command);
};

const inOwnNames = (
  parts: readonly Part[],
  given: GivenText,
  command: Pick<Command, 'options'>,
): OwnWords => {
  const read: string[] = [];
  const notes: string[] = [];
  const words: string[] = [];
  const replaced = new Set<string>();
  let body: JsonObject | undefined;
  for (const part of parts) {
    if (!('foreign' in part)) {
      if (part.note !== undefined) read.push(part.note);
      continue;
    }
    const { options, note, replaces } = part.foreign.read(part.value, given);
    if (note !== undefined) notes.push(`${shown(part.name)}: ${note}`);
    if (replaces !== undefined) replaced.add(replaces);
    const known = options.filter(
      ([name]) => name === 'URL' || command.options.some(option => option.name === name),
    );
    if (known.length < options.length) words.push(shown(part.name));
    for (const [name, value] of known) {
      const json = name === 'body' ? parseAnyJson(value) : undefined;
      if (isJsonObject(json)) body = { ...body, ...json };
      else pushAll(words, name === 'URL' ? [value] : optionWords(name, value));
    }
    // Values of --body may be secret until they are checked.
    if (known.length > 0)
      read.push(
        `${shown(part.name)} as ${known.map(([name, value]) => (name === 'URL' ? 'the URL' : name === 'body' ? '--body' : shellCommand`${optionWords(name, value)}`)).join(' ')}`,
      );
  }
  // One body of all that set fields of it.
  for (const part of body === undefined ? [] : parts) {
    if ('foreign' in part || part.option !== 'body') continue;
    const json = parseAnyJson(part.value ?? '');
    if (!isJsonObject(json)) continue;
    body = { ...body, ...json };
    replaced.add('body');
  }
  const kept = parts.flatMap(part =>
    'foreign' in part || (part.option !== undefined && replaced.has(part.option)) ? [] : part.words,
  );
  const separator = kept.indexOf('--');
  const before = separator === -1 ? kept : kept.slice(0, separator);
  const after = separator === -1 ? [] : kept.slice(separator);
  return {
    words: [
      ...before,
      ...words,
      ...(body === undefined ? [] : optionWords('body', JSON.stringify(body))),
      ...after,
    ],
    notes: [...(read.length === 0 ? [] : [`interpreted ${read.join(', ')}`]), ...notes],
  };
};

/** "--name=value", "-c", "-c100" as [name, value that is joined to it]. */
const nameOf = (word: string): readonly [name: string, joined: string | undefined] => {
  if (isLong(word)) {
    const at = word.indexOf('=');
    return at === -1 ? [word.slice(2), undefined] : [word.slice(2, at), word.slice(at + 1)];
  }
  const [, letter, rest = ''] = /^-([a-zA-Z])(.*)$/s.exec(word) ?? [];
  return [letter ?? '', rest === '' ? undefined : rest.replace(/^=/, '')];
};

/** The same rule as for names of ours: a word that begins with a dash is the next option. */
const isMissing = (
  { valueName, valueAlone }: Option<unknown>,
  joined: string | undefined,
  following: string | undefined,
): boolean =>
  valueName !== undefined &&
  valueAlone === undefined &&
  joined === undefined &&
  (following === undefined || (following.startsWith('-') && following !== '-'));

const needsValue = (name: string, valueName: string): CommandError =>
  usage(`${shown(name)} needs a value`, `Write: ${shown(name)} ${valueName}`);

const isLong = (word: string): boolean => word.startsWith('--') && word !== '--';

const valuesAfter = (
  args: readonly string[],
  at: number,
  takes: ForeignOption['takes'],
): readonly string[] => {
  if (takes === 'none') return [];
  const next = args[at + 1];
  if (next === undefined || next.startsWith('-')) return [];
  if (takes === 'one') return [next];
  const following = args.slice(at + 1);
  const end = following.findIndex(word => !/^[a-z_]\w*:[\d.]+[a-z]*/.test(word));
  return end === -1 ? following : following.slice(0, Math.max(1, end));
};

const shown = (name: string): string => (name.length === 1 ? `-${name}` : `--${name}`);

const isGiven = (text: string | undefined): text is string => text !== undefined;
