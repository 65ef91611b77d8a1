// Every value of a series, 8 bytes each, for exact percentiles at the end. Grows in blocks, so that a growing
// series never copies its values while a run is measured. Full blocks may be moved, for example to a disk.

import { firstAtLeast, type PlacedValues, placedArray, type RequestedPositions } from './percentile.ts';
import { ValueCell } from './value-cell.ts';

/** Where full blocks are stored. */
export interface BlockStore {
  /**
   * @returns a function that reads the block again into an array of its length; undefined: it stays in memory
   */
  put(block: Float64Array): ((into: Float64Array) => void) | undefined;
}

export class RawValues {
  readonly #blocks: (Float64Array | ((into: Float64Array) => void))[] = [];
  readonly #lengthMax: number;
  readonly #store: BlockStore | undefined;
  #last: Float64Array = new Float64Array(0);
  #used = 0;
  #length = 0;
  #leftOut = 0;

  constructor(lengthMax: number = RAW_VALUES_MAX, store?: BlockStore) {
    this.#lengthMax = lengthMax;
    this.#store = store;
  }

  get length(): number {
    return this.#length;
  }

  /** Values above the limit, which are only in the histogram. */
  get leftOut(): number {
    return this.#leftOut;
  }

  add(value: number): void {
    if (this.#length === this.#lengthMax) {
      this.#leftOut += 1;
      return;
    }
    if (this.#used === this.#last.length) this.#nextBlock();
    this.#last[this.#used] = value;
    this.#used += 1;
    this.#length += 1;
  }

  /** A new, ascending array of all values. */
  sorted(): Float64Array {
    return this.inOrder().sort();
  }

  /** The same by rank, for many values without an array of them all. They are finite and not below 0. */
  ranked(): PlacedValues {
    return this.#length <= SORTED_COUNT
      ? placedArray(this.sorted())
      : new RadixRanks(this.#length, visit => this.#read(visit));
  }

  /** A new array of all values in their original order. */
  inOrder(): Float64Array {
    const all = new Float64Array(this.#length);
    let at = 0;
    this.#read(block => {
      all.set(block, at);
      at += block.length;
    });
    return all;
  }

  #nextBlock(): void {
    // The first blocks are small: a run has dozens of series, most of them short.
    const stored = this.#used === BLOCK_LENGTH ? this.#store?.put(this.#last) : undefined;
    if (stored === undefined) {
      this.#last = new Float64Array(Math.min(BLOCK_LENGTH, Math.max(FIRST_LENGTH, 2 * this.#used)));
      this.#blocks.push(this.#last);
    } else this.#blocks.splice(-1, 1, stored, this.#last);
    this.#used = 0;
  }

  /** A visited block is only valid until the visitor returns. */
  #read(visit: (block: Float64Array) => void): void {
    let again: Float64Array | undefined;
    for (const block of this.#blocks) {
      if (block instanceof Float64Array) visit(block === this.#last ? block.subarray(0, this.#used) : block);
      else {
        again ??= new Float64Array(BLOCK_LENGTH);
        block(again);
        visit(again);
      }
    }
  }
}

export const RAW_VALUES_MAX = 64_000_000;
const FIRST_LENGTH = 1_024;
const BLOCK_LENGTH = 65_536;
/** Sorted within a tenth of a second. */
const SORTED_COUNT = 1_000_000;

// Exact ranks among too many values to sort, or to store in memory. The bits of non-negative numbers ascend
// as the numbers do, so they are counted by their leading bits, in cells of a thousandth; only a requested
// cell is read in detail.

/** Reads all values, block by block, each time it is called. They are finite and not below 0. */
type ReadBlocks = (visit: (block: Float64Array) => void) => void;

export class RadixRanks implements PlacedValues {
  readonly length: number;
  readonly #read: ReadBlocks;
  /** For each cell, and for the end: how many values are below it. */
  readonly #before = new Float64Array(CELLS + 1);
  readonly #cells = new Map<number, ValueCell>();

  constructor(length: number, read: ReadBlocks) {
    this.length = length;
    this.#read = read;
    const counts = new Uint32Array(CELLS);
    read(block => {
      const high = highWords(block);
      for (let at = HIGH; at < high.length; at += 2) {
        const cell = (high[at] ?? 0) >>> SHIFT;
        counts[cell] = (counts[cell] ?? 0) + 1;
      }
    });
    let sum = 0;
    for (let cell = 0; cell < CELLS; cell += 1) {
      this.#before[cell] = sum;
      sum += counts[cell] ?? 0;
    }
    this.#before[CELLS] = sum;
  }

  at(rank: number): number | undefined {
    if (!(rank >= 0 && rank < this.length)) return undefined;
    this.prepare({ ranks: [rank] });
    const cell = this.#cellOfRank(rank);
    return this.#at(cell).at(rank - (this.#before[cell] ?? 0));
  }

  countBelow(value: number): number {
    if (!(value > 0)) return 0;
    if (value === Number.POSITIVE_INFINITY) return this.length;
    this.prepare({ values: [value] });
    const cell = cellOf(value);
    return (this.#before[cell] ?? 0) + this.#at(cell).countBelow(value);
  }

  prepare({ ranks = [], values = [] }: RequestedPositions): void {
    for (;;) {
      const missing = new Map<ValueCell, number>();
      for (const rank of ranks) {
        if (!(rank >= 0 && rank < this.length)) continue;
        const cell = this.#cellOfRank(rank);
        const found = this.#at(cell).missingForRank(rank - (this.#before[cell] ?? 0));
        if (found !== undefined) missing.set(found, cell);
      }
      for (const value of values) {
        if (!(value > 0 && value < Number.POSITIVE_INFINITY)) continue;
        const cell = cellOf(value);
        const found = this.#at(cell).missingForValue(value);
        if (found !== undefined) missing.set(found, cell);
      }
      if (missing.size === 0) return;
      this.#look(missing);
    }
  }

  /** Reads all values once, for these cells within the first level. */
  #look(missing: ReadonlyMap<ValueCell, number>): void {
    const slots = new Uint32Array(CELLS);
    const cells: ValueCell[] = [];
    for (const [within, cell] of missing) {
      within.open();
      if (slots[cell] === 0) slots[cell] = cells.push(this.#at(cell));
    }
    this.#read(block => {
      const high = highWords(block);
      for (let at = 0; at < block.length; at += 1) {
        const slot = slots[(high[2 * at + HIGH] ?? 0) >>> SHIFT] ?? 0;
        if (slot > 0) cells[slot - 1]?.take(block[at] ?? 0);
      }
    });
    for (const within of missing.keys()) within.close();
  }

  #cellOfRank(rank: number): number {
    return firstAtLeast(this.#before, rank + 1) - 1;
  }

  #at(cell: number): ValueCell {
    const known = this.#cells.get(cell);
    if (known !== undefined) return known;
    const count = (this.#before[cell + 1] ?? 0) - (this.#before[cell] ?? 0);
    const made = new ValueCell(count, lowestOf(cell), lowestOf(cell + 1));
    this.#cells.set(cell, made);
    return made;
  }
}

const highWords = (block: Float64Array): Uint32Array =>
  new Uint32Array(block.buffer, block.byteOffset, 2 * block.length);

const scratch = new Float64Array(1);
const scratchWords = highWords(scratch);

const lowestOf = (cell: number): number => {
  scratchWords[1 - HIGH] = 0;
  scratchWords[HIGH] = cell << SHIFT;
  return scratch[0] ?? 0;
};

const cellOf = (value: number): number => {
  scratch[0] = value;
  return (scratchWords[HIGH] ?? 0) >>> SHIFT;
};

/** Which of a number's two words contains its sign and exponent, by the byte order of this machine. */
const HIGH = ((): 0 | 1 => {
  scratch[0] = 1;
  return scratchWords[0] === 0 ? 1 : 0;
})();
/** Leaves 11 bits of exponent and 10 of the fraction; the sign is never set. */
const SHIFT = 10;
const CELLS = 1 << 21;
