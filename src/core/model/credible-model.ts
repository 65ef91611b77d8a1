// Limits the facts of a model to plausible values: a header, a server or a program may claim anything, and
// nothing is computed from a model that no machine could store. The result would be figures without limit, or
// a search over billions of layers.

import { isUnknown, type Reported, unknown } from '../unknown.ts';
import type { Interval, ModelCache, ModelFacts, ModelWeights } from './model-facts.ts';

const MODEL_LAYERS_MAX = 4_096;

/** The same facts; impossible ones are unknown, with what was claimed. */
export const credibleModel = (model: ModelFacts): ModelFacts => ({
  ...model,
  layers: within(model.layers, 'layers', { least: 1, most: MODEL_LAYERS_MAX }),
  hiddenSize: within(model.hiddenSize, 'wide', { least: 1, most: WIDTH_MOST }),
  weights: isUnknown(model.weights) ? model.weights : credibleWeights(model.weights),
  cache: isUnknown(model.cache) ? model.cache : credibleCache(model.cache),
});

const within = (
  reported: Reported<number>,
  what: string,
  { least, most }: { readonly least: number; readonly most: number },
): Reported<number> =>
  isUnknown(reported) || (reported >= least && reported <= most)
    ? reported
    : unknown(`it claims to have ${reported} ${what}, which no model has`);

const credibleWeights = (weights: ModelWeights): Reported<ModelWeights> => {
  const { denseBytes, expertBytes } = weights;
  if (denseBytes.high + expertBytes.high < 1) return unknown('it claims to have no weights');
  return Object.values(weights).every(isCredible)
    ? weights
    : unknown('it claims more weights than any machine holds');
};

const credibleCache = (cache: ModelCache): Reported<ModelCache> => {
  const { groups, attentionWidth } = cache;
  const isSmall =
    groups.every(group => {
      const perLayer = group.kind === 'state' ? group.bytes.high : group.elementsPerToken;
      return group.layers <= MODEL_LAYERS_MAX && perLayer <= CACHE_MOST;
    }) &&
    (isUnknown(attentionWidth) || attentionWidth <= WIDTH_MOST * MODEL_LAYERS_MAX);
  return isSmall ? cache : unknown('it claims a cache that no machine holds');
};

const isCredible = ({ high }: Interval): boolean => high <= WEIGHTS_MOST;

/** A thousand times the largest that people run. */
const WIDTH_MOST = 16_777_216;
const WEIGHTS_MOST = 1e18;
/** For one layer: elements per token, or bytes of its state. */
const CACHE_MOST = 1e12;
