// What a person reads in a terminal, with every command as one types it there: "./plimsoll status" in a checkout. Texts are
// written with the installed name, "plimsoll status", and translated where they leave, so that no part need know where it runs.

import type { OutputStream } from './process-state.ts';
import { INSTALLED } from './program-name.ts';

/** `words`: what may stand behind the name, so that a sentence about Plimsoll stays one. */
export const typedAs = (stream: OutputStream, program: string, words: readonly string[]): OutputStream => {
  if (program === INSTALLED) return stream;
  const typed = new RegExp(`(?<![\\w./-])plimsoll (?=(?:${words.join('|')})\\b)`, 'g');
  return {
    // A screen is laid out to the column: what it draws stays as it is.
    write: text => stream.write(text.includes(ESCAPE) ? text : text.replace(typed, `${program} `)),
    isTerminal: stream.isTerminal,
    hasColor: stream.hasColor,
    isUnicode: stream.isUnicode,
    get columns() {
      return stream.columns;
    },
    get rows() {
      return stream.rows;
    },
    closed: stream.closed,
  };
};

const ESCAPE = '\u001b[';
