// What a model's own files or its server report about it, as far as the cost of running it depends on it: the
// bytes that a token needs, the size of the cache, the number of products. Nothing is filled in from a
// model's name; what is not reported is unknown, or an interval of all possible values.

import * as v from 'valibot';
import { type Infer, text } from '../schema.ts';
import type { Reported } from '../unknown.ts';

export interface ModelFacts {
  /** As in the file or reported by the server. */
  readonly name: string;
  /** "llama", "qwen3moe", "deepseek2". */
  readonly architecture: Reported<string>;
  readonly source: ModelSource;
  /** Transformer blocks that every token passes, without blocks that only predict ahead (MTP). */
  readonly layers: Reported<number>;
  readonly hiddenSize: Reported<number>;
  /** Tokens of context that the model was trained for. */
  readonly contextMax: Reported<number>;
  /** "Q4_K 4.86 bits a weight", from the tensors. */
  readonly quantisation: Reported<string>;
  readonly weights: Reported<ModelWeights>;
  readonly cache: Reported<ModelCache>;
  /** Undefined for a dense model. */
  readonly experts: Reported<ModelExperts> | undefined;
  /**
   * What was assumed or is missing, one sentence each. Each one widens an interval, or leaves a figure out.
   */
  readonly notes: readonly string[];
}

export const sourceSchema = v.object({
  kind: v.picklist(['gguf', 'safetensors', 'config', 'server']),
  /** The file, folder or URL. */
  location: text,
});

export type ModelSource = Infer<typeof sourceSchema>;

/** Low and high are equal for an exact value. */
export type Interval = { readonly low: number; readonly high: number };

/** Bytes in memory, by how a step uses them. */
export type ModelWeights = {
  /** Everything that must be in memory. */
  readonly totalBytes: Interval;
  /** Read for every step at any batch size: all but lookup tables and routed experts. */
  readonly denseBytes: Interval;
  /** All routed experts of all layers; 0 for a dense model. */
  readonly expertBytes: Interval;
  /** Weights multiplied with each token, without routed experts; a multiplication and an addition each. */
  readonly denseParameters: Interval;
  readonly expertParameters: Interval;
  /**
   * The part of `denseParameters` in the output head: multiplied once per request in prefill, not once per
   * token.
   */
  readonly headParameters: Interval;
};

/** A type, not an interface: it is used in `Reported`. */
export type ModelExperts = {
  /** Routed experts of one layer. */
  readonly count: number;
  /** Chosen for each token. */
  readonly used: number;
  readonly layers: Reported<number>;
};

/** What a sequence stores in each layer. */
export type ModelCache = {
  readonly groups: readonly CacheGroup[];
  /**
   * Heads over which tensor parallelism can split the cache; unknown if a latent is cached, which each part
   * stores whole.
   */
  readonly keyValueHeads: Reported<number>;
  /** Σ over layers of query heads × head size: what attention multiplies for each pair of tokens. */
  readonly attentionWidth: Reported<number>;
};

/** Layers of equal form. */
export type CacheGroup =
  /** Numbers stored for each token of context. */
  | { readonly kind: 'full'; readonly layers: number; readonly elementsPerToken: number }
  /** The same up to `window` tokens, then constant. */
  | {
      readonly kind: 'window';
      readonly layers: number;
      readonly elementsPerToken: number;
      readonly window: number;
    }
  /** A state of constant size, read and written in each step (Mamba, linear attention). */
  | { readonly kind: 'state'; readonly layers: number; readonly bytes: Interval };

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
