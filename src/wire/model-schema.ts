// The facts from a model's header, as one page passes them to another in its address. They come from outside:
// every text, list and interval has its limit.

import * as v from 'valibot';
import {
  type CacheGroup,
  type Interval,
  type ModelCache,
  type ModelExperts,
  type ModelFacts,
  type ModelWeights,
  sourceSchema,
} from '../core/model/model-facts.ts';
import { bytes, list, nonNegative, reported, text } from '../core/schema.ts';

const intervalSchema: v.GenericSchema<unknown, Interval> = v.pipe(
  v.object({ low: nonNegative, high: nonNegative }),
  v.check(({ low, high }) => low <= high, 'its low end is above its high end'),
);

const weightsSchema: v.GenericSchema<unknown, ModelWeights> = v.object({
  totalBytes: intervalSchema,
  denseBytes: intervalSchema,
  expertBytes: intervalSchema,
  denseParameters: intervalSchema,
  expertParameters: intervalSchema,
  headParameters: intervalSchema,
});

const groupSchema: v.GenericSchema<unknown, CacheGroup> = v.variant('kind', [
  v.object({ kind: v.literal('full'), layers: bytes, elementsPerToken: nonNegative }),
  v.object({ kind: v.literal('window'), layers: bytes, elementsPerToken: nonNegative, window: bytes }),
  v.object({ kind: v.literal('state'), layers: bytes, bytes: intervalSchema }),
]);

const cacheSchema: v.GenericSchema<unknown, ModelCache> = v.object({
  groups: list(groupSchema),
  keyValueHeads: reported(bytes),
  attentionWidth: reported(nonNegative),
});

const expertsSchema: v.GenericSchema<unknown, ModelExperts> = v.pipe(
  v.object({ count: bytes, used: bytes, layers: reported(bytes) }),
  v.check(({ count, used }) => used >= 1 && used <= count, 'it uses more experts than it has'),
);

export const modelFactsSchema: v.GenericSchema<unknown, ModelFacts> = v.pipe(
  v.object({
    name: text,
    architecture: reported(text),
    source: sourceSchema,
    layers: reported(bytes),
    hiddenSize: reported(bytes),
    contextMax: reported(bytes),
    quantisation: reported(text),
    weights: reported(weightsSchema),
    cache: reported(cacheSchema),
    experts: v.exactOptional(reported(expertsSchema)),
    notes: list(text),
  }),
  // A dense model has the field with the value undefined, which JSON cannot represent.
  v.transform(facts => ({ ...facts, experts: facts.experts })),
);
