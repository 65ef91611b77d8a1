// Every value of a series, 8 bytes each, for exact percentiles at the end. Grows in blocks, so that a growing
// series never copies its values while a run is measured. Full blocks may be moved, for example to a disk.

import { RadixRanks } from './radix-ranks.ts';
import { type PlacedValues, placedArray } from './ranked-values.ts';

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
