import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TextLines } from '../../src/process/text-lines.ts';

const linesOf = (chunks: readonly Uint8Array[], lengthMax: number) => {
  const lines = new TextLines(lengthMax);
  return { whole: chunks.flatMap(chunk => lines.add(Buffer.from(chunk))), leftOut: lines.leftOut };
};

test('lines come out whole, however their bytes are cut, and those above the limit are left out and counted', () => {
  const line = fc.string({ unit: 'grapheme', maxLength: 12 }).map(text => text.replaceAll('\n', ' '));
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.integer({ min: 1, max: 9 })), (texts, cuts) => {
      const bytes = Buffer.from(texts.map(text => `${text}\n`).join(''));
      const chunks: Buffer[] = [];
      let at = 0;
      for (const cut of [...cuts, bytes.length]) {
        chunks.push(bytes.subarray(at, at + cut));
        at += cut;
      }
      const short = texts.filter(({ length }) => length <= 8);
      expect(linesOf(chunks, 8)).toEqual({ whole: short, leftOut: texts.length - short.length });
    }),
  );
});

test('the line after one that never ended is read', () => {
  expect(linesOf([Buffer.alloc(50, 'x'), Buffer.from('xx\nnext\nrest')], 8)).toEqual({
    whole: ['next'],
    leftOut: 1,
  });
});

test('what follows a skip is left out up to the end of its line, and is not counted', () => {
  const lines = new TextLines(8);
  lines.add(Buffer.from('half of'));
  lines.skipToNext();
  expect(lines.add(Buffer.from(' one\ntwo\n'))).toEqual(['two']);
  expect(lines.leftOut).toBe(0);
});
