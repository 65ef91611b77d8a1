// How late the load threads are woken, from the marks that they were sent: a sample of what happens to every reply. What can be
// said of the replies follows by chance alone, at odds of one in a thousand against it (docs/metrics.md, "Error bounds").

export class WakeLateness {
  readonly #sortedNs: Float64Array;
  readonly #meanNs: number;
  readonly #deviationNs: number;

  /** @param latenessNs of each mark; sorted here */
  constructor(latenessNs: Float64Array) {
    this.#sortedNs = latenessNs.sort();
    const count = latenessNs.length;
    this.#meanNs = count === 0 ? 0 : latenessNs.reduce((sum, ns) => sum + ns, 0) / count;
    const squares = latenessNs.reduce((sum, ns) => sum + (ns - this.#meanNs) ** 2, 0);
    this.#deviationNs = count < 2 ? this.#meanNs : Math.sqrt(squares / (count - 1));
  }

  get count(): number {
    return this.#sortedNs.length;
  }

  /** What the mean lateness of so many replies does not pass. */
  meanMaxNs(replies: number): number {
    const spread = this.#deviationNs * SIGMAS * (1 / Math.sqrt(this.count) + 1 / Math.sqrt(replies));
    return Math.min(this.#meanNs + spread, this.passedByMaxNs(replies, 0));
  }

  /** A lateness that at most `spared` of so many replies pass. */
  passedByMaxNs(replies: number, spared: number): number {
    // So small a share of all wakes passes it that more than `spared` of the replies hardly do …
    const share = Math.min(1, leastMean(spared) / replies);
    // … and so many marks would have passed it, had it been a larger share.
    const expected = share * this.count;
    const passing = passedMarks(expected);
    if (passing >= 0) return this.#sortedNs[this.count - 1 - passing] ?? 0;
    // Too few marks to know so rare a lateness: a heavy tail (1/x²) from the greatest that was seen.
    return (this.#sortedNs[this.count - 1] ?? 0) * Math.sqrt(MARKS_FOR_GREATEST / Math.max(expected, 1e-9));
  }
}

/** Mean of a Poisson count that is more than `spared` in one case of a thousand (Wilson and Hilferty 1931; exact at 0). */
const leastMean = (spared: number): number => {
  const events = spared + 1;
  const root = 1 - 1 / (9 * events) - Z / (3 * Math.sqrt(events));
  return Math.max(-Math.log1p(-ALPHA), events * Math.max(0, root) ** 3);
};

/** The greatest m such that a Poisson count of this mean is m or less in one case of a thousand at most; -1: there is none. */
const passedMarks = (mean: number): number => {
  let low = -1;
  let high = Math.floor(mean);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (greatestMean(middle) <= mean) low = middle;
    else high = middle - 1;
  }
  return low;
};

const greatestMean = (count: number): number => {
  const events = count + 1;
  return events * (1 - 1 / (9 * events) + Z / (3 * Math.sqrt(events))) ** 3;
};

const ALPHA = 0.001;
/** Normal quantile of 1 − ALPHA. */
const Z = 3.090_232;
const SIGMAS = Z;
/** Expected marks beyond a lateness that none of them passed, in one case of a thousand: ln 1000. */
const MARKS_FOR_GREATEST: number = -Math.log(ALPHA);
