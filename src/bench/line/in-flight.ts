// Requests in flight over time, from their times of issue and end.

/** Counts of requests by time, from ascending times of issue and end. */
export class InFlight {
  readonly #issuedNs: Float64Array;
  readonly #endedNs: Float64Array;

  constructor(issuedNs: Float64Array, endedNs: Float64Array) {
    this.#issuedNs = issuedNs;
    this.#endedNs = endedNs;
  }

  issuedBy(atNs: number): number {
    return countUpTo(this.#issuedNs, atNs);
  }

  endedBy(atNs: number): number {
    return countUpTo(this.#endedNs, atNs);
  }

  /** Count at each of these times. */
  at(timesNs: Float64Array): Float64Array {
    return timesNs.map(atNs => this.issuedBy(atNs) - this.endedBy(atNs));
  }

  /** Mean over each of `steps` equal steps from one time to the other. */
  levels({ fromNs, toNs, steps }: Steps): Float64Array {
    const stepNs = (toNs - fromNs) / steps;
    const levels = new Float64Array(steps);
    let [issued, ended] = [this.issuedBy(fromNs), this.endedBy(fromNs)];
    for (let step = 0; step < steps; step += 1) {
      const endNs = fromNs + (step + 1) * stepNs;
      let areaNs = (issued - ended) * stepNs;
      for (; (this.#issuedNs[issued] ?? Number.POSITIVE_INFINITY) <= endNs; issued += 1)
        areaNs += endNs - (this.#issuedNs[issued] ?? 0);
      for (; (this.#endedNs[ended] ?? Number.POSITIVE_INFINITY) <= endNs; ended += 1)
        areaNs -= endNs - (this.#endedNs[ended] ?? 0);
      levels[step] = areaNs / stepNs;
    }
    return levels;
  }
}

export interface Steps {
  readonly fromNs: number;
  readonly toNs: number;
  readonly steps: number;
}

const countUpTo = (ascending: Float64Array, value: number): number => {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
};
