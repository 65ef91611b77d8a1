// New inputs from old ones: bytes flipped, cut, repeated and spliced; words of the format put in; numbers replaced by those that
// programs get wrong; lines and values of JSON moved, dropped and doubled. All by a seeded random number.

import type { SeededRandom } from '../../src/core/random.ts';

interface MutationParts {
  readonly random: SeededRandom;
  /** Literals of the code under attack. */
  readonly words: readonly Uint8Array[];
  /** Another input that is worth something. */
  readonly other: () => Uint8Array;
  /** Of what comes out. */
  readonly bytesMax: number;
}

export const mutated = (input: Uint8Array, parts: MutationParts): Uint8Array => {
  const { random, bytesMax } = parts;
  let bytes = input;
  for (let left = 2 ** random.below(4); left > 0; left -= 1)
    bytes = picked(WAYS, random)(bytes, parts).subarray(0, bytesMax);
  // Once in a while as much as a sender may send: what costs the square of its length shows only then.
  if (random.below(2_000) === 0) bytes = blownUp(bytes, parts);
  return bytes;
};

export const picked = <T>(all: readonly T[], random: SeededRandom): T => {
  const one = all[random.below(all.length)];
  if (one === undefined) throw new Error('there is nothing to pick from');
  return one;
};

type Way = (bytes: Uint8Array, parts: MutationParts) => Uint8Array;

const spliced = (bytes: Uint8Array, from: number, to: number, insert: Uint8Array): Uint8Array => {
  const whole = new Uint8Array(from + insert.length + bytes.length - to);
  whole.set(bytes.subarray(0, from));
  whole.set(insert, from);
  whole.set(bytes.subarray(to), from + insert.length);
  return whole;
};

/** A piece of the input: mostly a short one. */
const pieceOf = (bytes: Uint8Array, random: SeededRandom): readonly [from: number, to: number] => {
  const from = random.below(bytes.length + 1);
  const length = random.below(1 + Math.min(bytes.length - from, picked([4, 16, 64, 1_024], random)));
  return [from, from + length];
};

const changedByte: Way = (bytes, { random }) => {
  if (bytes.length === 0) return bytes;
  const copy = bytes.slice();
  const at = random.below(copy.length);
  const old = copy[at] ?? 0;
  const way = random.below(4);
  copy[at] =
    way === 0
      ? old ^ (1 << random.below(8))
      : way === 1
        ? random.below(256)
        : way === 2
          ? old + 1 - 2 * random.below(2)
          : picked([0, 1, 0x7f, 0x80, 0xff, 0x20, 0x0a, 0x0d, 0x22, 0x7b], random);
  return copy;
};

/** Two, four or eight bytes as a number at an edge, either end first. */
const edgeNumber: Way = (bytes, { random }) => {
  const width = picked([2, 4, 8], random);
  if (bytes.length < width) return bytes;
  const copy = bytes.slice();
  const view = new DataView(copy.buffer, copy.byteOffset);
  const at = random.below(copy.length - width + 1);
  const isLittle = random.below(2) === 0;
  const whole = BigInt.asUintN(width * 8, picked(EDGE_BIGINTS, random));
  if (width === 2) view.setUint16(at, Number(whole), isLittle);
  else if (width === 4) view.setUint32(at, Number(whole), isLittle);
  else if (random.below(2) === 0) view.setBigUint64(at, whole, isLittle);
  else view.setFloat64(at, picked(EDGE_NUMBERS, random), isLittle);
  return copy;
};

const cutOut: Way = (bytes, { random }) => spliced(bytes, ...pieceOf(bytes, random), NOTHING);
const cutOff: Way = (bytes, { random }) => bytes.subarray(0, random.below(bytes.length + 1));

const doubled: Way = (bytes, { random }) => {
  const [from, to] = pieceOf(bytes, random);
  return spliced(bytes, from, from, bytes.slice(from, to));
};

const moved: Way = (bytes, { random }) => {
  const [from, to] = pieceOf(bytes, random);
  const at = random.below(bytes.length + 1);
  return spliced(
    bytes,
    at,
    Math.min(bytes.length, at + random.below(2) * (to - from)),
    bytes.slice(from, to),
  );
};

const crossed: Way = (bytes, { random, other }) => {
  const mate = other();
  const [from, to] = pieceOf(mate, random);
  const at = random.below(bytes.length + 1);
  return random.below(2) === 0
    ? spliced(bytes, at, bytes.length, mate.subarray(from))
    : spliced(bytes, at, Math.min(bytes.length, at + random.below(8)), mate.subarray(from, to));
};

const worded: Way = (bytes, { random, words }) => {
  const word = words.length > 0 && random.below(3) > 0 ? picked(words, random) : picked(ODD_WORDS, random);
  const at = random.below(bytes.length + 1);
  return spliced(bytes, at, Math.min(bytes.length, at + random.below(2) * word.length), word);
};

/** A run of digits becomes another number. */
const renumbered: Way = (bytes, { random }) => {
  const start = random.below(bytes.length + 1);
  let from = start;
  while (from < bytes.length && !isDigit(bytes[from])) from += 1;
  if (from === bytes.length) return bytes;
  let to = from;
  while (to < bytes.length && isDigit(bytes[to])) to += 1;
  return spliced(bytes, from, to, picked(NUMBER_WORDS, random));
};

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;

const relined: Way = (bytes, { random }) => {
  const lines = latin(bytes).split('\n');
  const [from, to] = [random.below(lines.length), random.below(lines.length)];
  const line = lines[from] ?? '';
  const way = random.below(3);
  if (way === 0) lines.splice(from, 1);
  else if (way === 1) lines.splice(to, 0, line);
  else {
    lines[from] = lines[to] ?? '';
    lines[to] = line;
  }
  return Buffer.from(lines.join('\n'), 'latin1');
};

/** A value within a line of JSON, or within the JSON that the input ends with, becomes another one, goes, or comes twice. */
const revalued: Way = (bytes, { random }) => {
  const text = latin(bytes);
  const start = text.slice(0, 64).search(/[{[]/);
  const [from, to] = start < 0 || random.below(4) === 0 ? lineOf(text, random) : [start, text.length];
  let value: unknown;
  try {
    value = JSON.parse(text.slice(from, to));
  } catch {
    return bytes;
  }
  const changed = JSON.stringify(changedWithin(value, random, 0)) ?? '';
  return Buffer.from(text.slice(0, from) + changed + text.slice(to), 'latin1');
};

const lineOf = (text: string, random: SeededRandom): readonly [from: number, to: number] => {
  const from = text.lastIndexOf('\n', random.below(text.length + 1) - 1) + 1;
  const end = text.indexOf('\n', from);
  return [from, end < 0 ? text.length : end];
};

const changedWithin = (value: unknown, random: SeededRandom, depth: number): unknown => {
  const isHere = random.below(4) === 0 || depth > 16;
  if (Array.isArray(value) && value.length > 0) {
    const at = random.below(value.length);
    if (!isHere) return value.with(at, changedWithin(value[at], random, depth + 1));
    return random.below(2) === 0 ? value.toSpliced(at, 1) : value.toSpliced(at, 0, value[at]);
  }
  if (typeof value === 'object' && value !== null && Object.keys(value).length > 0) {
    const entries = Object.entries(value);
    const at = random.below(entries.length);
    const [key, item] = picked(entries, random);
    if (!isHere) entries[at] = [entries[at]?.[0] ?? key, changedWithin(entries[at]?.[1], random, depth + 1)];
    else if (random.below(2) === 0) entries.splice(at, 1);
    else entries.push([random.below(2) === 0 ? key : picked(ODD_KEYS, random), item]);
    return Object.fromEntries(entries);
  }
  return random.below(3) === 0 ? [value] : picked(ODD_VALUES, random);
};

/** A piece so often that the input has up to 64 KiB. */
const blownUp: Way = (bytes, { random }) => {
  const [from, to] = pieceOf(bytes, random);
  const piece = to > from ? bytes.subarray(from, to) : bytes;
  if (piece.length === 0) return bytes;
  const room = INPUT_BYTES_MOST - bytes.length;
  const many = new Uint8Array(Math.max(0, Math.floor(room / piece.length)) * piece.length);
  for (let at = 0; at < many.length; at += piece.length) many.set(piece, at);
  return spliced(bytes, to, to, many);
};

const latin = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');

/** What an input is grown to at most. */
export const INPUT_BYTES_MOST = 65_536;

const NOTHING = new Uint8Array();
const WAYS: readonly Way[] = [
  changedByte,
  changedByte,
  edgeNumber,
  cutOut,
  cutOff,
  doubled,
  moved,
  crossed,
  worded,
  worded,
  renumbered,
  relined,
  revalued,
  revalued,
];

const EDGE_BIGINTS: readonly bigint[] = [
  0n,
  1n,
  127n,
  128n,
  255n,
  256n,
  32_767n,
  65_535n,
  65_536n,
  2n ** 31n - 1n,
  2n ** 31n,
  2n ** 32n - 1n,
  2n ** 53n,
  2n ** 63n,
  2n ** 64n - 1n,
];
const EDGE_NUMBERS: readonly number[] = [
  0,
  -0,
  -1,
  0.1,
  2 ** 31,
  2 ** 53,
  1e308,
  5e-324,
  Infinity,
  -Infinity,
  NaN,
];
const NUMBER_WORDS: readonly Uint8Array[] = [
  '0',
  '-1',
  '00',
  '1',
  '7',
  '255',
  '65536',
  '4294967296',
  '9007199254740993',
  '18446744073709551616',
  '9'.repeat(25),
  '1e308',
  '1e999',
  '0.5',
  '-0',
  '0x10',
  '1_000',
  '٣',
].map(word => Buffer.from(word));
const ODD_KEYS: readonly string[] = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '',
  'length',
  '0',
  '-1',
];
const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  0.5,
  1e308,
  2 ** 53,
  -(2 ** 31),
  '',
  ' ',
  'x',
  '__proto__',
  '\0',
  '\ud800',
  'é',
  'x'.repeat(300),
  [],
  {},
  [[]],
  { kind: 'unknown' },
  { __proto__: null, toString: 1 },
];
const ODD_WORDS: readonly Uint8Array[] = [
  '\0',
  '\r\n',
  '\n\n',
  '\t',
  '"',
  "'",
  '\\',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '=',
  '<',
  '>',
  '%',
  '\ufeff',
  '\u2028',
  '\u0000',
  '\u202e',
  '😀',
  '{"__proto__":{"x":1}}',
  '"__proto__":',
  '"constructor":',
  'null',
  'true',
  'NaN',
  'Infinity',
  '-',
  '../',
  '%00',
  '[[[[[[[[',
  '{"a":{"a":',
].map(word => Buffer.from(word));
