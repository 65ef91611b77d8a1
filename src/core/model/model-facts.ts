// What a model's own files or its server report about it, as far as the cost of running it depends on it: the
// bytes that a token needs, the size of the cache, the number of products. Nothing is filled in from a
// model's name; what is not reported is unknown, or an interval of all possible values.

import * as v from 'valibot';
import { bytes, type Infer, list, nonNegative, openObject, reported, text } from '../schema.ts';
import { isUnknown } from '../unknown.ts';

export const sourceSchema = openObject({
  kind: v.picklist(['gguf', 'safetensors', 'config', 'server']),
  /** The file, folder or URL. */
  location: text,
});

export type ModelSource = Infer<typeof sourceSchema>;

const intervalSchema = openObject({ low: nonNegative, high: nonNegative });

/** Low and high are equal for an exact value. */
export type Interval = Infer<typeof intervalSchema>;

const weightsSchema = openObject({
  /** Everything that must be in memory. */
  totalBytes: intervalSchema,
  /** Read for every step at any batch size: all but lookup tables and routed experts. */
  denseBytes: intervalSchema,
  /** All routed experts of all layers; 0 for a dense model. */
  expertBytes: intervalSchema,
  /** Weights multiplied with each token, without routed experts; a multiplication and an addition each. */
  denseParameters: intervalSchema,
  expertParameters: intervalSchema,
  /**
   * The part of `denseParameters` in the output head: multiplied once per request in prefill, not once per
   * token.
   */
  headParameters: intervalSchema,
});

/** Bytes in memory, by how a step uses them. */
export type ModelWeights = Infer<typeof weightsSchema>;

const groupSchema = v.variant('kind', [
  /** Numbers stored for each token of context. */
  openObject({ kind: v.literal('full'), layers: bytes, elementsPerToken: nonNegative }),
  /** The same up to `window` tokens, then constant. */
  openObject({ kind: v.literal('window'), layers: bytes, elementsPerToken: nonNegative, window: bytes }),
  /** A state of constant size, read and written in each step (Mamba, linear attention). */
  openObject({ kind: v.literal('state'), layers: bytes, bytes: intervalSchema }),
]);

/** Layers of equal form. */
export type CacheGroup = Infer<typeof groupSchema>;

const cacheSchema = openObject({
  groups: list(groupSchema),
  /**
   * Heads over which tensor parallelism can split the cache; unknown if a latent is cached, which each part
   * stores whole.
   */
  keyValueHeads: reported(bytes),
  /** Σ over layers of query heads × head size: what attention multiplies for each pair of tokens. */
  attentionWidth: reported(nonNegative),
});

/** What a sequence stores in each layer. */
export type ModelCache = Infer<typeof cacheSchema>;

const expertsSchema = openObject({
  /** Routed experts of one layer. */
  count: bytes,
  /** Chosen for each token. */
  used: bytes,
  layers: reported(bytes),
});

export type ModelExperts = Infer<typeof expertsSchema>;

/** As an event carries them: what they contradict is found where they are used. */
export const carriedFactsSchema = openObject({
  /** As in the file or reported by the server. */
  name: text,
  /** "llama", "qwen3moe", "deepseek2". */
  architecture: reported(text),
  source: sourceSchema,
  /** Transformer blocks that every token passes, without blocks that only predict ahead (MTP). */
  layers: reported(bytes),
  hiddenSize: reported(bytes),
  /** Tokens of context that the model was trained for. */
  contextMax: reported(bytes),
  /** "Q4_K 4.86 bits a weight", from the tensors. */
  quantisation: reported(text),
  weights: reported(weightsSchema),
  cache: reported(cacheSchema),
  experts: v.exactOptional(reported(expertsSchema)),
  /**
   * What was assumed or is missing, one sentence each. Each one widens an interval, or leaves a figure out.
   */
  notes: list(text),
});

/** One page passes it to another in its address, from outside: every text, list and interval has its limit. */
export const modelFactsSchema = v.pipe(
  carriedFactsSchema,
  v.check(facts => isConsistent(facts), 'it contradicts itself'),
  // A dense model has the field with the value undefined, which JSON cannot represent.
  v.transform(facts => ({ ...facts, experts: facts.experts })),
);

/** No interval ends below its start, and no more experts are used than there are. */
export const isConsistent = ({ weights, cache, experts }: CarriedFacts): boolean => {
  const states = isUnknown(cache)
    ? []
    : cache.groups.flatMap(group => (group.kind === 'state' ? [group.bytes] : []));
  return (
    [...(isUnknown(weights) ? [] : Object.values(weights).filter(isInterval)), ...states].every(
      ({ low, high }) => low <= high,
    ) &&
    (experts === undefined || isUnknown(experts) || (experts.used >= 1 && experts.used <= experts.count))
  );
};

/** A newer version may add a field that is none. */
const isInterval = (value: unknown): value is Interval =>
  typeof value === 'object' && value !== null && 'low' in value && 'high' in value;

export type CarriedFacts = Infer<typeof carriedFactsSchema>;

/** Without what only its own machine should see: the path of its file, and notes, which may name it. */
export const carriedFacts = ({ experts, source: { kind }, ...facts }: ModelFacts): CarriedFacts => ({
  ...facts,
  source: { kind, location: '' },
  notes: [],
  ...(experts === undefined ? {} : { experts }),
});

export type ModelFacts = Infer<typeof modelFactsSchema>;

export const exactly = (value: number): Interval => ({ low: value, high: value });

export const plus = (...intervals: readonly Interval[]): Interval => ({
  low: intervals.reduce((sum, { low }) => sum + low, 0),
  high: intervals.reduce((sum, { high }) => sum + high, 0),
});

export const multiplied = ({ low, high }: Interval, factor: number): Interval => ({
  low: low * factor,
  high: high * factor,
});

export const isExact = ({ low, high }: Interval): boolean => low === high;
