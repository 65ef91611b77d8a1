// How long reading a prompt takes: limited by arithmetic for a long prompt, by memory for a short one.

import type { Estimate } from '../sweep/stage.ts';
import { isUnknown, type Unknown, unknown } from '../unknown.ts';
import type { EngineConstants } from './engine-constants.ts';
import { type ModelFacts, multiplied, plus } from './model-facts.ts';
import { type ProductCeiling, productCeiling } from './product-precision.ts';
import { type DeviceCeiling, middle } from './step-time.ts';

export interface PrefillTime {
  /** At the fastest measured products that the engine could use. */
  readonly boundSeconds: number;
  readonly ceiling: ProductCeiling;
  readonly expectedSeconds: Estimate;
  readonly limit: 'compute' | 'weights' | 'links';
}

export const prefillTime = (
  { weights, cache, experts }: ModelFacts,
  {
    promptTokens,
    ceiling,
    constants,
  }: {
    readonly promptTokens: number;
    readonly ceiling: DeviceCeiling;
    readonly constants: EngineConstants;
  },
): PrefillTime | Unknown => {
  if (isUnknown(weights)) return weights;
  if (experts !== undefined && isUnknown(experts)) return experts;
  if (ceiling.operationsPerSecond === undefined) return unknown('no measured rate of 16-bit products');
  const everyToken = plus(
    weights.denseParameters,
    multiplied(weights.headParameters, -1),
    multiplied(weights.expertParameters, experts === undefined ? 0 : experts.used / experts.count),
  );
  const width = isUnknown(cache) || isUnknown(cache.attentionWidth) ? 0 : cache.attentionWidth;
  const attention = 2 * width * promptTokens * promptTokens;
  const operations = plus(multiplied(everyToken, 2 * promptTokens), multiplied(weights.headParameters, 2), {
    low: attention,
    high: attention,
  });
  const rate = ceiling.operationsPerSecond;
  const fastest = productCeiling(ceiling, constants.products);
  if (fastest === undefined) return unknown('its rate of 16-bit products was measured as 0');
  // A chunk of this size touches all experts.
  const chunks = prefillChunks(promptTokens);
  const moved = multiplied(plus(weights.denseBytes, weights.expertBytes), chunks / ceiling.bytesPerSecond);
  const boundSeconds = Math.max(operations.low / fastest.operationsPerSecond, moved.low);
  const share = constants.prefillShare;
  return {
    boundSeconds,
    ceiling: fastest,
    expectedSeconds: {
      value: Math.max(middle(operations) / (middle(share) * rate), middle(moved)),
      low: Math.max(operations.low / (share.high * rate), moved.low),
      high: Math.max(operations.high / (share.low * rate), moved.high),
    },
    limit: operations.low / rate >= moved.low ? 'compute' : 'weights',
  };
};

/** Number of chunks, which are read one after the other. */
export const prefillChunks = (promptTokens: number): number => Math.ceil(promptTokens / CHUNK_TOKENS);

/** By default engines read between 512 and 8,192 tokens of a prompt at once. */
const CHUNK_TOKENS = 2_048;
