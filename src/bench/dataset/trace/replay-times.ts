// When requests of a trace are due in its replay: each from the first one, divided by the speed, with pauses in which nobody
// asked anything cut to a longest one.

export interface ReplayPace {
  /** Times are divided by it. */
  readonly speed: number;
  /** Of the trace's own time; undefined: pauses are as long as they were. */
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

  /** As recorded, from the first to the last that was asked for. */
  get spanMs(): number {
    return this.#firstMs === undefined ? 0 : this.#lastMs - this.#firstMs;
  }

  /** @param atMs ascending. @returns ns from the first one, from there and never from the one before: nothing adds up to a drift */
  next(atMs: number): number {
    const { speed } = this.#pace;
    this.#firstMs ??= atMs;
    if (atMs !== this.#firstMs) this.#cutMs += this.cut(atMs - this.#lastMs);
    this.#lastMs = atMs;
    return Math.round(((atMs - this.#firstMs - this.#cutMs) / speed) * 1e6);
  }

  /** By how much a pause is longer than the longest. */
  cut(gapMs: number): number {
    const { gapMsMax } = this.#pace;
    if (gapMsMax === undefined || gapMs <= gapMsMax) return 0;
    this.gapsCapped += 1;
    return gapMs - gapMsMax;
  }
}
