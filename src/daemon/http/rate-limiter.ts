// A token bucket for each remote address, in bounded memory: past the bound the address that was quiet longest is
// forgotten, which only ever gives it its burst back.

import type { Clock } from '../../clock/clock.ts';

export interface RateLimit {
  readonly burst: number;
  readonly perSecond: number;
  readonly addressesMax: number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

export class RateLimiter {
  readonly #clock: Clock;
  readonly #limit: RateLimit;
  readonly #buckets = new Map<string, Bucket>();

  constructor(clock: Clock, limit: RateLimit) {
    this.#clock = clock;
    this.#limit = limit;
  }

  /** Takes one; false when none is left. */
  take(address: string): boolean {
    const bucket = this.#bucket(address);
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  /** True while one could be taken. */
  hasLeft(address: string): boolean {
    return this.#bucket(address).tokens >= 1;
  }

  #bucket(address: string): Bucket {
    const nowMs = this.#clock.nowMs();
    const { burst, perSecond, addressesMax } = this.#limit;
    const held = this.#buckets.get(address);
    const bucket = held ?? { tokens: burst, atMs: nowMs };
    bucket.tokens = Math.min(burst, bucket.tokens + ((nowMs - bucket.atMs) / 1_000) * perSecond);
    bucket.atMs = nowMs;
    // A map keeps the order of insertion: set again, the address is the newest.
    this.#buckets.delete(address);
    this.#buckets.set(address, bucket);
    if (this.#buckets.size > addressesMax) {
      const [oldest] = this.#buckets.keys();
      if (oldest !== undefined) this.#buckets.delete(oldest);
    }
    return bucket;
  }
}
