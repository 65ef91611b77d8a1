// The histogram of a series as bytes, so that those of several machines add exactly: every histogram of a unit has
// the same cells. Unsigned LEB128 numbers: zeros, the least value above zero, then for each non-empty cell its
// distance from the previous one and its count.

import { decodeVarints, encodeVarints } from '../wire/varints.ts';

interface SeriesCells {
  readonly cells: Iterable<readonly [cell: number, count: number]>;
  /** Values of 0, which are also in the lowest cell. */
  readonly zeros: number;
  /** 0 where there is none. */
  readonly leastAboveZero: number;
}

export const packCells = ({ cells, zeros, leastAboveZero }: SeriesCells): Uint8Array => {
  const numbers = [zeros, leastAboveZero];
  let before = 0;
  for (const [cell, count] of cells) {
    numbers.push(cell - before, count);
    before = cell;
  }
  return encodeVarints(numbers);
};

/** undefined for anything but a sampler's bytes. */
export const unpackCells = (bytes: Uint8Array): SeriesCells | undefined => {
  const numbers = decodeVarints(bytes);
  if (numbers === undefined || numbers.length < 2 || numbers.length % 2 === 1) return undefined;
  const [zeros = 0, leastAboveZero = 0] = numbers;
  const cells: [number, number][] = [];
  let cell = 0;
  for (let at = 2; at < numbers.length; at += 2) {
    cell += numbers[at] ?? 0;
    cells.push([cell, numbers[at + 1] ?? 0]);
  }
  return { cells, zeros, leastAboveZero };
};
