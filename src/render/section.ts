// A part of a report: what it contains, without how a format draws it. Text, Markdown, HTML and the dashboard take the
// same sections, so a section or a row that is added once is in each of them.

import { maximumOf } from '../core/extremes.ts';
import { type Figure, figureText } from '../core/figure/figure.ts';
import { hangingLines, inColumns, padded, textWidth } from '../core/text/columns.ts';
import { capitalized } from '../core/text/single-line.ts';

export interface Section {
  /** "agents": what a page may draw in a way of its own. */
  readonly key: string;
  readonly title: string;
  /** After the title: "5 readings", "trustworthy". */
  readonly count?: string;
  /** How to read it: next to the title on a page. */
  readonly note?: string;
  /** Markdown leaves it out, to be short enough for a comment. */
  readonly isDetail?: boolean;
  /** Why there is nothing to show: only the full text has it. */
  readonly unknown?: string;
  /** Sentences above the tables. */
  readonly lead?: readonly string[];
  readonly tables?: readonly SectionTable[];
  /** Sentences below the tables. */
  readonly remarks?: readonly string[];
}

export interface SectionTable {
  /** For readers who do not see the title above it. */
  readonly name: string;
  /** Titles, in lower case unless they are names; the first column names the row, the others are figures. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly SectionCell[])[];
  /** Indexes of the columns that are aligned as text; by default the first. */
  readonly texts?: readonly number[];
  /** Indexes of columns with foreign names, which Markdown shows as code. */
  readonly codes?: readonly number[];
  /** Columns that a narrow terminal leaves out, in this order, each time together. */
  readonly leaving?: readonly (readonly number[])[];
}

export type SectionCell = string | NotedFigure | TonedText;

interface NotedFigure extends Figure {
  /** What qualifies it: "±0.4 ms", "too few". */
  readonly note?: string;
}

interface TonedText {
  readonly text: string;
  readonly tone: 'good' | 'bad' | 'caution' | 'plain';
}

export const sectionCellText = (cell: SectionCell): string =>
  typeof cell === 'string'
    ? cell
    : 'figure' in cell
      ? `${figureText(cell)} ${cell.note ?? ''}`.trimEnd()
      : cell.text;

/** "Completed", but "p90" and "n". */
export const columnTitle = (title: string): string =>
  /^(?:[np]|p[\d.]+( .*)?)$/.test(title) ? title : capitalized(title);

/** For a table that may have no rows: nothing of it is shown then. */
export const withRows = (...tables: readonly SectionTable[]): readonly SectionTable[] =>
  tables.filter(({ rows }) => rows.length > 0);

export const sectionLines = (section: Section): readonly string[] => {
  const { title, count, unknown, lead = [], tables = [], remarks = [] } = section;
  if (unknown !== undefined) return ['', `${title}: unknown (${unknown})`];
  return [
    '',
    count === undefined ? title : `${title}: ${count}`,
    ...lead.map(indented),
    ...tables.flatMap((each, index) => [...(index > 0 || lead.length > 0 ? [''] : []), ...tableLines(each)]),
    ...remarks.map(indented),
  ];
};

/** What is below its title, on a terminal of this width. */
export const sectionBody = (
  { tables = [], remarks = [] }: Pick<Section, 'tables' | 'remarks'>,
  columns: number,
): readonly string[] => [
  ...tables.flatMap(table => tableLines(table, columns)),
  ...remarks.flatMap(remark => hangingLines('  ', remark, columns)),
];

export type FactRow = readonly [name: string, text: string];

export const factLines = (facts: readonly FactRow[], columns: number): readonly string[] => {
  const width = maximumOf(facts.map(([name]) => textWidth(name))) + 2;
  return facts.flatMap(([name, text]) => hangingLines(`  ${padded(name, width)}`, text, columns));
};

/** @param width columns of the terminal */
export const tableLines = (
  table: SectionTable,
  width: number = Number.POSITIVE_INFINITY,
): readonly string[] => fittedLines(table, width, linesOf);

/** The lines of as many of its columns as fit. */
export const fittedLines = (
  table: SectionTable,
  width: number,
  linesOf: (table: SectionTable) => readonly string[],
): readonly string[] =>
  linesOf(fitted(table, narrower => maximumOf(linesOf(narrower).map(textWidth)) <= width));

/** For a sheet of paper or a comment, which have no terminal's width. */
export const pageTable = (table: SectionTable): SectionTable =>
  fitted(table, ({ columns }) => columns.length <= PAGE_COLUMNS_MAX);

const linesOf = ({ columns, rows, texts }: SectionTable): readonly string[] =>
  inColumns([...(columns.length === 0 ? [] : [columns]), ...rows.map(row => row.map(sectionCellText))], {
    hasFigures: true,
    texts,
  });

const fitted = (table: SectionTable, fits: (table: SectionTable) => boolean): SectionTable => {
  const { leaving = [] } = table;
  const narrower = leaving.map((_, count) => without(table, leaving.slice(0, count).flat()));
  return narrower.find(fits) ?? without(table, leaving.flat());
};

const without = (table: SectionTable, left: readonly number[]): SectionTable => {
  if (left.length === 0) return table;
  const { columns, rows, texts = [0], codes = [] } = table;
  const kept = columns.flatMap((_, at) => (left.includes(at) ? [] : at));
  const shown = (indexes: readonly number[]): readonly number[] =>
    kept.flatMap((at, index) => (indexes.includes(at) ? index : []));
  return {
    ...table,
    columns: kept.map(at => columns[at] ?? ''),
    rows: rows.map(row => kept.map(at => row[at] ?? '')),
    texts: shown(texts),
    codes: shown(codes),
  };
};

const PAGE_COLUMNS_MAX = 11;
const indented = (sentence: string): string => `  ${sentence}`;
