// What one of several devices has of a model: some of its layers, each split into a number of parts. Tables
// and the output head are counted as spread over the layers.

import { isUnknown, knownOr } from '../unknown.ts';
import {
  type CacheGroup,
  type ModelCache,
  type ModelFacts,
  type ModelWeights,
  multiplied,
} from './model-facts.ts';

/** The code for an unknown number of heads if a latent is cached: each part stores all of it. */
export const LATENT = 'latent';

/** @param parts how many devices share each of these layers, evenly. */
export const modelPart = (
  model: ModelFacts,
  { layers, parts }: { readonly layers: number; readonly parts: number },
): ModelFacts => {
  const all = knownOr(model.layers, layers);
  const share = all === 0 ? 0 : layers / all;
  const { weights, cache } = model;
  return {
    ...model,
    layers: isUnknown(model.layers) ? model.layers : layers,
    weights: isUnknown(weights) ? weights : weightsPart(weights, share / parts),
    cache: isUnknown(cache) ? cache : cachePart(cache, share, parts),
  };
};

/** Whether devices can share each layer: their number must divide the heads of the cache. */
export const canShareLayers = ({ cache }: Pick<ModelFacts, 'cache'>, parts: number): boolean => {
  if (isUnknown(cache)) return false;
  const heads = cache.keyValueHeads;
  return isUnknown(heads) ? heads.code === LATENT : heads % parts === 0;
};

const weightsPart = (weights: ModelWeights, share: number): ModelWeights => ({
  totalBytes: multiplied(weights.totalBytes, share),
  denseBytes: multiplied(weights.denseBytes, share),
  expertBytes: multiplied(weights.expertBytes, share),
  denseParameters: multiplied(weights.denseParameters, share),
  expertParameters: multiplied(weights.expertParameters, share),
  headParameters: multiplied(weights.headParameters, share),
});

const cachePart = (cache: ModelCache, share: number, parts: number): ModelCache => {
  const isWhole = isUnknown(cache.keyValueHeads) && cache.keyValueHeads.code === LATENT;
  const partShare = isWhole ? share : share / parts;
  return {
    ...cache,
    groups: cache.groups.map((group): CacheGroup => ({ ...group, layers: group.layers * partShare })),
    attentionWidth: isUnknown(cache.attentionWidth)
      ? cache.attentionWidth
      : (cache.attentionWidth * share) / parts,
  };
};
