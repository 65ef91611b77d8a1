// What every format relies on: which columns of a table fit, and that tables of results are the same in each format.

import { expect, test } from 'vitest';
import { comparisonSection, comparisonText } from '../../src/render/comparison/comparison-text.ts';
import { pageTable, type Section, sectionCellText, tableLines } from '../../src/render/section.ts';
import { picturedAfterwards } from '../../src/render/sweep/pictured-stage.ts';
import { stageSection } from '../../src/render/sweep/stage-columns.ts';
import { sweepText } from '../../src/render/sweep/sweep-text.ts';
import { comparisonPage } from '../../src/report/html/comparison-page.ts';
import { linePage } from '../../src/report/html/line-page.ts';
import { comparisonMarkdown } from '../../src/report/markdown/comparison-markdown.ts';
import { sweepMarkdown } from '../../src/report/markdown/sweep-markdown.ts';
import { madeUpComparison } from '../support/made-up-comparison.ts';
import { madeUpSweep } from '../support/made-up-line.ts';

const WIDE = {
  name: 'wide',
  columns: ['name', 'one', 'two', 'three'],
  rows: [['a row', '1', '2', '3']],
  texts: [0, 3],
  codes: [2],
  leaving: [[1], [2]],
};

test('a table that does not fit loses its columns in their order, and no more than it must', () => {
  expect(tableLines(WIDE)).toEqual(['  name   one  two  three', '  a row    1    2  3']);
  expect(tableLines(WIDE, 20)).toEqual(['  name   two  three', '  a row    2  3']);
  expect(tableLines(WIDE, 5)).toEqual(['  name   three', '  a row  3']);
});

test('a page has at most eleven columns, if enough of them may leave', () => {
  const columns = Array.from({ length: 13 }, (_, at) => `c${at}`);
  const table = { name: 'wider', columns, rows: [columns], codes: [12], leaving: [[1], [2], [3]] };
  const shown = pageTable(table);
  expect(shown.columns).toEqual(columns.filter(column => !['c1', 'c2'].includes(column)));
  expect(shown.rows).toEqual([shown.columns]);
  expect(shown.codes).toEqual([10]);
});

const cellsOf = ({ tables = [] }: Section): readonly string[] =>
  tables.map(pageTable).flatMap(({ rows }) => rows.flat().map(sectionCellText));

/** Each format has signs of its own around the letters. */
const plain = (text: string): string => text.replace(/<[^>]*>|\\|[\u00a0\u202f ]|&#60;|</g, '');

const missing = (section: Section, text: string): readonly string[] =>
  cellsOf(section).filter(cell => !plain(text).includes(plain(cell)));

test('the figures of a comparison are the same in text, Markdown and HTML', () => {
  const document = madeUpComparison([
    [182, 168],
    [179, 171],
    [185, 166],
    [190, 172],
    [176, 161],
    [188, 170],
  ]);
  const section = comparisonSection(document);
  const text = comparisonText(document, { isUnicode: true, columns: 120 }).join('\n');
  for (const form of [text, comparisonMarkdown(document), comparisonPage({ document, fonts: [] })])
    expect(missing(section, form)).toEqual([]);
});

test('so are the stages of a sweep', () => {
  const document = madeUpSweep('sweep-1');
  const section = stageSection(picturedAfterwards(document.stages), 'sweep');
  const text = sweepText(document, { isUnicode: true, columns: 160 }).join('\n');
  for (const form of [text, sweepMarkdown(document), linePage({ document, fonts: [] })])
    expect(missing(section, form)).toEqual([]);
});
