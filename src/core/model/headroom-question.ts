// What is asked of a model: with which engine, how long the context, how many at once.

import { CACHE_TYPES, type CacheType } from './cache-bytes.ts';
import type { Engine } from './engine-constants.ts';

export interface HeadroomQuestion {
  readonly engine: Engine;
  /** Tokens in the cache of each sequence; a prompt of that length is what prefill is of. */
  readonly contextTokens: number;
  /** Tokens that each request asks for, where requests follow each other. */
  readonly outputTokens: number;
  /** Sequences at once. */
  readonly batch: number;
  readonly cacheType: CacheType;
}

/** What has to be held for it: a cache of that length for each sequence. */
export const heldBy = ({
  batch,
  contextTokens,
  cacheType,
}: HeadroomQuestion): {
  readonly slots: number;
  readonly contextTokens: number;
  readonly cacheBytesPerElement: number;
} => ({ slots: batch, contextTokens, cacheBytesPerElement: CACHE_TYPES[cacheType] });
