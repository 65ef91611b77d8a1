import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fitsSchema, unjudged } from '../../src/core/json-fits.ts';

const CARGO = {
  type: 'object',
  properties: {
    cargo: { type: 'string', minLength: 1, maxLength: 5 },
    tons: { type: 'integer', minimum: 1, exclusiveMaximum: 10 },
    kind: { enum: ['bulk', 'liquid'] },
    marks: { type: 'array', items: { $ref: '#/$defs/mark' }, minItems: 1, maxItems: 2 },
    note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
  },
  required: ['cargo'],
  additionalProperties: false,
  $defs: { mark: { type: 'object', properties: { m: { type: 'number' } }, required: ['m'] } },
};

describe('JSON fits a schema', () => {
  test.each<[unknown, boolean]>([
    [{ cargo: 'ore' }, true],
    [{ cargo: 'ore', tons: 9, kind: 'bulk', marks: [{ m: 1.5 }], note: null }, true],
    [{}, false],
    [{ cargo: '' }, false],
    [{ cargo: '🚢🚢🚢🚢🚢' }, true],
    [{ cargo: 'timber' }, false],
    [{ cargo: 5 }, false],
    [{ cargo: 'ore', tons: 10 }, false],
    [{ cargo: 'ore', tons: 1.5 }, false],
    [{ cargo: 'ore', kind: 'gas' }, false],
    [{ cargo: 'ore', marks: [] }, false],
    [{ cargo: 'ore', marks: [{ m: 'x' }] }, false],
    [{ cargo: 'ore', note: 5 }, false],
    [{ cargo: 'ore', other: 1 }, false],
    [[], false],
    [null, false],
    ['ore', false],
  ])('%j: %s', (value, fits) => {
    expect(fitsSchema(value, CARGO)).toBe(fits);
  });

  test('as oneOf, allOf, not and const report', () => {
    expect(fitsSchema(1, { oneOf: [{ type: 'integer' }, { type: 'number' }] })).toBe(false);
    expect(fitsSchema(1.5, { oneOf: [{ type: 'integer' }, { type: 'number' }] })).toBe(true);
    expect(fitsSchema(5, { allOf: [{ minimum: 5 }, { maximum: 5 }] })).toBe(true);
    expect(fitsSchema(5, { not: { const: 5 } })).toBe(false);
    expect(fitsSchema({ a: [1] }, { const: { a: [1] } })).toBe(true);
  });

  test('and one that leads to itself ends', () => {
    const endless = { $ref: '#' };
    expect(fitsSchema(1, endless)).toBe(false);
    const tree = { type: 'object', properties: { next: { $ref: '#' } }, additionalProperties: false };
    expect(fitsSchema({ next: { next: {} } }, tree)).toBe(true);
    expect(fitsSchema({ next: { other: {} } }, tree)).toBe(false);
  });

  test('for any schema and value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (value, schema) => {
        unjudged(schema);
        expect(typeof fitsSchema(value, schema)).toBe('boolean');
        expect(fitsSchema(value, { const: value })).toBe(true);
      }),
    );
  });
});

test('a keyword that is not judged is named, in any position', () => {
  expect(unjudged(CARGO)).toBeUndefined();
  expect(unjudged({ type: 'string', pattern: 'x' })).toBe('pattern');
  expect(unjudged({ properties: { a: { items: { format: 'date' } } } })).toBe('format');
  expect(unjudged({ properties: { format: { type: 'string' } } })).toBeUndefined();
  expect(unjudged(5)).toContain('an invalid schema');
});
