import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { estimatedTokens, tokenPieces } from '../../../src/bench/capture/token-pieces.ts';

describe('tokens by rule of thumb', () => {
  test('are about what tokenizers count', () => {
    // In the vocabulary of o200k_base: 13, 12, 12 and 9.
    for (const [text, low, high] of [
      ['The quick brown fox jumps over the lazy dog, and it sleeps.', 12, 15],
      ['{"role": "user", "content": null}', 9, 14],
      ['for (let i = 0; i < 10; i += 1)', 10, 18],
      ['我们今天去公园散步吧', 6, 10],
    ] as const) {
      expect(estimatedTokens(text), text).toBeGreaterThanOrEqual(low);
      expect(estimatedTokens(text), text).toBeLessThanOrEqual(high);
    }
  });

  test('of equal beginnings are cut at equal places, and cover the text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 4_000 }),
        fc.string(),
        fc.string(),
        (start, one, other) => {
          const [first, second] = [one, other].map(rest => tokenPieces(Buffer.from(`${start}${rest}`)));
          if (first === undefined || second === undefined) throw new Error('no pieces');
          expect(first.at(-1)?.end ?? 0).toBe(Buffer.byteLength(`${start}${one}`));
          const before = Buffer.byteLength(start);
          const ends = (pieces: typeof first): readonly number[] =>
            pieces.slice(0, -1).flatMap(({ end }) => (end < before ? [end] : []));
          const [shorter = [], longer = []] = [ends(first), ends(second)].toSorted(
            (a, b) => a.length - b.length,
          );
          expect(longer.slice(0, shorter.length)).toEqual(shorter);
        },
      ),
    );
  });
});
