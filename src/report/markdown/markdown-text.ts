// Foreign texts in Markdown: as code where possible, so that nothing in them becomes a link, an image, a heading,
// HTML, a reference or a mention of a user.

import { maximumOf } from '../../core/extremes.ts';
import { capitalized, showable } from '../../core/text/single-line.ts';
import {
  columnTitle,
  pageTable,
  type Section,
  type SectionTable,
  sectionCellText,
} from '../../render/section.ts';

/** Names in a cell of a table: a code span with a fence that no run of backticks inside can close. */
export const markdownCode = (text: string): string => {
  const line = showable(text.toWellFormed(), ' ').trim();
  if (line === '') return '–';
  const runs = line.match(/`+/g) ?? [];
  const fence = '`'.repeat(maximumOf([0, ...runs.map(({ length }) => length)]) + 1);
  // Blanks separate a backtick at an end from the fence. A bar would end the cell, in code too, and a backslash
  // before an escaped one would escape the backslash instead.
  return `${fence} ${line.replace(/\\(?=\|)/g, '\\ ').replaceAll('|', '\\|')} ${fence}`;
};

/** Sentences, which may contain foreign words. */
export const markdownText = (text: string): string =>
  showable(text.toWellFormed(), ' ')
    .replace(/[\\`*_[\]<>&|~!#$]/g, sign => (ENTITIES.has(sign) ? `&#${sign.charCodeAt(0)};` : `\\${sign}`))
    .replace(/@/g, '`@`');

/** A cell that is Markdown already. Every other one is a text, which may contain foreign words. */
interface MarkdownCell {
  readonly markdown: string;
}

export const codeCell = (text: string): MarkdownCell => ({ markdown: markdownCode(text) });

export const boldCell = (text: string): MarkdownCell => ({ markdown: `**${markdownText(text)}**` });

/** @param figures indexes of the columns that are aligned to the right; by default all but the first */
export const markdownTable = (
  head: readonly (string | MarkdownCell)[],
  rows: readonly (readonly (string | MarkdownCell)[])[],
  { figures = head.map((_, at) => at).slice(1) }: { readonly figures?: readonly number[] } = {},
): readonly string[] => [
  rowOf(head),
  `|${head.map((_, index) => (figures.includes(index) ? '---:|' : '---|')).join('')}`,
  ...rows.map(rowOf),
];

/** Sentences, and an empty line after them. */
export const markdownList = (sentences: readonly string[]): readonly string[] =>
  sentences.length === 0 ? [] : [...sentences.map(sentence => `- ${markdownText(sentence)}`), ''];

interface MarkdownDocument {
  /** Markdown, as the lead. */
  readonly heading: string;
  readonly lead: readonly string[];
  readonly sections: readonly Section[];
  /** The first one is the head of their table. */
  readonly facts: readonly (readonly [name: string, cell: string | MarkdownCell])[];
  readonly remarks?: readonly string[];
}

export const documentMarkdown = ({
  heading,
  lead,
  sections,
  facts: [head = ['', ''], ...facts],
  remarks = [],
}: MarkdownDocument): string =>
  `${[
    `## ${heading}`,
    '',
    ...lead,
    ...sections.flatMap(sectionMarkdown),
    ...markdownTable(head, facts, { figures: [] }),
    '',
    ...markdownList(remarks),
  ]
    .join('\n')
    .trimEnd()}\n`;

/** @param cut why it is not complete */
export const answerLead = (cut: readonly string[], answer: string): readonly string[] => [
  ...cut.map(text => `- ⚠ ${markdownText(capitalized(text))}`),
  markdownText(answer),
  '',
];

/** Without its title: a comment is short, and the first column names what the rows are. */
export const sectionMarkdown = ({
  isDetail = false,
  unknown,
  lead = [],
  tables = [],
  remarks = [],
}: Section): readonly string[] =>
  unknown !== undefined || isDetail
    ? []
    : [
        ...markdownList(lead),
        ...tables.flatMap(table => [...sectionTable(pageTable(table)), '']),
        ...markdownList(remarks),
      ];

const sectionTable = ({ columns, rows, texts = [0], codes = [] }: SectionTable): readonly string[] =>
  markdownTable(
    columns.map(columnTitle),
    rows.map(row =>
      row.map((cell, at) => (codes.includes(at) ? codeCell(sectionCellText(cell)) : sectionCellText(cell))),
    ),
    { figures: columns.flatMap((_, at) => (texts.includes(at) ? [] : at)) },
  );

const rowOf = (cells: readonly (string | MarkdownCell)[]): string =>
  `| ${cells.map(cell => (typeof cell === 'string' ? markdownText(cell) : cell.markdown)).join(' | ')} |`;

const ENTITIES: ReadonlySet<string> = new Set(['<', '>', '&']);
