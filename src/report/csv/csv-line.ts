// A line of comma-separated values, RFC 4180 with line feeds. Spreadsheets evaluate a cell that begins like a
// formula, quoted or not, and a formula can send its neighbours to any server: such a text gets an apostrophe in
// front (OWASP, "CSV Injection").

import { showableLines } from '../../core/text/single-line.ts';

/** undefined: not known, an empty cell. */
export type CsvCell = string | number | undefined;

/** The names contain the units. The order of columns is stable: new ones go to the end. */
export interface CsvColumn<T> {
  readonly name: string;
  readonly of: (row: T) => CsvCell;
}

export const csvTable = <T>(columns: readonly CsvColumn<T>[], rows: readonly T[]): string =>
  [columns.map(({ name }) => name), ...rows.map(row => columns.map(({ of }) => of(row)))]
    .map(csvLine)
    .join('');

export const csvLine = (cells: readonly CsvCell[]): string => `${cells.map(cellText).join(',')}\n`;

const cellText = (cell: CsvCell): string => {
  if (cell === undefined) return '';
  // Our own numbers are not foreign text: a minus in front is a minus.
  if (typeof cell === 'number') return Number.isFinite(cell) ? String(cell) : '';
  // First without invisible characters: some programs remove them before they look for a formula.
  const shown = showableLines(cell);
  const text = FORMULA.test(shown) ? `'${shown}` : shown;
  return /[",\r\n\t]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
};

/** Their full-width forms count as the same in some locales; some programs remove leading blanks. */
const FORMULA = /^\s*[=+\-@\uff0b\uff0d\uff1d\uff20]|^[\t\r\n]/u;
