// What a prefix cache was worth: the share of prompt tokens that came from it, and the time to first token against those that did
// not. Shares refer to the server's own count of prompt tokens, since the client's differs and the share could exceed 1.

import * as v from 'valibot';
import { count, figure, type Infer, openObject, reported, share } from '../schema.ts';
import { BoundedSpread, spreadFiguresSchema } from '../statistics/bounded-spread.ts';
import { type Reported, unknown } from '../unknown.ts';
import type { EndedSample } from './ended-sample.ts';
import { NO_FIGURE } from './event-record.ts';

/** By prompt tokens that the server had to read, in powers of two: a time to first token should grow with them. */
export const byUncachedSchema = reported(
  // Powers of two of any integer.
  v.pipe(
    v.array(openObject({ from: figure, to: figure, count, ttftNs: spreadFiguresSchema })),
    v.maxLength(64),
  ),
);

/** For a run of single requests; sessions have it by turn. */
export const prefixCacheSchema = openObject({
  /** Of the prompt tokens of completed requests. */
  hitShare: reported(figure),
  /** The share that --hit-rate generated prompts for. */
  requestedShare: v.exactOptional(share),
  byUncached: byUncachedSchema,
});

export type PrefixCache = Infer<typeof prefixCacheSchema>;

export class PrefixCacheTally {
  #inputTokens = 0;
  #cachedTokens = 0;
  /** One report is enough to know that the server reports this. */
  #isReported = false;
  readonly #uncached: Map<number, BoundedSpread> = new Map();

  /** A completed request with the server's count of its prompt. @returns its cached tokens */
  ended({
    inputTokens,
    sentNs,
    firstContentNs,
    remark,
  }: Pick<EndedSample, 'inputTokens' | 'sentNs' | 'firstContentNs' | 'remark'>): number {
    const reported = remark?.cachedTokens ?? NO_FIGURE;
    if (reported !== NO_FIGURE) this.#isReported = true;
    // Servers that report it leave it out if it is zero (vLLM, the mock).
    const cached = reported === NO_FIGURE ? 0 : reported;
    this.#inputTokens += inputTokens;
    this.#cachedTokens += cached;
    if (firstContentNs !== NO_FIGURE)
      this.#uncachedTtft(Math.max(0, inputTokens - cached), firstContentNs - sentNs);
    return cached;
  }

  report(requestedShare: number | undefined): PrefixCache {
    return {
      hitShare: this.hitShare(),
      ...(requestedShare === undefined ? {} : { requestedShare }),
      byUncached: this.byUncached(),
    };
  }

  /** Of all requests, or of a part of them. */
  hitShare(cached: number = this.#cachedTokens, requested: number = this.#inputTokens): Reported<number> {
    return requested === 0 || !this.#isReported ? CACHE_UNREPORTED : cached / requested;
  }

  byUncached(): PrefixCache['byUncached'] {
    if (!this.#isReported) return CACHE_UNREPORTED;
    return [...this.#uncached]
      .toSorted(([a], [b]) => a - b)
      .flatMap(([bucket, ttfts]) => {
        const ttftNs = ttfts.figures();
        const from = bucket === 0 ? 0 : 2 ** (bucket - 1);
        return ttftNs === undefined ? [] : [{ from, to: 2 ** bucket, count: ttfts.count, ttftNs }];
      });
  }

  #uncachedTtft(tokens: number, ttftNs: number): void {
    const bucket = tokens === 0 ? 0 : Math.floor(Math.log2(tokens)) + 1;
    const kept = this.#uncached.get(bucket) ?? new BoundedSpread();
    kept.add(ttftNs);
    this.#uncached.set(bucket, kept);
  }
}

const CACHE_UNREPORTED = unknown('cached tokens are not reported by the server');
