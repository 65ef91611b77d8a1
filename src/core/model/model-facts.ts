// What a model's own files or its server say of it, as far as the cost of running it follows from that: which bytes a token
// needs, what the cache holds, how much is multiplied. Nothing is filled in from a model's name; what is not told is unknown,
// or an interval that is as wide as what is possible.

import type { Reported } from '../unknown.ts';

export interface ModelFacts {
  /** As the file or the server calls it. */
  readonly name: string;
  /** "llama", "qwen3moe", "deepseek2". */
  readonly architecture: Reported<string>;
  readonly source: ModelSource;
  /** Transformer blocks that every token passes; blocks that only guess ahead (MTP) are not among them. */
  readonly layers: Reported<number>;
  readonly hiddenSize: Reported<number>;
  /** Tokens of context that the model was trained for. */
  readonly contextMax: Reported<number>;
  /** "Q4_K 4.86 bits a weight", as the tensors have it. */
  readonly quantisation: Reported<string>;
  readonly weights: Reported<ModelWeights>;
  readonly cache: Reported<ModelCache>;
  /** Undefined for a dense model. */
  readonly experts: Reported<ModelExperts> | undefined;
  /** What was assumed or is missing, in sentences. Each one widens an interval, or leaves a figure out. */
  readonly notes: readonly string[];
}

export type ModelSource = {
  readonly kind: 'gguf' | 'safetensors' | 'config' | 'server';
  /** The file, folder or URL. */
  readonly place: string;
};

/** Low and high are equal where something is exact. */
export type Interval = { readonly low: number; readonly high: number };

/** Bytes as they lie in memory, by what happens to them in a step. */
export type ModelWeights = {
  /** Everything that must be held. */
  readonly totalBytes: Interval;
  /** Read for every step, whatever the batch: all but tables that are looked up, and routed experts. */
  readonly denseBytes: Interval;
  /** All routed experts of all layers; 0 for a dense model. */
  readonly expertBytes: Interval;
  /** Weights multiplied with each token, without routed experts; a multiplication and an addition each. */
  readonly denseParameters: Interval;
  readonly expertParameters: Interval;
  /** Of `denseParameters`, those of the output head: multiplied once a request in prefill, not once a token. */
  readonly headParameters: Interval;
};

/** A type, not an interface: it stands in `Reported`. */
export type ModelExperts = {
  /** Routed experts of one layer. */
  readonly count: number;
  /** Chosen for each token. */
  readonly used: number;
  readonly layers: Reported<number>;
};

/** What a sequence leaves behind in each layer. */
export type ModelCache = {
  readonly groups: readonly CacheGroup[];
  /** Heads over which tensor parallelism can part the cache; unknown where a latent is cached, which each part holds whole. */
  readonly keyValueHeads: Reported<number>;
  /** Σ over layers of query heads × head size: what attention multiplies for each pair of tokens. */
  readonly attentionWidth: Reported<number>;
};

/** Layers that are alike. */
export type CacheGroup =
  /** Numbers kept for each token of context. */
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
