// A TOML text as a tree with the position of every element, because a person needs the line. Built from the parser's
// syntax tree and not from its values, which let a key `__proto__` reach the prototype of all objects.

import { type AST, ParseError, parseTOML } from 'toml-eslint-parser';

export type TomlNode = TomlOffsets & TomlContent;

type TomlContent =
  | { readonly kind: 'table'; readonly entries: TomlEntries }
  | { readonly kind: 'list'; readonly items: TomlNode[] }
  | { readonly kind: 'value'; readonly value: string | number | boolean | Date };

export type TomlEntries = Map<string, TomlNode>;

/** Offsets in the text; list items and headers have one for both. */
interface TomlOffsets {
  readonly keyOffset: number;
  readonly valueOffset: number;
}

type ParsedToml =
  | { readonly kind: 'ok'; readonly entries: TomlEntries }
  | { readonly kind: 'broken'; readonly problem: string; readonly offset: number };

/** Never throws, for any text. */
export const parseToml = (text: string): ParsedToml => {
  try {
    const entries: TomlEntries = new Map();
    for (const node of parseTOML(text, { tomlVersion: '1.0' }).body[0].body) {
      if (node.type === 'TOMLKeyValue') addPair(entries, node);
      else {
        const opened = openHeader(entries, node);
        for (const pair of node.body) addPair(opened, pair);
      }
    }
    return { kind: 'ok', entries };
  } catch (error) {
    if (error instanceof ParseError) {
      return { kind: 'broken', problem: error.message, offset: errorOffset(text, error.index) };
    }
    // The parser recurses at each bracket, and the stack is limited.
    if (error instanceof RangeError) return { kind: 'broken', problem: 'It is nested too deep', offset: 0 };
    throw error;
  }
};

/** As plain data, for messages and checks; anything nested deeper than a setting is left out. */
export const plainValue = (node: TomlNode, depth = 3): unknown => {
  if (node.kind === 'value') return node.value;
  if (depth === 0) return '…';
  if (node.kind === 'list') return node.items.map(item => plainValue(item, depth - 1));
  return Object.fromEntries([...node.entries].map(([key, value]) => [key, plainValue(value, depth - 1)]));
};

const addPair = (root: TomlEntries, { key, value }: AST.TOMLKeyValue): void => {
  const { entries, name, offset } = parentOf(root, key);
  entries.set(name, { ...contentOf(value), keyOffset: offset, valueOffset: value.range[0] });
};

const openHeader = (root: TomlEntries, { key, kind }: AST.TOMLTable): TomlEntries => {
  const { entries, name, offset } = parentOf(root, key);
  if (kind === 'standard') return enter(entries, name, offset);
  const block = newTable(offset);
  const list = entries.get(name);
  if (list?.kind === 'list') list.items.push(block);
  else entries.set(name, { kind: 'list', items: [block], keyOffset: offset, valueOffset: offset });
  return block.entries;
};

/** The table that holds the last name of a dotted key. */
const parentOf = (
  root: TomlEntries,
  { keys }: AST.TOMLKey,
): { readonly entries: TomlEntries; readonly name: string; readonly offset: number } => {
  let entries = root;
  let name = '';
  let offset = 0;
  for (const [index, key] of keys.entries()) {
    if (index > 0) entries = enter(entries, name, offset);
    name = key.type === 'TOMLBare' ? key.name : key.value;
    offset = key.range[0];
  }
  return { entries, name, offset };
};

/** The table of that name, created if missing; of several blocks the last. */
const enter = (entries: TomlEntries, name: string, offset: number): TomlEntries => {
  const existing = entries.get(name);
  const inner = existing?.kind === 'list' ? existing.items.at(-1) : existing;
  if (inner?.kind === 'table') return inner.entries;
  const made = newTable(offset);
  entries.set(name, made);
  return made.entries;
};

const newTable = (offset: number) =>
  ({ kind: 'table', entries: new Map<string, TomlNode>(), keyOffset: offset, valueOffset: offset }) as const;

const contentOf = (content: AST.TOMLContentNode): TomlContent => {
  if (content.type === 'TOMLValue') return { kind: 'value', value: content.value };
  if (content.type === 'TOMLInlineTable') {
    const entries: TomlEntries = new Map();
    for (const pair of content.body) addPair(entries, pair);
    return { kind: 'table', entries };
  }
  const items = content.elements.map((item): TomlNode => {
    const [offset] = item.range;
    return { ...contentOf(item), keyOffset: offset, valueOffset: offset };
  });
  return { kind: 'list', items };
};

/**
 * The parser reports what is missing after "=" or in a header at the start of the next line; the error belongs to the
 * line before.
 */
const errorOffset = (text: string, index: number): number => {
  const end = text.slice(0, index).trimEnd().length;
  if (index < text.length && !text.slice(end, index).includes('\n')) return index;
  const line = text.slice(text.lastIndexOf('\n', end - 1) + 1, end);
  return index >= text.length || /=\s*(?:#.*)?$|^\s*\[(?:[^\]]*|\[[^\]]*\])$/.test(line) ? end : index;
};
