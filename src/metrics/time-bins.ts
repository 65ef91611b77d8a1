// How many values a series has in each tenth of a second: values that came together may have waited together, so
// bins, not values, are the independent units.

export class TimeBins {
  readonly #counts = new Map<number, number>();
  #total = 0;

  add(atNs: number, count: number = 1): void {
    const bin = Math.floor(atNs / BIN_NS);
    this.#counts.set(bin, (this.#counts.get(bin) ?? 0) + count);
    this.#total += count;
  }

  get count(): number {
    return this.#counts.size;
  }

  /** Number of equal bins that would determine a mean equally well. */
  get effectiveCount(): number {
    let squares = 0;
    for (const count of this.#counts.values()) squares += count ** 2;
    return squares === 0 ? 0 : this.#total ** 2 / squares;
  }

  /** Values in the fullest bins, by how many of them: index 0 is 0. */
  fullest(): readonly number[] {
    const sums = [0];
    for (const count of [...this.#counts.values()].toSorted((a, b) => b - a))
      sums.push((sums.at(-1) ?? 0) + count);
    return sums;
  }
}

const BIN_NS = 100_000_000;
