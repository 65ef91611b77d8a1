// Converts the kernel's timestamps, which are of the wall clock, to the clock of a run. The wall clock may be set during
// a run: its offset is compared before each round of reads and again within a long one, and measured at least every 100 ms.

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
  /** The offset without the step that is still part of the error. */
  #newestNs = 0;
  #stepNs = 0;
  #stepUntilNs = 0;
  #checkedNs: number;
  #measuredNs: number;

  constructor(parts: StampClockParts) {
    this.#parts = parts;
    this.#checkedNs = parts.nowNs();
    this.#measuredNs = this.#checkedNs;
    this.#measure();
    this.#offsetNs = this.#newestNs;
  }

  /** By how much a converted timestamp may be later than the true time. */
  get errorNs(): number {
    return this.#widthNs + this.#stepNs;
  }

  /** Whether the wall clock was set a moment ago. */
  get isUnsteady(): boolean {
    return this.#stepNs > 0;
  }

  /** Before a timestamp is converted: a step is noticed that is CHECKED_EVERY_NS old. @param nowNs the time of this call */
  check(nowNs: number): void {
    if (nowNs - this.#checkedNs < CHECKED_EVERY_NS) return;
    this.#checkedNs = nowNs;
    if (this.#stepNs > 0 && nowNs >= this.#stepUntilNs) {
      this.#offsetNs = this.#newestNs;
      this.#stepNs = 0;
    }
    const changeNs = nowNs - this.#parts.wallNs() - this.#newestNs;
    if (Math.abs(changeNs) <= STEP_NS && nowNs - this.#measuredNs <= MEASURED_EVERY_NS) return;
    const beforeNs = this.#newestNs;
    this.#measure();
    const stepNs = Math.abs(this.#newestNs - beforeNs);
    if (stepNs <= STEP_NS) {
      if (this.#stepNs === 0) this.#offsetNs = this.#newestNs;
      return;
    }
    // Which side of the step a waiting timestamp is from is not known.
    this.#offsetNs = Math.max(this.#offsetNs, this.#newestNs);
    this.#stepNs += stepNs;
    this.#stepUntilNs = nowNs + STEP_KEPT_NS;
  }

  toRun(stampNs: number): number {
    return stampNs + this.#offsetNs;
  }

  #measure(): void {
    const { nowNs, wallNs } = this.#parts;
    let widthNs = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < TRIES; tries += 1) {
      const beforeNs = nowNs();
      const atNs = wallNs();
      const afterNs = nowNs();
      if (afterNs - beforeNs >= widthNs) continue;
      widthNs = afterNs - beforeNs;
      this.#newestNs = afterNs - atNs;
    }
    this.#widthNs = widthNs;
    this.#measuredNs = nowNs();
  }
}

/** A larger change is a step of the wall clock, or an interruption between two readings. */
const STEP_NS = 20_000;
/** A comparison costs half a microsecond, a read seven. */
const CHECKED_EVERY_NS = 100_000;
const MEASURED_EVERY_NS = 100e6;
/** What arrived before a step has been read by then, unless the thread was stopped. */
const STEP_KEPT_NS = 100e6;
/** Half a microsecond each; the narrowest counts. */
const TRIES = 8;
