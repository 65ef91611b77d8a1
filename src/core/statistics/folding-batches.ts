// Sums over consecutive batches of a series as it grows: from 64 to 127 whole batches of one size, and one
// that is filling. At 128, each two are merged, so that a run of any length takes the same memory and its
// batches grow with it. Requests of one run are not independent observations, because of the queue; sums of
// long batches nearly are.

const BATCHES = 128;

export interface Batch {
  readonly count: number;
  readonly sums: readonly number[];
}

export class FoldingBatches {
  readonly #columns: number;
  readonly #counts = new Float64Array(BATCHES);
  readonly #sums: Float64Array;
  #size = 1;
  #last = 0;
  #count = 0;

  constructor(columns: number) {
    this.#columns = columns;
    this.#sums = new Float64Array(BATCHES * columns);
  }

  get count(): number {
    return this.#count;
  }

  /** Starts one more observation, to which `add` adds until the next. */
  observe(): void {
    if (this.#counts[this.#last] === this.#size) this.#last += 1;
    if (this.#last === BATCHES) this.#fold();
    this.#counts[this.#last] = (this.#counts[this.#last] ?? 0) + 1;
    this.#count += 1;
  }

  add(column: number, amount: number): void {
    const at = this.#last * this.#columns + column;
    this.#sums[at] = (this.#sums[at] ?? 0) + amount;
  }

  total(column: number): number {
    let total = 0;
    for (let batch = 0; batch <= this.#last; batch += 1) {
      total += this.#sums[batch * this.#columns + column] ?? 0;
    }
    return total;
  }

  /** In order; the last one may be shorter. */
  batches(): readonly Batch[] {
    if (this.#count === 0) return [];
    return Array.from({ length: this.#last + 1 }, (_, batch) => ({
      count: this.#counts[batch] ?? 0,
      sums: Array.from(this.#sums.subarray(batch * this.#columns, (batch + 1) * this.#columns)),
    }));
  }

  #fold(): void {
    fold(this.#counts, 1);
    fold(this.#sums, this.#columns);
    this.#size *= 2;
    this.#last = BATCHES / 2;
  }
}

/** Adds each second row to the previous one, and compacts them. */
const fold = (rows: Float64Array, width: number): void => {
  for (let row = 0; row < BATCHES / 2; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const even = rows[2 * row * width + column] ?? 0;
      rows[row * width + column] = even + (rows[(2 * row + 1) * width + column] ?? 0);
    }
  }
  rows.fill(0, (BATCHES / 2) * width);
};
