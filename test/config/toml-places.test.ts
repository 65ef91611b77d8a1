import fc from 'fast-check';
import { parse, stringify } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { placeAt } from '../../src/config/config-problem.ts';
import { TomlPlaces } from '../../src/config/toml-places.ts';

const lineOf = (text: string, path: readonly (string | number)[]) =>
  placeAt(text, new TomlPlaces(text).find(path).keyOffset).line;

describe('places in a TOML text', () => {
  test('are found through headers, dotted and quoted keys, inline tables, lists and long strings', () => {
    const text = [
      'a = """', // 1
      'b = 1 # ]]', // 2
      '""""', // 3
      'c.d = 1', // 4
      '\'e f\'."g" = [1, [2,', // 5
      '  3], { h = 4 }]', // 6
      '[[i]]', // 7
      '[[i]]', // 8
      '[i.j]', // 9
      'k = 1', // 10
      'l = { m = { n = "}" }, o = 2 }', // 11
    ].join('\r\n');
    expect(() => parse(text)).not.toThrow();
    expect(lineOf(text, ['c', 'd'])).toBe(4);
    expect(lineOf(text, ['e f', 'g', 1, 1])).toBe(6);
    expect(lineOf(text, ['e f', 'g', 2, 'h'])).toBe(6);
    expect(lineOf(text, ['i', 0])).toBe(7);
    expect(lineOf(text, ['i', 1, 'j', 'k'])).toBe(10);
    expect(lineOf(text, ['i', 1, 'j', 'l', 'o'])).toBe(11);
    expect(lineOf(text, ['i', 1, 'j', 'not there'])).toBe(9);
  });

  test('are known for every key and item that the TOML library writes and reads', () => {
    const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.double({ noNaN: true }));
    const { document } = fc.letrec(tie => ({
      value: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        scalar,
        fc.array(scalar),
        tie('document'),
      ),
      document: fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), tie('value'), {
        noNullPrototype: true,
        maxKeys: 5,
      }),
    }));
    fc.assert(
      fc.property(document, value => {
        const text = stringify(value);
        const places = new TomlPlaces(text);
        for (const path of pathsOf(parse(text)))
          expect([text, path, places.has(path)]).toEqual([text, path, true]);
      }),
    );
  });
});

const pathsOf = (value: unknown): (string | number)[][] => {
  if (typeof value !== 'object' || value === null || value instanceof Date) return [];
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value);
  return entries.flatMap(([key, inner]) => [[key], ...pathsOf(inner).map(path => [key, ...path])]);
};
