import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RequestReader } from '../../src/mock/request-reader.ts';

const SHAPES: readonly string[] = [
  'GET /health HTTP/1.1\r\nhost: a\r\n\r\n',
  'POST /x?y=1 HTTP/1.1\r\ncontent-length: 5\r\nX-Plimsoll-Sample: 7\r\n\r\nhello',
  'POST /x HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\n3;a="b"\r\nabc\r\n0002\r\nde\r\n0\r\nx: y\r\n\r\n',
  'POST /x HTTP/1.0\r\nconnection: keep-alive\r\ncontent-length: 0\r\n\r\n',
  '\r\n\r\nGET / HTTP/1.1\r\n\r\n',
];

/** What a reader makes of bytes that come in these parts. */
const readAll = (parts: readonly Buffer[]): readonly string[] => {
  const reader = new RequestReader();
  const reported: string[] = [];
  for (const part of parts) {
    reader.add(part);
    for (let result = reader.next(); result.kind !== 'more'; result = reader.next()) {
      if (result.kind === 'wrong') return [...reported, `wrong ${result.status}`];
      const { head, body } = result.request;
      reported.push(
        `${head.method} ${head.path} ${head.query} ${head.closes} ${head.sample} ${body.toString()}`,
      );
    }
  }
  return reported;
};

const cutAt = (bytes: Buffer, cuts: readonly number[]): readonly Buffer[] => {
  const offsets = [0, ...[...cuts].sort((a, b) => a - b), bytes.length];
  return offsets.slice(1).map((end, index) => bytes.subarray(offsets[index] ?? 0, end));
};

test('requests read the same at every cut in two', () => {
  const bytes = Buffer.from(SHAPES.join(''));
  const whole = readAll([bytes]);
  expect(whole).toEqual([
    'GET /health  false undefined ',
    'POST /x y=1 false 7 hello',
    'POST /x  false undefined abcde',
    'POST /x  false undefined ',
    'GET /  false undefined ',
  ]);
  for (let cut = 1; cut < bytes.length; cut += 1) expect(readAll(cutAt(bytes, [cut]))).toEqual(whole);
  expect(readAll([...bytes].map(byte => Buffer.of(byte)))).toEqual(whole);
});

test('requests read the same however they are cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...SHAPES), { minLength: 1, maxLength: 6 }),
      fc.array(fc.nat(), { maxLength: 20 }),
      (shapes, cuts) => {
        const bytes = Buffer.from(shapes.join(''));
        const offsets = cuts.map(cut => cut % bytes.length);
        expect(readAll(cutAt(bytes, offsets))).toEqual(readAll([bytes]));
      },
    ),
  );
});

test('bytes of any kind are a request, an error, or wait for more, and never throw', () => {
  const piece = fc.oneof(
    fc.constantFrom(...SHAPES).map(text => Buffer.from(text)),
    fc
      .constantFrom(
        '\r\n',
        ': ',
        '0\r\n',
        'POST / HTTP/1.1\r\n',
        'content-length: 3\r\n',
        'transfer-encoding: chunked\r\n',
      )
      .map(text => Buffer.from(text)),
    fc.uint8Array({ maxLength: 50 }).map(bytes => Buffer.from(bytes)),
  );
  fc.assert(fc.property(fc.array(piece, { maxLength: 10 }), pieces => Array.isArray(readAll(pieces))));
});
