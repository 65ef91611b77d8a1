// Values between two bounds of which only the number is known until one of them is needed: few are collected
// and sorted, many are counted in narrower cells.

import { firstAtLeast } from './percentile.ts';

export class ValueCell {
  readonly count: number;
  readonly #least: number;
  readonly #most: number;
  #sorted: Float64Array | undefined;
  #parts: CellParts | undefined;
  /** Filled by the reading in progress. */
  #filling: Float64Array | CellParts | undefined;
  #filled = 0;

  /** @param least lower bound of the values, as `most` is the upper one */
  constructor(count: number, least: number, most: number) {
    this.count = count;
    this.#least = least;
    this.#most = most;
  }

  /** The cell that must be read before the value of this rank within it is known; undefined: it is known. */
  missingForRank(rank: number): ValueCell | undefined {
    if (this.count === 0 || this.#least === this.#most || this.#sorted !== undefined) return undefined;
    const position = this.#parts?.positionOfRank(rank);
    return position === undefined ? this : position.cell.missingForRank(rank - position.before);
  }

  missingForValue(value: number): ValueCell | undefined {
    if (this.count === 0 || value <= this.#least || value > this.#most) return undefined;
    if (this.#sorted !== undefined) return undefined;
    const position = this.#parts?.positionOfValue(value);
    return position === undefined ? this : position.cell.missingForValue(value);
  }

  /** Valid once nothing is missing for it. */
  at(rank: number): number | undefined {
    if (this.#least === this.#most) return this.#least;
    if (this.#sorted !== undefined) return this.#sorted[rank];
    const position = this.#parts?.positionOfRank(rank);
    return position?.cell.at(rank - position.before);
  }

  countBelow(value: number): number {
    if (value <= this.#least) return 0;
    if (value > this.#most) return this.count;
    if (this.#sorted !== undefined) return firstAtLeast(this.#sorted, value);
    const position = this.#parts?.positionOfValue(value);
    return position === undefined ? 0 : position.before + position.cell.countBelow(value);
  }

  /** The next reading collects the values of this cell. */
  open(): void {
    this.#filled = 0;
    this.#filling =
      this.count <= COLLECTED_COUNT ? new Float64Array(this.count) : new CellParts(this.#least, this.#most);
  }

  /** Adds a value of this cell, in a reading for it or for cells within it. */
  take(value: number): void {
    if (this.#parts !== undefined) this.#parts.cellOf(value)?.take(value);
    else if (this.#filling instanceof CellParts) this.#filling.add(value);
    else if (this.#filling !== undefined) {
      this.#filling[this.#filled] = value;
      this.#filled += 1;
    }
  }

  /** Ends the reading. */
  close(): void {
    if (this.#filling instanceof CellParts) {
      this.#parts = this.#filling;
      this.#parts.settle();
    } else if (this.#filling !== undefined) this.#sorted = this.#filling.sort();
    this.#filling = undefined;
  }
}

interface Position {
  readonly cell: ValueCell;
  /** Values in the cells below. */
  readonly before: number;
}

/**
 * A cell in equal parts. Each stores the least and the greatest of its values, so that equal values need no
 * narrower cell.
 */
class CellParts {
  readonly #least: number;
  readonly #range: number;
  readonly #counts = new Uint32Array(PARTS);
  readonly #leasts = new Float64Array(PARTS).fill(Number.POSITIVE_INFINITY);
  readonly #mosts = new Float64Array(PARTS).fill(Number.NEGATIVE_INFINITY);
  /** For each part, and for the end: how many values are below it. */
  readonly #before = new Float64Array(PARTS + 1);
  readonly #cells = new Map<number, ValueCell>();

  constructor(least: number, most: number) {
    this.#least = least;
    this.#range = most - least;
  }

  add(value: number): void {
    const part = this.#partOf(value);
    this.#counts[part] = (this.#counts[part] ?? 0) + 1;
    if (value < (this.#leasts[part] ?? 0)) this.#leasts[part] = value;
    if (value > (this.#mosts[part] ?? 0)) this.#mosts[part] = value;
  }

  settle(): void {
    let sum = 0;
    for (let part = 0; part < PARTS; part += 1) {
      this.#before[part] = sum;
      sum += this.#counts[part] ?? 0;
    }
    this.#before[PARTS] = sum;
  }

  /** Only for parts that were requested. */
  cellOf(value: number): ValueCell | undefined {
    return this.#cells.get(this.#partOf(value));
  }

  positionOfRank(rank: number): Position {
    // Parts without a value share their count with the next: the last one is meant.
    return this.#positionOf(firstAtLeast(this.#before, rank + 1) - 1);
  }

  positionOfValue(value: number): Position {
    return this.#positionOf(this.#partOf(value));
  }

  #positionOf(part: number): Position {
    const known = this.#cells.get(part);
    const before = this.#before[part] ?? 0;
    if (known !== undefined) return { cell: known, before };
    const cell = new ValueCell(this.#counts[part] ?? 0, this.#leasts[part] ?? 0, this.#mosts[part] ?? 0);
    this.#cells.set(part, cell);
    return { cell, before };
  }

  /** Ascends with the value, regardless of rounding. */
  #partOf(value: number): number {
    // Divided first: for the narrowest cells, those of zero and its neighbours, a factor would be infinite.
    return Math.floor(((value - this.#least) / this.#range) * (PARTS - 1));
  }
}

/** 0.5 MB; sorted in a few milliseconds. */
const COLLECTED_COUNT = 65_536;
const PARTS = 4_096;
