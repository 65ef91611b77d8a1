import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { longCount } from '../../support/counts.ts';
import { inPieces, pipeReply } from './reply-pipe.ts';
import { SHAPES } from './reply-shapes.ts';

describe.each(SHAPES.map(shape => ({ title: shape.name, shape })))('$title', ({ shape }) => {
  const { bytes, isStreaming, outcome, kind, chunks } = shape;
  const whole = pipeReply([bytes], { isStreaming });

  test('comes to its outcome', () => {
    expect(whole).toMatchObject({ outcome, kind, chunks: chunks ?? whole.chunks });
    if (outcome === 'completed') {
      expect(whole).toMatchObject({ inputTokens: 7, outputTokens: shape.outputTokens, left: 0 });
    }
  });

  test('comes to the same outcome in two parts, wherever it is cut', () => {
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(pipeReply([bytes.subarray(0, at), bytes.subarray(at)], { isStreaming }), `cut at ${at}`).toEqual(
        whole,
      );
    }
  });

  test.each([1, 3])('comes to the same outcome in reads of %i bytes', size => {
    expect(pipeReply(inPieces(bytes, size), { isStreaming })).toEqual(whole);
  });

  test('comes to the same outcome in any parts', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 12 }), cuts => {
        const offsets = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        const reads = offsets.slice(1).map((offset, index) => bytes.subarray(offsets[index], offset));
        expect(pipeReply(reads, { isStreaming })).toEqual(whole);
      }),
      { numRuns: longCount(30, 500) },
    );
  });
});

test('a head of 40 KiB is read whole, byte by byte too: a line that comes in parts counts once', () => {
  const [shape] = SHAPES.filter(({ outcome }) => outcome === 'completed');
  const bytes = Buffer.from(
    (shape?.bytes.toString('latin1') ?? '').replace('\r\n', `\r\nx-long: ${'a'.repeat(40_000)}\r\n`),
    'latin1',
  );
  expect(pipeReply(inPieces(bytes, 1)).outcome).toBe('completed');
  expect(pipeReply([bytes]).outcome).toBe('completed');
});

describe('any bytes at all', () => {
  const arbitraryReads = fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 6 });

  test('as a reply come to an outcome', () => {
    fc.assert(
      fc.property(arbitraryReads, fc.boolean(), (reads, isStreaming) => {
        const { outcome } = pipeReply(
          reads.map(read => Buffer.from(read)),
          { isStreaming },
        );
        expect(outcome).toBe('failed');
      }),
      { numRuns: longCount(500, 20_000) },
    );
  });

  test.each([true, false])('as a body come to an outcome (streaming: %s)', isStreaming => {
    const head = Buffer.from('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
    fc.assert(
      fc.property(arbitraryReads, reads => {
        const piped = pipeReply([head, ...reads.map(read => Buffer.from(read))], { isStreaming });
        expect(piped.outcome).toBe('failed');
      }),
      { numRuns: longCount(500, 20_000) },
    );
  });

  test('as events come to an outcome', () => {
    const head = Buffer.from('HTTP/1.1 200 OK\r\n\r\n');
    const line = fc.oneof(
      fc.string(),
      fc.json().map(json => `data: ${json}`),
      fc.constantFrom('data:', ': c', 'event: error', '', 'data: [DONE]', 'data', '\ufeff'),
    );
    fc.assert(
      fc.property(fc.array(line), fc.constantFrom('\n', '\r\n', '\r'), (lines, ending) => {
        expect(['completed', 'failed']).toContain(pipeReply([head, Buffer.from(lines.join(ending))]).outcome);
      }),
      { numRuns: longCount(500, 20_000) },
    );
  });

  test('flipped in a right reply come to an outcome, and never to more content', () => {
    const [shape] = SHAPES;
    const bytes = shape?.bytes ?? Buffer.alloc(0);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.nat(255), (at, value) => {
        const changed = Buffer.from(bytes);
        changed[at] = value;
        expect(pipeReply([changed]).chunks).toBeLessThanOrEqual(2);
      }),
      { numRuns: longCount(500, 20_000) },
    );
  });
});
