// Counts what an input expands to, against the one limit of its kind: a few bytes on disk may be gigabytes in memory (a text that a
// table repeats, a compressed block of zeros, an empty list written a million times).

import type { Sentences } from '../problem.ts';
import { INPUT_LIMITS, type InputKind } from './input-limits.ts';
import { jsonFootprint, NESTING_MAX, valueFootprint } from './json-footprint.ts';

export class ExpansionBudget {
  readonly #kind: InputKind;
  readonly #refuse: (found: Sentences) => Error;
  #bytes = 0;

  /**
   * @param refuse makes the reader's own error, with the position in the file: "it expands to more than 1
   * GiB".
   */
  constructor(kind: InputKind, refuse: (found: Sentences) => Error) {
    this.#kind = kind;
    this.#refuse = refuse;
  }

  /** This many bytes may still be added. */
  get left(): number {
    return INPUT_LIMITS[this.#kind].expandedBytesMax - this.#bytes;
  }

  /** @throws what `refuse` returns */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.left < 0) throw this.exceeded();
  }

  /**
   * Counts a text that is about to be parsed and stored completely.
   * @throws what `refuse` returns
   */
  addJson(text: string): void {
    this.add(this.checkedJson(text));
  }

  /**
   * The size that JSON.parse would make of a text, if it is not nested too deeply and fits by itself.
   * @throws what `refuse` returns
   */
  checkedJson(text: string): number {
    const { bytes, depth } = jsonFootprint(text);
    if (depth > NESTING_MAX)
      throw this.#refuse({
        problem: `its lists and objects are nested ${depth} deep; at most ${NESTING_MAX} levels are read`,
        advice: INPUT_LIMITS[this.#kind].advice,
      });
    if (bytes > INPUT_LIMITS[this.#kind].expandedBytesMax) throw this.exceeded();
    return bytes;
  }

  /**
   * Counts a value that is stored.
   * @throws what `refuse` returns
   */
  addValue(value: unknown): void {
    this.add(valueFootprint(value));
  }

  /** The error for a decoder that was stopped at `left`. */
  exceeded(): Error {
    const { expandedBytesMax, advice } = INPUT_LIMITS[this.#kind];
    return this.#refuse({
      problem: `it expands to more than ${binaryBytes(expandedBytesMax)}`,
      advice,
    });
  }
}

/** A limit as docs/limits.md writes it: "64 KiB", "1 GiB". */
export const binaryBytes = (bytes: number): string => {
  const [unit, size] = UNITS.find(([, of]) => bytes >= of) ?? ['bytes', 1];
  return `${bytes / size} ${unit}`;
};

const UNITS: readonly (readonly [string, number])[] = [
  ['GiB', 2 ** 30],
  ['MiB', 2 ** 20],
  ['KiB', 2 ** 10],
];
