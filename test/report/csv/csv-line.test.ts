import fc from 'fast-check';
import { expect, test } from 'vitest';
import { showableLines } from '../../../src/core/text/single-line.ts';
import { csvLine } from '../../../src/report/csv/csv-line.ts';

test.each([
  ['=cmd|" /C calc"!A0', `"'=cmd|"" /C calc""!A0"\n`],
  ['+1', "'+1\n"],
  ['-1', "'-1\n"],
  ['@SUM(A1)', "'@SUM(A1)\n"],
  ['\t=1', `"'\t=1"\n`],
  ['\r=1', "'=1\n"],
  ['\u200b=1', "'=1\n"],
  ['\u{e0041}\ufeff@SUM(A1)', "'@SUM(A1)\n"],
  ['\u0000-1', "'-1\n"],
  [' =1', "' =1\n"],
  ['＝1', "'＝1\n"],
])('no text of others is a formula: %j', (text, line) => {
  expect(csvLine([text])).toBe(line);
});

test('numbers stay numbers, what is not known is empty, and texts are quoted where they must be', () => {
  expect(csvLine([-1, 1.5, undefined, Number.NaN, 'a,b', 'a"b', 'a\nb', 'plain'])).toBe(
    '-1,1.5,,,"a,b","a""b","a\nb",plain\n',
  );
});

test('every text comes back as it was, but for the apostrophe and what is invisible, and none begins a formula', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 4 }), texts => {
      const cells = parse(csvLine(texts));
      expect(cells).toHaveLength(texts.length);
      for (const [index, cell] of cells.entries()) {
        expect(cell.trimStart()).not.toMatch(/^[=+\-@]/);
        const shown = showableLines(texts[index] ?? '');
        expect([shown, `'${shown}`]).toContain(cell);
      }
    }),
  );
});

/** RFC 4180, one record. */
const parse = (line: string): readonly string[] => {
  const cells = [''];
  let isQuoted = false;
  for (const [index, sign] of [...line.slice(0, -1)].entries()) {
    const last = cells.length - 1;
    if (sign === '"') {
      if (!isQuoted && [...line][index - 1] === '"') cells[last] += '"';
      isQuoted = !isQuoted;
    } else if (sign === ',' && !isQuoted) cells.push('');
    else cells[last] += sign;
  }
  return cells;
};
