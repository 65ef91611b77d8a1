// Which blocks of prompts have been seen, in a bounded table: 8 bytes each, open addressing. Blocks that no longer
// fit are not recognized later; they are counted and reported.

export class KnownBlocks {
  #cells: Float64Array = new Float64Array(FIRST_CELLS);
  #count = 0;
  /** Blocks that found no room. */
  unkept = 0;

  get count(): number {
    return this.#count;
  }

  /** @returns whether it was known; from now on it is. */
  take(block: number): boolean {
    // 0 is an empty cell.
    const key = block + 1;
    let at = this.#place(key);
    if (this.#cells[at] === key) return true;
    if (this.#count * 2 >= this.#cells.length) {
      if (this.#cells.length >= KNOWN_CELLS_MAX) {
        this.unkept += 1;
        return false;
      }
      this.#grow();
      at = this.#place(key);
    }
    this.#cells[at] = key;
    this.#count += 1;
    return false;
  }

  #place(key: number): number {
    const mask = this.#cells.length - 1;
    let at = (Math.imul(key >>> 0, 0x9e3779b1) ^ Math.floor(key / 2 ** 32)) & mask;
    while (this.#cells[at] !== 0 && this.#cells[at] !== key) at = (at + 1) & mask;
    return at;
  }

  #grow(): void {
    const before = this.#cells;
    this.#cells = new Float64Array(before.length * 4);
    for (const key of before) if (key !== 0) this.#cells[this.#place(key)] = key;
  }
}

const FIRST_CELLS = 4_096;
/** 128 MiB; half of them are used. */
const KNOWN_CELLS_MAX = 16_777_216;
