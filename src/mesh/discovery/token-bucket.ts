// So many at once, then so many a second: the bound on what strangers can make this node do.

import type { Clock } from '../../clock/clock.ts';

export class TokenBucket {
  readonly #clock: Clock;
  readonly #burst: number;
  readonly #perSecond: number;
  #tokens: number;
  #atMs: number;

  constructor(clock: Clock, { burst, perSecond }: { readonly burst: number; readonly perSecond: number }) {
    this.#clock = clock;
    this.#burst = burst;
    this.#perSecond = perSecond;
    this.#tokens = burst;
    this.#atMs = clock.nowMs();
  }

  take(): boolean {
    const nowMs = this.#clock.nowMs();
    const gained = ((nowMs - this.#atMs) / 1_000) * this.#perSecond;
    this.#tokens = Math.min(this.#burst, this.#tokens + gained);
    this.#atMs = nowMs;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
