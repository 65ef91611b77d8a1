// Texts in columns, by their width in a terminal.

import { pushAll } from '../push-all.ts';

interface ColumnsOptions {
  /** Spaces before each line; default 2. */
  readonly indent?: number;
  /** Spaces between columns; default 2. */
  readonly gap?: number;
  /** Columns after the first are figures, aligned right. */
  readonly hasFigures?: boolean;
  /** Indexes of the only columns that are aligned left. */
  readonly texts?: readonly number[] | undefined;
}

/** One line per row; columns are as wide as their widest cell. */
export const inColumns = (
  rows: readonly (readonly string[])[],
  { indent = 2, gap = 2, hasFigures = false, texts }: ColumnsOptions = {},
): readonly string[] => {
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, cell] of row.entries())
      widths[column] = Math.max(widths[column] ?? 0, textWidth(cell));
  const isLeft = (column: number): boolean => texts?.includes(column) ?? (!hasFigures || column === 0);
  return rows.map(row => {
    const cells = row.map((cell, column) =>
      (isLeft(column) ? padded : paddedStart)(cell, widths[column] ?? 0),
    );
    return `${' '.repeat(indent)}${cells.join(' '.repeat(gap))}`.trimEnd();
  });
};

/** Columns that a text takes: wide characters (CJK, emoji) take two, combining ones none. */
export const textWidth = (text: string): number => {
  if (NARROW.test(text)) return text.length;
  const isWide = wide();
  let width = 0;
  for (const sign of text) width += /\p{Mn}/u.test(sign) ? 0 : isWide.test(sign) ? 2 : 1;
  return width;
};

/** At most this many columns, with an ellipsis if something was cut. */
export const clipped = (text: string, columns: number): string => {
  if (textWidth(text) <= columns) return text;
  let kept = '';
  for (const sign of text) {
    if (textWidth(kept + sign) > columns - 1) break;
    kept += sign;
  }
  return columns < 1 ? '' : `${kept}…`;
};

/**
 * A sentence in lines of at most this many columns, broken between words; a longer word is split, so that
 * nothing of it is lost.
 */
export const brokenLines = (text: string, columns: number): readonly string[] => {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    const longer = last === undefined ? word : `${last} ${word}`;
    if (last !== undefined && textWidth(longer) <= columns) lines[lines.length - 1] = longer;
    else pushAll(lines, parted(word, columns));
  }
  return lines;
};

/** In pieces of at most this many columns. */
const parted = (word: string, columns: number): readonly string[] => {
  const pieces = [''];
  for (const sign of word) {
    const longer = `${pieces.at(-1)}${sign}`;
    if (textWidth(longer) <= columns || pieces.at(-1) === '') pieces[pieces.length - 1] = longer;
    else pieces.push(sign);
  }
  return pieces;
};

/**
 * A line of cells in as many lines as it needs; the first cell is the head, and the rest is aligned below the
 * second.
 */
export const wrapped = (line: string, columns: number): readonly string[] => {
  if (textWidth(line) <= columns) return [line];
  const [head = ''] = /^ *(?:\S+(?: \S+)* {2,})?/.exec(line) ?? [];
  return hangingLines(head, line.slice(head.length), columns).map(each => each.trimEnd());
};

/**
 * The same after a head: "objective  first line", with further lines aligned below the first word of the
 * sentence.
 */
export const hangingLines = (head: string, sentence: string, columns: number): readonly string[] => {
  const indent = textWidth(head);
  return brokenLines(sentence, Math.max(COLUMNS_LEAST, columns - indent)).map(
    (line, index) => `${index === 0 ? head : ' '.repeat(indent)}${line}`,
  );
};

export const padded = (text: string, columns: number): string =>
  text + ' '.repeat(Math.max(0, columns - textWidth(text)));

export const paddedStart = (text: string, columns: number): string =>
  ' '.repeat(Math.max(0, columns - textWidth(text))) + text;

/** Minimum width, however narrow the terminal is. */
const COLUMNS_LEAST = 20;
/** Most texts: every character takes one column. Classes of Unicode take some ms to load. */
const NARROW = /^[ -\u02ff–-…←-⌙]*$/;
const wide = (): RegExp =>
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
