import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maximumOf, minimumOf } from '../../src/core/extremes.ts';
import { pushAll } from '../../src/core/push-all.ts';

test('the greatest and the least are those of Math', () => {
  fc.assert(
    fc.property(fc.array(fc.double(), { maxLength: 20 }), values => {
      expect(maximumOf(values)).toBe(Math.max(...values));
      expect(minimumOf(values)).toBe(Math.min(...values));
    }),
  );
});

test('lists that are too long for the arguments of a call are taken', () => {
  const many = Array.from({ length: 500_000 }, (_, index) => index);
  expect(() => Math.max(...many)).toThrow(RangeError);
  expect([maximumOf(many), minimumOf(many)]).toEqual([499_999, 0]);
  const list = [-1];
  pushAll(list, many);
  expect(list).toHaveLength(500_001);
});
