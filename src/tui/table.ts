// A table that fits the terminal: when there is no room, less important columns are cut, or dropped.

import { maximumOf } from '../core/extremes.ts';
import { clipped } from '../core/text/columns.ts';
import { type Line, lineWidth, part } from './part.ts';

export interface Column {
  readonly title: string;
  readonly isNumber: boolean;
  /** Maximum width; longer cells are cut. */
  readonly widthMax: number;
  /** To how much it is cut rather than dropped; undefined: it is not cut. */
  readonly widthMin?: number;
  /** Columns with the highest number go first when the terminal is narrow; 0 always stays. */
  readonly rank: number;
}

export const layoutTable = (
  columns: readonly Column[],
  rows: readonly (readonly Line[])[],
  width: number,
): readonly Line[] => {
  const widths = columns.map(({ title, widthMax }, index) =>
    Math.min(widthMax, maximumOf([title.length, ...rows.map(cells => lineWidth(cells[index] ?? []))])),
  );
  const shown = fitting(columns, widths, width);
  const header = columns.map(({ title }): Line => [part(title, 'dim')]);
  return [header, ...rows].map(cells =>
    shown.flatMap((index, position) => [
      ...(position === 0 ? [] : [part(GAP)]),
      ...cell(cells[index] ?? [], widths[index] ?? 0, columns[index]?.isNumber === true),
    ]),
  );
};

/** Indexes of the columns that fit, in their order. Makes `widths` of those that are cut less. */
const fitting = (columns: readonly Column[], widths: number[], width: number): readonly number[] => {
  const shown = new Set(columns.keys());
  const used = (): number =>
    [...shown].reduce((sum, index) => sum + (widths[index] ?? 0) + GAP.length, -GAP.length);
  const byRank = [...shown].sort((a, b) => (columns[b]?.rank ?? 0) - (columns[a]?.rank ?? 0));
  for (const index of byRank) {
    if (used() <= width || columns[index]?.rank === 0) break;
    const { widthMin } = columns[index] ?? {};
    const widthNow = widths[index] ?? 0;
    const left = widthNow - (used() - width);
    if (widthMin !== undefined && left >= widthMin) widths[index] = left;
    else shown.delete(index);
  }
  return [...shown];
};

const cell = (line: Line, width: number, isNumber: boolean): Line => {
  const size = lineWidth(line);
  if (size > width) return shrunk(line, width, size - width);
  const space = part(' '.repeat(width - size));
  return isNumber ? [space, ...line] : [...line, space];
};

/** The widest part is shortened: a name is cut, the sign before it and the word after it stay. */
const shrunk = (line: Line, width: number, overflow: number): Line => {
  const sizes = line.map(piece => lineWidth([piece]));
  const widest = sizes.indexOf(maximumOf(sizes));
  const left = (sizes[widest] ?? 0) - overflow;
  return line.map((piece, index) => {
    if (left > 0) return index === widest ? { ...piece, text: clipped(piece.text, left) } : piece;
    const before = sizes.slice(0, index).reduce((sum, each) => sum + each, 0);
    return { ...piece, text: clipped(piece.text, Math.max(0, width - before)) };
  });
};

const GAP = '  ';
