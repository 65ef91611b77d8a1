// When requests of a trace are due in its replay: the offset from the first one, divided by the speed, with idle
// pauses cut to a maximum.

export interface ReplayPace {
  /** Factor by which times are divided. */
  readonly speed: number;
  /** Longest pause, in the trace's own time, ms; undefined: pauses are not cut. */
  readonly gapMsMax: number | undefined;
}

export class ReplayTimes {
  readonly #pace: ReplayPace;
  #firstMs: number | undefined;
  #lastMs = 0;
  #cutMs = 0;
  gapsCapped = 0;

  constructor(pace: ReplayPace) {
    this.#pace = pace;
  }

  /** Recorded time from the first to the last requested entry, ms. */
  get spanMs(): number {
    return this.#firstMs === undefined ? 0 : this.#lastMs - this.#firstMs;
  }

  /**
   * @param atMs ascending. @returns ns from the first one, computed from there and never from the previous one, so
   * that rounding does not accumulate
   */
  next(atMs: number): number {
    const { speed } = this.#pace;
    this.#firstMs ??= atMs;
    if (atMs !== this.#firstMs) this.#cutMs += this.cut(atMs - this.#lastMs);
    this.#lastMs = atMs;
    return Math.round(((atMs - this.#firstMs - this.#cutMs) / speed) * 1e6);
  }

  /** By how much a pause exceeds the maximum, ms. */
  cut(gapMs: number): number {
    const { gapMsMax } = this.#pace;
    if (gapMsMax === undefined || gapMs <= gapMsMax) return 0;
    this.gapsCapped += 1;
    return gapMs - gapMsMax;
  }
}
