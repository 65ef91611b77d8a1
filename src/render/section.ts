// A part of a report: what it contains, without how a format draws it. Text, Markdown, HTML and the dashboard take the
// same sections, so a section or a row that is added once is in each of them.

import { inColumns } from '../core/text/columns.ts';

export interface Section {
  /** "agents": what a page may draw in a way of its own. */
  readonly key: string;
  readonly title: string;
  /** What it is based on: "5 readings". */
  readonly count?: string;
  /** How to read it: next to the title on a page. */
  readonly note?: string;
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
  readonly rows: readonly (readonly string[])[];
  /** Indexes of columns that are aligned as text. */
  readonly texts?: readonly number[];
  /** Indexes of columns with foreign names, which Markdown shows as code. */
  readonly codes?: readonly number[];
}

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

export const tableLines = ({ columns, rows }: Pick<SectionTable, 'columns' | 'rows'>): readonly string[] =>
  inColumns([...(columns.length === 0 ? [] : [columns]), ...rows], { hasFigures: true });

const indented = (sentence: string): string => `  ${sentence}`;
