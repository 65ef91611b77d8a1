// A burst, then a rate per second: the one rule that limits every kind of request to this node.

import type { Clock } from './clock.ts';

export interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

export class TokenBucket {
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #rate: Rate;
  #tokens: number;
  #atMs: number;

  constructor(clock: Pick<Clock, 'nowMs'>, rate: Rate) {
    this.#clock = clock;
    this.#rate = rate;
    this.#tokens = rate.burst;
    this.#atMs = clock.nowMs();
  }

  has(cost = 1): boolean {
    const nowMs = this.#clock.nowMs();
    const { burst, perSecond } = this.#rate;
    this.#tokens = Math.min(burst, this.#tokens + ((nowMs - this.#atMs) / 1_000) * perSecond);
    this.#atMs = nowMs;
    return this.#tokens >= cost;
  }

  /** Takes the cost if the bucket has it; false if not, and then nothing is taken. */
  take(cost = 1): boolean {
    if (!this.has(cost)) return false;
    this.#tokens -= cost;
    return true;
  }
}

/**
 * A bucket for each remote address, in bounded memory: past the limit the address that was idle longest is forgotten,
 * which only gives it its burst back.
 */
export class AddressBuckets {
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #rate: Rate;
  readonly #addressesMax: number;
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(clock: Pick<Clock, 'nowMs'>, rate: Rate, addressesMax: number) {
    this.#clock = clock;
    this.#rate = rate;
    this.#addressesMax = addressesMax;
  }

  of(address: string): TokenBucket {
    const bucket = this.#buckets.get(address) ?? new TokenBucket(this.#clock, this.#rate);
    // A map keeps the order of insertion: set again, the address is the newest.
    this.#buckets.delete(address);
    this.#buckets.set(address, bucket);
    if (this.#buckets.size > this.#addressesMax) {
      const [oldest] = this.#buckets.keys();
      if (oldest !== undefined) this.#buckets.delete(oldest);
    }
    return bucket;
  }
}
