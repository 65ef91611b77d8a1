// Converts the kernel's timestamps, which are of the wall clock, to the clock of a run. The wall clock may be set during
// a run: its offset is compared before each round of reads, and measured again at least every 100 ms.

interface StampClockParts {
  /** The wall clock, on the scale of the kernel's timestamps. */
  readonly wallNs: () => number;
  /** Since the run's zero. */
  readonly nowNs: () => number;
}

export class StampClock {
  readonly #parts: StampClockParts;
  /** To add to a timestamp: never too little, so that nothing seems to arrive early. */
  #offsetNs = 0;
  #widthNs = 0;
  #stepNs = 0;
  #measuredNs = Number.NEGATIVE_INFINITY;

  constructor(parts: StampClockParts) {
    this.#parts = parts;
    this.#measure();
    this.#stepNs = 0;
  }

  /** By how much a converted timestamp may be later than the true time. */
  get errorNs(): number {
    return this.#widthNs + this.#stepNs;
  }

  /** Before timestamps are converted. @param nowNs the time of this call */
  check(nowNs: number): void {
    const changeNs = nowNs - this.#parts.wallNs() - this.#offsetNs;
    this.#stepNs = 0;
    if (Math.abs(changeNs) > STEP_NS || nowNs - this.#measuredNs > MEASURED_EVERY_NS) this.#measure();
  }

  toRun(stampNs: number): number {
    return stampNs + this.#offsetNs;
  }

  #measure(): void {
    const { nowNs, wallNs } = this.#parts;
    let offsetNs = 0;
    let widthNs = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < TRIES; tries += 1) {
      const beforeNs = nowNs();
      const atNs = wallNs();
      const afterNs = nowNs();
      if (afterNs - beforeNs >= widthNs) continue;
      widthNs = afterNs - beforeNs;
      offsetNs = afterNs - atNs;
    }
    const changeNs = Math.abs(offsetNs - this.#offsetNs);
    // Which side of the step a waiting timestamp is from is not known.
    this.#stepNs = changeNs > STEP_NS ? changeNs : 0;
    this.#offsetNs = offsetNs;
    this.#widthNs = widthNs;
    this.#measuredNs = nowNs();
  }
}

/** A larger change is a step of the wall clock, or an interruption between two readings. */
const STEP_NS = 20_000;
const MEASURED_EVERY_NS = 100e6;
/** Half a microsecond each; the narrowest counts. */
const TRIES = 8;
