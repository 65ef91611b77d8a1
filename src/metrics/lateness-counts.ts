// How many chunks may have been read how late, in the cells that the parse threads count in: few, so that a map holds them.

export class LatenessCounts {
  readonly #counts = new Map<number, number>();
  #total = 0;

  get total(): number {
    return this.#total;
  }

  add(lateNsMax: number, count: number): void {
    this.#counts.set(lateNsMax, (this.#counts.get(lateNsMax) ?? 0) + count);
    this.#total += count;
  }

  /** A lateness that at most so many chunks pass. */
  passedByMaxNs(spared: number): number {
    let passed = 0;
    for (const [lateNsMax, count] of [...this.#counts].toSorted(([a], [b]) => b - a)) {
      passed += count;
      if (passed > spared) return lateNsMax;
    }
    return 0;
  }
}
