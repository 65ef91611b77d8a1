// A histogram with a bounded relative error (after HdrHistogram): 1,024 cells per octave, found by the bits
// of the double itself, so that recording costs a few nanoseconds. It allocates memory only for the octaves
// of its values: most of a run's histograms use a few octaves of the possible forty, and many none.

/** Cells of one octave; a cell is at most 1/1024 = 0.098% wide: three significant figures. */
const CELLS_PER_OCTAVE_BITS = 10;
const CELLS_PER_OCTAVE = 1 << CELLS_PER_OCTAVE_BITS;

export interface HistogramBounds {
  /** Smallest value with a cell of its own, at least 1. */
  readonly low: number;
  /** Greatest value with a cell of its own. */
  readonly high: number;
}

export class Histogram {
  readonly #bounds: HistogramBounds;
  readonly #first: number;
  readonly #cells: number;
  /** Counts of the cells from `#from` on. */
  #counts = new Float64Array(0);
  #from = 0;
  #count = 0;
  #clampedCount = 0;
  #minCell = Number.POSITIVE_INFINITY;
  #maxCell = -1;

  /** @throws RangeError unless 1 ≤ low and 2·low ≤ high < 2⁵³. */
  constructor(bounds: HistogramBounds) {
    if (!(bounds.low >= 1 && bounds.high >= 2 * bounds.low && bounds.high < 2 ** 53)) {
      throw new RangeError(
        `histogram bounds ${bounds.low} to ${bounds.high} are not 1 ≤ low, 2·low ≤ high < 2^53`,
      );
    }
    this.#bounds = bounds;
    this.#first = cellOf(bounds.low);
    this.#cells = cellOf(bounds.high) - this.#first + 1;
  }

  get count(): number {
    return this.#count;
  }

  /** Values outside the range, which were counted at the nearest end. */
  get clampedCount(): number {
    return this.#clampedCount;
  }

  record(value: number): void {
    let inside = value;
    if (!(value >= this.#bounds.low)) {
      inside = this.#bounds.low;
      this.#clampedCount += 1;
    } else if (value > this.#bounds.high) {
      inside = this.#bounds.high;
      this.#clampedCount += 1;
    }
    const cell = cellOf(inside) - this.#first;
    this.#add(cell, 1);
  }

  /**
   * The highest value of the cell that holds rank max(1, ⌊p/100·n + 0.5⌋), for each percentile; ascending
   * percentiles in, one pass over the cells. Empty if nothing was recorded.
   */
  percentiles(ascending: readonly number[]): readonly number[] {
    if (this.#count === 0) return [];
    const ranks = ascending.map(percentile => rankOf(percentile, this.#count));
    const values: number[] = [];
    let seen = 0;
    let rank = ranks[0] ?? Number.POSITIVE_INFINITY;
    for (let cell = this.#minCell; cell <= this.#maxCell; cell += 1) {
      seen += this.#counts[cell - this.#from] ?? 0;
      while (seen >= rank) {
        values.push(this.#highest(cell));
        rank = ranks[values.length] ?? Number.POSITIVE_INFINITY;
      }
    }
    return values;
  }

  /** The highest value of the cell with this rank, from 1; undefined if there are fewer values. */
  valueAtRank(rank: number): number | undefined {
    const cell = this.#cellAtRank(rank);
    return cell === undefined ? undefined : this.#highest(cell);
  }

  /** Lower end of that cell: 0 for the first one, which also contains values below the range. */
  lowestAtRank(rank: number): number | undefined {
    const cell = this.#cellAtRank(rank);
    return cell === undefined ? undefined : cell === 0 ? 0 : this.#lowest(cell);
  }

  /** Empties it, without new memory. */
  clear(): void {
    this.#counts.fill(0);
    this.#count = 0;
    this.#clampedCount = 0;
    this.#minCell = Number.POSITIVE_INFINITY;
    this.#maxCell = -1;
  }

  /**
   * For each cell with values: its number, which is the same in every histogram, and its count; ascending.
   */
  *cells(): Generator<readonly [cell: number, count: number], void, void> {
    for (let cell = this.#minCell; cell <= this.#maxCell; cell += 1) {
      const count = this.#counts[cell - this.#from] ?? 0;
      if (count > 0) yield [this.#first + cell, count];
    }
  }

  /**
   * Adds values of another histogram's cell; those outside the range go to the nearest cell, counted as
   * clamped.
   */
  addCell(number: number, count: number): void {
    const cell = Math.min(Math.max(number - this.#first, 0), this.#cells - 1);
    if (cell !== number - this.#first) this.#clampedCount += count;
    this.#add(cell, count);
  }

  /** Adds values that another histogram has clamped. */
  addClamped(count: number): void {
    this.#clampedCount += count;
  }

  /** Number of cells between two values: a chart cannot show more detail. */
  cellsBetween(low: number, high: number): number {
    return low <= high ? cellOf(high) - cellOf(low) + 1 : 0;
  }

  /** Counts of the recorded values between ascending edges, by the middle of each cell; the last bucket is closed. */
  bucketCounts(edges: readonly number[]): readonly number[] {
    const counts = new Array<number>(Math.max(0, edges.length - 1)).fill(0);
    let cell = this.#minCell;
    for (let bucket = 0; bucket < counts.length; bucket += 1) {
      const isLast = bucket === counts.length - 1;
      const end = isLast ? this.#maxCell + 1 : this.#firstAtLeast(edges[bucket + 1] ?? 0);
      let count = 0;
      for (; cell < end && cell <= this.#maxCell; cell += 1) count += this.#counts[cell - this.#from] ?? 0;
      counts[bucket] = count;
    }
    return counts;
  }

  #add(cell: number, count: number): void {
    if (cell < this.#minCell || cell > this.#maxCell) {
      this.#minCell = Math.min(this.#minCell, cell);
      this.#maxCell = Math.max(this.#maxCell, cell);
      this.#reach(this.#minCell, this.#maxCell);
    }
    const at = cell - this.#from;
    this.#counts[at] = (this.#counts[at] ?? 0) + count;
    this.#count += count;
  }

  /** Allocates memory for the octaves from one cell to another, and for what was counted before. */
  #reach(low: number, high: number): void {
    const before = this.#counts;
    if (low >= this.#from && high < this.#from + before.length) return;
    const isEmpty = before.length === 0;
    const from = Math.min(low - (low % CELLS_PER_OCTAVE), isEmpty ? low : this.#from);
    const to = Math.max(high + CELLS_PER_OCTAVE - (high % CELLS_PER_OCTAVE), this.#from + before.length);
    this.#counts = new Float64Array(Math.min(to, this.#cells) - from);
    this.#counts.set(before, isEmpty ? 0 : this.#from - from);
    this.#from = from;
  }

  /** The first cell whose middle is at least the edge. */
  #firstAtLeast(edge: number): number {
    const cell = cellOf(edge) - this.#first;
    return (this.#lowest(cell) + this.#lowest(cell + 1)) / 2 >= edge ? cell : cell + 1;
  }

  #cellAtRank(rank: number): number | undefined {
    if (!(rank >= 1 && rank <= this.#count)) return undefined;
    let seen = 0;
    for (let cell = this.#minCell; cell <= this.#maxCell; cell += 1) {
      seen += this.#counts[cell - this.#from] ?? 0;
      if (seen >= rank) return cell;
    }
    return undefined;
  }

  #lowest(cell: number): number {
    return lowestOf(this.#first + cell);
  }

  /** The last whole number below the next cell, which is the cell's own value while cells are narrower than 1. */
  #highest(cell: number): number {
    const lowest = this.#lowest(cell);
    return Math.max(lowest, Math.min(Math.ceil(this.#lowest(cell + 1)) - 1, this.#bounds.high));
  }
}

const rankOf = (percentile: number, count: number): number =>
  Math.max(1, Math.floor((percentile / 100) * count + 0.5));

const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);
double[0] = 1;
/** The word with sign, exponent and the upper 20 bits of the mantissa (IEEE 754 binary64). */
const HIGH_WORD = words[1] === 0x3ff00000 ? 1 : 0;
const DROPPED_BITS = 20 - CELLS_PER_OCTAVE_BITS;

/** Exponent and the upper ten bits of the mantissa as one number: rises with the value, 1,024 steps an octave. */
const cellOf = (value: number): number => {
  double[0] = value;
  return (words[HIGH_WORD] ?? 0) >>> DROPPED_BITS;
};

const lowestOf = (cell: number): number => {
  words[HIGH_WORD] = cell << DROPPED_BITS;
  words[1 - HIGH_WORD] = 0;
  return double[0] ?? 0;
};
