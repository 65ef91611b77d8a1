import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { brokenLine, layoutRows } from '../../src/tui/layout.ts';
import { lineWidth, paint, part } from '../../src/tui/part.ts';
import { layoutTable } from '../../src/tui/table.ts';

describe('a terminal line', () => {
  test('is painted without anything that a terminal could take for an order', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        expect(paint([part(text)], { color: false, isUnicode: true })).not.toMatch(/\p{Cc}/u);
      }),
    );
  });
});

describe('rows and tables', () => {
  const text = fc.string({ maxLength: 60 });

  test('fit their columns, for any facts', () => {
    fc.assert(
      fc.property(fc.integer({ min: 48, max: 200 }), fc.array(text, { maxLength: 8 }), (columns, facts) => {
        const row = { label: 'Label', facts: facts.map(fact => [part(fact)]), age: part('12 s') };
        for (const line of layoutRows([row], columns)) expect(lineWidth(line)).toBeLessThanOrEqual(columns);
      }),
    );
  });

  test('break a long reason between its words and lose none of them', () => {
    const reason = 'the quick brown fox jumps over the lazy dog '.repeat(4).trim();
    const lines = layoutRows([{ label: 'X', facts: [[part(reason)]], age: undefined }], 60);
    const texts = lines
      .map(line =>
        line
          .slice(1)
          .map(piece => piece.text)
          .join(''),
      )
      .join(' ');
    expect(texts.split(/\s+/).filter(Boolean)).toEqual(reason.split(' '));
  });

  test('break where the last word fills the line, without the blank after it', () => {
    const lines = brokenLine([part('aaaa bbbb cccc', 'caution'), part(' dddd')], 9);
    expect(lines.map(line => line.map(({ text: words }) => words).join(''))).toEqual([
      'aaaa bbbb',
      'cccc dddd',
    ]);
    for (const line of lines) expect(lineWidth(line)).toBeLessThanOrEqual(9);
  });

  test('give every line of a table the same width', () => {
    const columns = [0, 1, 2].map(rank => ({ title: `t${rank}`, isNumber: rank === 1, widthMax: 12, rank }));
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text, text), { minLength: 1, maxLength: 5 }), rows => {
        const lines = layoutTable(
          columns,
          rows.map(cells => cells.map(cell => [part(cell)])),
          80,
        );
        expect(new Set(lines.map(lineWidth)).size).toBe(1);
      }),
    );
  });
});
