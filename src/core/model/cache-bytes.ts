// The cache of a sequence of a given length, which each further token reads.

import { exactly, type Interval, type ModelCache, multiplied, plus } from './model-facts.ts';

export type CacheType = 'f32' | 'f16' | 'bf16' | 'fp8' | 'q8_0' | 'q4_0';

/** For one sequence with this many tokens of context. */
export const cacheBytes = (
  { groups }: Pick<ModelCache, 'groups'>,
  { contextTokens, bytesPerElement }: { readonly contextTokens: number; readonly bytesPerElement: number },
): Interval =>
  plus(
    ...groups.map(group => {
      switch (group.kind) {
        case 'full':
          return exactly(group.layers * group.elementsPerToken * contextTokens * bytesPerElement);
        case 'window':
          return exactly(
            group.layers * group.elementsPerToken * Math.min(contextTokens, group.window) * bytesPerElement,
          );
        case 'state':
          return multiplied(group.bytes, group.layers);
        default:
          return group satisfies never;
      }
    }),
  );

/** Growth per further token of context once every window is full. */
export const cacheBytesPerToken = ({ groups }: Pick<ModelCache, 'groups'>, bytesPerElement: number): number =>
  groups.reduce(
    (sum, group) =>
      group.kind === 'full' ? sum + group.layers * group.elementsPerToken * bytesPerElement : sum,
    0,
  );

/** States of constant size, which each step writes back as well. */
export const stateBytes = ({ groups }: Pick<ModelCache, 'groups'>): Interval =>
  plus(...groups.map(group => (group.kind === 'state' ? multiplied(group.bytes, group.layers) : exactly(0))));

/** Bytes of one number in the cache: llama.cpp's `--cache-type-k`, vLLM's `--kv-cache-dtype`. */
export const CACHE_TYPES: Readonly<Record<CacheType, number>> = {
  f32: 4,
  f16: 2,
  bf16: 2,
  fp8: 1,
  q8_0: 34 / 32,
  q4_0: 18 / 32,
};
