// Rows of a label, facts and an age. Lines break between facts, never inside one, and the age is at the right.

import { pushAll } from '../core/push-all.ts';
import { brokenLines, clipped, padded, paddedStart, textWidth } from '../core/text/columns.ts';
import { type Line, lineWidth, type Part, part } from './part.ts';

export interface Row {
  readonly label: string;
  /** Each a unit that stays together. */
  readonly facts: readonly Line[];
  /** At the right end of the first line; undefined: none. */
  readonly age: Part | undefined;
}

export const layoutRows = (rows: readonly Row[], columns: number): readonly Line[] =>
  rows.flatMap(row => layoutRow(row, Math.max(columns, COLUMNS_MIN)));

/**
 * What is wider than the terminal continues in further lines, below what follows the line's head or indented; nothing
 * is cut.
 */
export const hangingLine = (line: Line, columns: number): readonly Line[] => {
  if (lineWidth(line) <= columns) return [line];
  const [head] = line;
  const indent = head?.text.endsWith(' ') === true ? textWidth(head.text) : HANGING;
  const [first = [], ...rest] = brokenLine(line, Math.max(WORDS_LEAST, columns - indent));
  return [first, ...rest.map(each => [part(' '.repeat(indent)), ...each])];
};

/** What is longer than a line breaks between words; a longer word is split. */
export const brokenLine = (fact: Line, width: number): readonly Line[] => {
  if (lineWidth(fact) <= width) return [fact];
  const lines: Part[][] = [[]];
  let used = 0;
  for (const { text, tone } of fact) {
    for (const word of text.split(/(?<= )/)) {
      if (used > 0 && used + textWidth(word.trimEnd()) > width) {
        lines.push([]);
        used = 0;
      }
      // Its last blank has no room at the end of a full line, which a screen would cut.
      const kept = used + textWidth(word) > width ? word.trimEnd() : word;
      const pieces = textWidth(kept) <= width ? [kept] : brokenLines(kept, width);
      for (const [index, text] of pieces.entries()) {
        if (index > 0) lines.push([]);
        lines.at(-1)?.push({ text, tone });
        used = (index > 0 ? 0 : used) + textWidth(text);
      }
    }
  }
  return lines;
};

const layoutRow = (row: Row, columns: number): readonly Line[] => {
  const width = columns - INDENT - LABEL_WIDTH - AGE_WIDTH - 1;
  const lines = wrapped(row.facts, width);
  return lines.map((line, index) => {
    const label = index === 0 ? clipped(row.label, LABEL_WIDTH - 1) : '';
    const head = part(`${' '.repeat(INDENT)}${padded(label, LABEL_WIDTH)}`, 'dim');
    if (index > 0 || row.age === undefined) return [head, ...line];
    const gap = ' '.repeat(Math.max(1, width - lineWidth(line) + 1));
    return [head, ...line, part(gap), { ...row.age, text: paddedStart(row.age.text, AGE_WIDTH) }];
  });
};

const wrapped = (facts: readonly Line[], width: number): readonly Line[] => {
  const lines: Part[][] = [[]];
  let used = 0;
  for (const fact of facts) {
    const size = lineWidth(fact);
    if (used > 0 && used + SEPARATOR_WIDTH + size > width) {
      lines.push([]);
      used = 0;
    }
    if (used > 0) lines.at(-1)?.push(part(SEPARATOR, 'dim'));
    const [first = [], ...more] = brokenLine(fact, width);
    pushAll(lines.at(-1), first);
    for (const line of more) lines.push([...line]);
    used = more.length > 0 ? lineWidth(more.at(-1) ?? []) : used + (used > 0 ? SEPARATOR_WIDTH : 0) + size;
  }
  return lines;
};

const HANGING = 4;
/** However narrow the terminal is. */
const WORDS_LEAST = 20;
const INDENT = 2;
const LABEL_WIDTH = 13;
const AGE_WIDTH = 7;
const SEPARATOR = ' · ';
const SEPARATOR_WIDTH = 3;
/** Narrower terminals wrap the lines themselves. */
const COLUMNS_MIN = 48;
