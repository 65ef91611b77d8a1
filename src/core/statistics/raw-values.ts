// Every value of a series, 8 bytes each, for exact percentiles at the end. Grows in blocks, so that a growing series
// never copies what it holds while a run is measured.

export const RAW_VALUES_MAX = 64_000_000;
const BLOCK_LENGTH = 65_536;

export class RawValues {
  readonly #blocks: Float64Array[] = [];
  readonly #lengthMax: number;
  #last: Float64Array = new Float64Array(0);
  #used = 0;
  #length = 0;
  #leftOut = 0;

  constructor(lengthMax: number = RAW_VALUES_MAX) {
    this.#lengthMax = lengthMax;
  }

  get length(): number {
    return this.#length;
  }

  /** Values past the bound, which only the histogram knows. */
  get leftOut(): number {
    return this.#leftOut;
  }

  add(value: number): void {
    if (this.#length === this.#lengthMax) {
      this.#leftOut += 1;
      return;
    }
    if (this.#used === this.#last.length) {
      this.#last = new Float64Array(BLOCK_LENGTH);
      this.#blocks.push(this.#last);
      this.#used = 0;
    }
    this.#last[this.#used] = value;
    this.#used += 1;
    this.#length += 1;
  }

  /** A new, ascending array of all values. */
  sorted(): Float64Array {
    return this.inOrder().sort();
  }

  /** A new array of all values as they came. */
  inOrder(): Float64Array {
    const all = new Float64Array(this.#length);
    let at = 0;
    for (const block of this.#blocks) {
      const part = block === this.#last ? block.subarray(0, this.#used) : block;
      all.set(part, at);
      at += part.length;
    }
    return all;
  }
}
