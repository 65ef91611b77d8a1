// A token bucket on a clock that is handed in: so much at once, then so much a second.

export class RateBudget {
  readonly #burst: number;
  readonly #perSecond: number;
  #tokens: number;
  #atMs: number;

  constructor(burst: number, perSecond: number, nowMs: number) {
    this.#burst = burst;
    this.#perSecond = perSecond;
    this.#tokens = burst;
    this.#atMs = nowMs;
  }

  /** Takes the cost where the budget has it; false where not, and then nothing is taken. */
  take(cost: number, nowMs: number): boolean {
    this.#tokens = Math.min(this.#burst, this.#tokens + ((nowMs - this.#atMs) / 1_000) * this.#perSecond);
    this.#atMs = nowMs;
    if (this.#tokens < cost) return false;
    this.#tokens -= cost;
    return true;
  }
}
