// What one step of decoding moves and multiplies, by part: weights, experts, cache. They give the minimum
// time on a device with known memory bandwidth, which no engine can beat.

import { isUnknown, type Unknown } from '../unknown.ts';
import { cacheBytes, stateBytes } from './cache-bytes.ts';
import { exactly, type Interval, type ModelFacts, multiplied, plus } from './model-facts.ts';

interface DecodeLoad {
  /** Sequences in the batch. */
  readonly batch: number;
  /** Tokens in the cache of each. */
  readonly contextTokens: number;
  readonly cacheBytesPerElement: number;
}

/** Bytes read and operations done by one step that makes `batch` tokens. */
export interface DecodeStep {
  readonly weightBytes: Interval;
  /**
   * Experts that the batch's tokens choose: at least k of them, at most all that a uniform choice would
   * touch.
   */
  readonly expertBytes: Interval;
  readonly cacheBytes: Interval;
  readonly bytes: Interval;
  readonly operations: Interval;
}

/** @returns what is missing if the model does not report enough. */
export const decodeStep = (
  { weights, cache, experts }: ModelFacts,
  { batch, contextTokens, cacheBytesPerElement }: DecodeLoad,
): DecodeStep | Unknown => {
  if (isUnknown(weights)) return weights;
  if (isUnknown(cache)) return cache;
  if (experts !== undefined && isUnknown(experts)) return experts;
  const share = experts === undefined ? exactly(0) : expertShare(experts, batch);
  const expertBytes = {
    low: weights.expertBytes.low * share.low,
    high: weights.expertBytes.high * share.high,
  };
  const read = cacheBytes(cache, { contextTokens, bytesPerElement: cacheBytesPerElement });
  const cached = multiplied(plus(read, stateBytes(cache)), batch);
  const parameters = plus(
    weights.denseParameters,
    multiplied(weights.expertParameters, experts === undefined ? 0 : experts.used / experts.count),
  );
  const attention = isUnknown(cache.attentionWidth) ? 0 : 4 * cache.attentionWidth * contextTokens;
  return {
    weightBytes: weights.denseBytes,
    expertBytes,
    cacheBytes: cached,
    bytes: plus(weights.denseBytes, expertBytes, cached),
    operations: multiplied(plus(multiplied(parameters, 2), exactly(attention)), batch),
  };
};

/**
 * The share of a layer's experts that `batch` tokens touch. Each takes k of E: k/E at least, if all choose
 * the same, and 1 − (1 − k/E)^B if they choose evenly and independently. Real routing is in between.
 */
const expertShare = (
  { count, used }: { readonly count: number; readonly used: number },
  batch: number,
): Interval => {
  const each = used / count;
  return { low: each, high: 1 - (1 - each) ** batch };
};
