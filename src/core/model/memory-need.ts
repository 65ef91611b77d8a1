// The memory that a model needs, and whether a device has it: weights, the cache of each slot, buffers, and
// what stays free.

import { isUnknown, type Unknown } from '../unknown.ts';
import { cacheBytes } from './cache-bytes.ts';
import { exactly, type Interval, type ModelFacts, multiplied, plus } from './model-facts.ts';

export interface MemoryNeed {
  readonly weightBytes: Interval;
  readonly cacheBytes: Interval;
  /** Buffers of computation, and what engines leave free. */
  readonly reserveBytes: Interval;
  readonly totalBytes: Interval;
}

export const memoryNeed = (
  { weights, cache }: Pick<ModelFacts, 'weights' | 'cache'>,
  {
    slots,
    contextTokens,
    cacheBytesPerElement,
  }: { readonly slots: number; readonly contextTokens: number; readonly cacheBytesPerElement: number },
): MemoryNeed | Unknown => {
  if (isUnknown(weights)) return weights;
  if (isUnknown(cache)) return cache;
  const cached = multiplied(
    cacheBytes(cache, { contextTokens, bytesPerElement: cacheBytesPerElement }),
    slots,
  );
  return {
    weightBytes: weights.totalBytes,
    cacheBytes: cached,
    reserveBytes: RESERVE_BYTES,
    totalBytes: plus(weights.totalBytes, cached, RESERVE_BYTES),
  };
};

export type Fit =
  | { readonly kind: 'fits'; readonly freeBytes: number }
  /** Only if everything that is not known exactly turns out small. */
  | { readonly kind: 'tight'; readonly missingBytes: number }
  | { readonly kind: 'does-not-fit'; readonly missingBytes: number };

export const fitOf = ({ totalBytes }: MemoryNeed, capacityBytes: number): Fit => {
  if (totalBytes.high <= capacityBytes) return { kind: 'fits', freeBytes: capacityBytes - totalBytes.high };
  if (totalBytes.low <= capacityBytes)
    return { kind: 'tight', missingBytes: totalBytes.high - capacityBytes };
  return { kind: 'does-not-fit', missingBytes: totalBytes.low - capacityBytes };
};

/** Tokens of context per slot that fit next to the weights; 0 if the weights alone do not fit. */
export const contextThatFits = (
  facts: Pick<ModelFacts, 'weights' | 'cache'>,
  {
    slots,
    capacityBytes,
    cacheBytesPerElement,
    contextMax,
  }: {
    readonly slots: number;
    readonly capacityBytes: number;
    readonly cacheBytesPerElement: number;
    readonly contextMax: number;
  },
): number => {
  let low = 0;
  let high = contextMax;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const need = memoryNeed(facts, { slots, contextTokens: middle, cacheBytesPerElement });
    if (isUnknown(need) || need.totalBytes.high > capacityBytes) high = middle - 1;
    else low = middle;
  }
  return low;
};

/** llama.cpp leaves 1 GiB of a device free; graphs and buffers take some hundred MB. */
const RESERVE_BYTES: Interval = plus(exactly(1024 ** 3), { low: 0, high: 512 * 1024 ** 2 });
