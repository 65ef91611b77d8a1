import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { positionAt } from '../../src/config/config-problem.ts';
import { parseToml, plainValue, type TomlEntries, type TomlNode } from '../../src/config/toml-document.ts';

const entriesOf = (text: string): TomlEntries => {
  const document = parseToml(text);
  if (document.kind === 'broken') throw new Error(`${document.problem} at ${document.offset}`);
  return document.entries;
};

const nodeAt = (entries: TomlEntries, [first, ...rest]: readonly (string | number)[]): TomlNode => {
  let node = entries.get(String(first));
  for (const part of rest) {
    if (node?.kind === 'table') node = node.entries.get(String(part));
    else node = node?.kind === 'list' ? node.items[Number(part)] : undefined;
  }
  if (node === undefined) throw new Error(`nothing is at ${[first, ...rest]}`);
  return node;
};

const lineOf = (text: string, path: readonly (string | number)[]) =>
  positionAt(text, nodeAt(entriesOf(text), path).keyOffset).line;

/** "2:5" of what is wrong with a text. */
const errorAt = (text: string): string => {
  const document = parseToml(text);
  if (document.kind === 'ok') throw new Error('nothing is wrong with it');
  const { line, column } = positionAt(text, document.offset);
  return `${line}:${column}`;
};

describe('a TOML text', () => {
  test('has the line of keys and items through headers, dotted and quoted keys, inline tables, lists and long strings', () => {
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
    expect(lineOf(text, ['c', 'd'])).toBe(4);
    expect(lineOf(text, ['e f', 'g', 1, 1])).toBe(6);
    expect(lineOf(text, ['e f', 'g', 2, 'h'])).toBe(6);
    expect(lineOf(text, ['i', 0])).toBe(7);
    expect(lineOf(text, ['i', 1])).toBe(8);
    expect(lineOf(text, ['i', 1, 'j', 'k'])).toBe(10);
    expect(lineOf(text, ['i', 1, 'j', 'l', 'o'])).toBe(11);
  });

  test('gives the values that were written into it, each at its position', () => {
    const scalar = fc.oneof(fc.string(), fc.maxSafeInteger(), fc.boolean());
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
        const text = Object.entries(Object(value))
          .map(([key, inner]) => `${JSON.stringify(key)} = ${inlineToml(inner)}\n`)
          .join('');
        for (const [key, node] of entriesOf(text)) {
          const inner = Object.entries(Object(value)).find(([name]) => name === key)?.[1];
          expect(plainValue(node, 99)).toEqual(inner);
          expect(text.slice(node.keyOffset)).toSatisfy(rest => rest.startsWith(JSON.stringify(key)));
          expect(text.slice(node.valueOffset)).toSatisfy(rest => rest.startsWith(inlineToml(inner)));
        }
      }),
    );
  });

  test('that is invalid gives the line that a person fixes, not the one after it', () => {
    expect(errorAt('a = 1\nname =\ntags = []\n')).toBe('2:7');
    expect(errorAt('a = 1\nname =   # "atlas"\n\ntags = []\n')).toBe('2:19');
    expect(errorAt('a = 1\n[http\nlisten = "off"\n')).toBe('2:6');
    expect(errorAt('a = 1\n[[endpoints]\nurl = "x"\n')).toBe('2:13');
    expect(errorAt('a = 1\n\n[probes\n\n\n')).toBe('3:8');
    expect(errorAt('a = 1\n?\n')).toBe('2:1');
    expect(errorAt('a = [1,\n2\n[b]\n')).toBe('3:1');
    expect(errorAt('a = atlas\n')).toBe('1:5');
  });

  test('may name a key after what every object inherits, and nest deeper than the parser reaches', () => {
    const text = '__proto__.polluted = 1\n[constructor.prototype]\npolluted = 1\n';
    expect([...entriesOf(text).keys()]).toEqual(['__proto__', 'constructor']);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
    const deep = `a = ${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    expect(parseToml(deep)).toEqual({ kind: 'broken', problem: 'It is nested too deep', offset: 0 });
    const dotted = `a${'.a'.repeat(5_000)} = 1`;
    expect(plainValue(nodeAt(entriesOf(dotted), ['a']))).toEqual({ a: { a: { a: '…' } } });
  });
});

const inlineToml = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(inlineToml).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value).replaceAll('\x7f', '\\u007f');
  const pairs = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)} = ${inlineToml(inner)}`);
  return `{ ${pairs.join(', ')} }`;
};
