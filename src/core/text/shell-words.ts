// Words of a command line as a person types them into a shell (POSIX, section 2.2): every command that
// Plimsoll shows is built here from quoted parts, because a name in it may come from another machine, and
// commands are split into words as a shell does. Nothing is expanded and nothing is run.

import { showable } from './single-line.ts';

/** A list becomes as many words, which may be options, or none. */
type CommandValue = string | number | readonly string[];

/**
 * For templates: shellCommand`plimsoll probe link ${name}`. The template's text is the command; each value is
 * one word, with any content, and never an option: a value that starts with a dash and is not the argument of
 * an option is put after `--`.
 */
export const shellCommand = (parts: TemplateStringsArray, ...values: readonly CommandValue[]): string => {
  let command = parts[0] ?? '';
  for (const [index, value] of values.entries()) {
    if (typeof value === 'object')
      command = [command.trimEnd(), ...value.map(quoted)].filter(text => text !== '').join(' ');
    else command += `${isOption(command, String(value)) ? '-- ' : ''}${quoted(String(value))}`;
    command += parts[index + 1] ?? '';
  }
  return command;
};

const isOption = (before: string, value: string): boolean =>
  value.startsWith('-') && /(?:^|\s)(?!-)\S+\s+$/.test(before) && !/\s--\s/.test(before);

/** So that a shell reads it unchanged. */
const quoted = (word: string): string => {
  if (BARE.test(word)) return word;
  return showable(word) === word ? `'${word.replaceAll("'", "'\\''")}'` : `$'${escapedBytes(word)}'`;
};

/**
 * Quoting with escapes (POSIX.1-2024, section 2.2.4; bash and zsh support it too): nothing in it is invisible
 * or controls a terminal.
 */
const escapedBytes = (word: string): string =>
  word.replace(/[^\w @%+=:,./-]+/g, text =>
    [...encodeURIComponent(text.toWellFormed()).matchAll(/%([0-9A-F]{2})|./g)]
      .map(([sign, byte]) => (byte === undefined ? sign.charCodeAt(0) : Number.parseInt(byte, 16)))
      .map(byte => `\\${byte.toString(8).padStart(3, '0')}`)
      .join(''),
  );

/** No character in it is special to a shell; zsh expands a word that starts with an equals sign. */
const BARE = /^[\w./+-][\w@%+=:,./-]*$/;

/**
 * Handles spaces, single and double quotation marks, backslashes, line continuation. Undefined if a quotation
 * mark is not closed.
 */
export const shellWords = (text: string): readonly string[] | undefined => {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (quote !== '') {
      if (character === quote) quote = '';
      else if (character === '\\' && quote === '"' && DOUBLE_ESCAPED.has(text[at + 1] ?? '')) {
        at += 1;
        word = (word ?? '') + (text[at] ?? '');
      } else word = (word ?? '') + character;
    } else if (character === "'" || character === '"') {
      quote = character;
      word ??= '';
    } else if (character === '\\') {
      at += 1;
      if (text[at] !== '\n') word = (word ?? '') + (text[at] ?? '');
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + character;
  }
  if (quote !== '') return undefined;
  return word === undefined ? words : [...words, word];
};

const DOUBLE_ESCAPED: ReadonlySet<string> = new Set(['"', '\\', '$', '`']);
