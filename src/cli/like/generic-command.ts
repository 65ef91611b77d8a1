// The command of a load tester whose options are read by their names alone: SGLang's bench_serving, oha, hey, wrk, k6, ab.

import { hasValue } from '../../core/option/option.ts';
import { BENCH_OPTIONS } from '../bench/bench-options.ts';
import { TOOL_OPTIONS } from './foreign-options.ts';
import { LikeBuilder, type LikeCommand } from './like-command.ts';
import { ownWords } from './own-words.ts';

/** @param defaults options that the tool has without being given them */
export const likeGeneric =
  (defaults: readonly (readonly [name: string, value: string])[]) =>
  (given: readonly string[]): LikeCommand => {
    const made = new LikeBuilder();
    const { words, notes } = ownWords(given, { options: BENCH_OPTIONS, foreignOptions: TOOL_OPTIONS });
    const names = new Set<string>();
    const unread: string[] = [];
    let url = '';
    for (let at = 0; at < words.length; at += 1) {
      const word = words[at] ?? '';
      const [, name, joined] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
      const option = BENCH_OPTIONS.find(known => known.name === name);
      const next = words[at + 1];
      if (option !== undefined) {
        const takesNext = joined === undefined && hasValue(option, next);
        names.add(option.name);
        const value = joined ?? (takesNext ? next : undefined);
        // Without a value, another tool leaves its own default.
        if (option.valueName === undefined) made.add(option.name, '');
        else if (value !== '') made.add(option.name, value ?? option.valueAlone);
        if (takesNext) at += 1;
      } else if (word.startsWith('-')) unread.push(word.split('=', 1)[0] ?? word);
      else if (isAddress(word)) url = word.includes('://') ? word : `http://${word}`;
    }
    const hasLoad = names.has('rate') || names.has('concurrency');
    for (const [name, value] of defaults)
      if (!names.has(name) && !(name === 'concurrency' && hasLoad)) made.add(name, value);
    // How the options were read is shown by the command itself.
    for (const note of notes) if (!note.startsWith('interpreted ')) made.note(note);
    return made.made(url === '' ? DEFAULT_URL : url, unread, new Set());
  };

const isAddress = (word: string): boolean => word.includes('://') || /^[\w.-]+:\d+(\/|$)/.test(word);

const DEFAULT_URL = 'http://127.0.0.1:8000';
