import { describe, expect, test } from 'vitest';
import { clipped, inColumns, textWidth } from '../../../src/core/text/columns.ts';

describe('a text on a terminal', () => {
  test('counts columns and not characters', () => {
    expect(textWidth('abc')).toBe(3);
    expect(textWidth('日本')).toBe(4);
    expect(textWidth('e\u0301')).toBe(1);
    expect(textWidth('🚢')).toBe(2);
  });

  test('takes the columns of each of its characters, for every character', () => {
    const wide = /^\p{Emoji_Presentation}$/u;
    for (let code = 0; code < 0x1_0000; code += 1) {
      const sign = String.fromCharCode(code);
      const columns = textWidth(sign);
      // Next to a wide one, no text passes as a narrow one.
      const expected = /\p{Mn}/u.test(sign) ? 0 : wide.test(sign) ? 2 : textWidth(`${sign}🚢`) - 2;
      if (columns !== expected) expect.fail(`U+${code.toString(16)} takes ${columns}`);
    }
  });

  test('is cut at a column and never in the middle of a sign', () => {
    expect(clipped('abcdef', 4)).toBe('abc…');
    expect(clipped('日本語', 4)).toBe('日…');
    expect(clipped('abc', 0)).toBe('');
  });
});

describe('a table', () => {
  test('are as wide as their widest cell on the terminal, figures to the right', () => {
    const rows = [
      ['model', 'n'],
      ['日本', '1,200'],
    ];
    expect(inColumns(rows, { hasFigures: true })).toEqual(['  model      n', '  日本   1,200']);
    expect(inColumns(rows, { indent: 0, gap: 3 })).toEqual(['model   n', '日本    1,200']);
    expect(inColumns([])).toEqual([]);
  });
});
