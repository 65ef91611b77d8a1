import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lengthsText, requestedTokens } from '../../../src/core/run/request-lengths.ts';

test('what was asked of the requests that were sent is what they sent, over and over', () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(lengths, fc.nat({ max: 100 }), fc.integer({ min: 1, max: 100 }), (drawn, from, count) => {
      const each = Array.from({ length: count }, (_, index) => drawn[(from + index) % drawn.length] ?? 0);
      const requested = requestedTokens('x', drawn, { from, count });
      expect(requested).toMatchObject({ min: Math.min(...each), max: Math.max(...each) });
      expect(requested.mean).toBeCloseTo(each.reduce((a, b) => a + b) / count, 6);
    }),
  );
});

test('lengths that are all the same are not listed', () => {
  expect(lengthsText([5, 5, 5])).toBe('');
  expect(lengthsText([5, 6])).toBe('5,6');
});
