// What the fuzzer attacks: one parser of this program, called with bytes as a stranger, a tool or a broken disk would give it.

import { inspect, isDeepStrictEqual } from 'node:util';

export interface FuzzTarget {
  readonly name: string;
  /** Paths from `src/` on of the files that it is about: their branches are counted. A folder counts with all its files. */
  readonly covers: readonly string[];
  /** Good inputs to begin with. */
  readonly seeds: () => readonly Uint8Array[];
  /** Throws where something does not hold. What it gives is looked at for objects with a prototype that is not theirs. */
  readonly run: (input: Uint8Array) => unknown;
  /** Of what `run` throws: what the parser declares as its refusal. */
  readonly isRefusal?: (error: unknown) => boolean;
  /** Of what inputs are given to, where that stays open; it may be run again afterwards. */
  readonly close?: () => Promise<void>;
}

/** Texts as a target's seeds. */
export const textSeeds = (...texts: readonly string[]): readonly Uint8Array[] =>
  texts.map(text => new TextEncoder().encode(text));

export const textOfInput = (input: Uint8Array): string => new TextDecoder().decode(input);

export interface Reader {
  readonly seeds: readonly Uint8Array[];
  readonly run: (input: Uint8Array) => unknown;
}

/** Several parsers as one target: the first byte selects one. */
export const firstByteChooses = (readers: readonly Reader[]): Pick<FuzzTarget, 'seeds' | 'run'> => ({
  seeds: () =>
    readers.flatMap(({ seeds }, index) => seeds.map(seed => Buffer.concat([Buffer.of(index), seed]))),
  run: input => readers[(input[0] ?? 0) % readers.length]?.run(input.subarray(1)),
});

/** What is written and read again is what it was. */
export const holdEqual = (what: string, one: unknown, other: unknown): void => {
  if (!isDeepStrictEqual(one, other)) throw new Error(`${what} ${differenceOf(one, other)}`);
};

const differenceOf = (one: unknown, other: unknown): string => {
  if (typeof one === 'object' && typeof other === 'object' && one !== null && other !== null)
    for (const [name, value] of Object.entries(one)) {
      const otherValue: unknown = Reflect.get(other, name);
      if (!isDeepStrictEqual(value, otherValue)) return `.${name}${differenceOf(value, otherValue)}`;
    }
  return `: ${shown(one)} was ${shown(other)}`;
};

const shown = (value: unknown): string => inspect(value).slice(0, 120);
