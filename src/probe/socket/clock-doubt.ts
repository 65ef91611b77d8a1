// Whether a clock that another machine speaks of can run as it claims: one that ran slower than ours would raise its rates.
// A sample that waited in a busy machine or a full queue looks slow too, but the next ones do not.

export class ClockDoubt {
  #first: { readonly theirsMs: number; readonly oursMs: number } | undefined;
  #slowSinceMs: number | undefined;

  /** `theirsMs`: what its sample says; `oursMs`: when it came. @returns false once it cannot be true */
  believes(theirsMs: number, oursMs: number): boolean {
    this.#first ??= { theirsMs, oursMs };
    const theirs = theirsMs - this.#first.theirsMs;
    const ours = oursMs - this.#first.oursMs;
    if (theirs >= ours * SHARE_MIN - SLACK_MS) {
      this.#slowSinceMs = undefined;
      return true;
    }
    this.#slowSinceMs ??= oursMs;
    return oursMs - this.#slowSinceMs < SLOW_MS_MIN;
  }
}

const SHARE_MIN = 0.8;
/** A sample may wait so long in a busy machine. */
const SLACK_MS = 150;
/** For so long no sample may have been on time. */
const SLOW_MS_MIN = 250;
