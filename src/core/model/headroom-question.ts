// The parameters of a question about a model: engine, length of the context, number of sequences.

import { CACHE_TYPES, type CacheType } from './cache-bytes.ts';
import type { Engine } from './engine-constants.ts';

export interface HeadroomQuestion {
  readonly engine: Engine;
  /** Tokens in the cache of each sequence; prefill is for a prompt of that length. */
  readonly contextTokens: number;
  /** Tokens that each request generates, if requests follow each other. */
  readonly outputTokens: number;
  /** Sequences at once. */
  readonly batch: number;
  readonly cacheType: CacheType;
}

/** What must be in memory for it: a cache of that length for each sequence. */
export const storedBy = ({
  batch,
  contextTokens,
  cacheType,
}: HeadroomQuestion): {
  readonly slots: number;
  readonly contextTokens: number;
  readonly cacheBytesPerElement: number;
} => ({ slots: batch, contextTokens, cacheBytesPerElement: CACHE_TYPES[cacheType] });
