// How many weights a model has, from the sizes in its config: the multiplied ones, and their bytes in the config's
// quantisation. Used only if the weights themselves are not available; norms and biases, a few per mille, are left
// out.

import { exactly, type Interval, type ModelWeights, multiplied, plus } from '../../core/model/model-facts.ts';
import { type Reported, unknown } from '../../core/unknown.ts';
import type { ModelConfig } from './model-config.ts';

export const configWeights = (config: ModelConfig, notes: string[]): Reported<ModelWeights> => {
  const { layers, hiddenSize: hidden, vocabulary, experts, quantisation } = config;
  if (layers === undefined || hidden === undefined) return unknown('the config contains no layers or sizes');
  if (vocabulary === undefined) return unknown('the config contains no vocabulary');
  const attention = attentionWeights(config, hidden);
  if (attention === undefined) return unknown('the config contains no attention heads, or not their size');
  if (config.linear !== undefined || config.layerTypes?.some(type => /linear|mamba|conv/.test(type)))
    return unknown('layers without attention: name the weights themselves for their sizes');
  const gated = gating(config, notes);
  const expertLayers = experts === undefined ? 0 : Math.max(0, layers - experts.denseLayers);
  const denseLayers = layers - expertLayers;
  if (denseLayers > 0 && config.intermediateSize === undefined)
    return unknown('the config contains no intermediate size');
  const blocks = plus(
    exactly(layers * attention),
    multiplied(gated, denseLayers * hidden * (config.intermediateSize ?? 0)),
    multiplied(gated, expertLayers * hidden * (experts?.sharedIntermediateSize ?? 0)),
    exactly(expertLayers * hidden * (experts?.count ?? 0)),
  );
  const routed = multiplied(
    gated,
    expertLayers * (experts?.count ?? 0) * hidden * (experts?.intermediateSize ?? 0),
  );
  const head = vocabulary * hidden;
  const bytes = (parameters: Interval, bits: Interval): Interval => ({
    low: (parameters.low * bits.low) / 8,
    high: (parameters.high * bits.high) / 8,
  });
  const headBytes = bytes(exactly(head), quantisation.headBitsPerWeight);
  const isTied = config.isTied ?? false;
  if (config.isTied === undefined)
    notes.push('the config does not contain whether head and embeddings are one: they count as two');
  const denseBytes = plus(bytes(blocks, quantisation.bitsPerWeight), headBytes);
  const expertBytes = bytes(routed, quantisation.bitsPerWeight);
  return {
    totalBytes: plus(denseBytes, expertBytes, isTied ? exactly(0) : headBytes),
    denseBytes,
    expertBytes,
    denseParameters: plus(blocks, exactly(head)),
    expertParameters: routed,
    headParameters: exactly(head),
  };
};

/** Weights of one layer: projections of queries, keys, values and of the output. */
const attentionWeights = (
  { heads, keyValueHeads, headSize, latent }: ModelConfig,
  hidden: number,
): number | undefined => {
  if (heads === undefined) return undefined;
  if (latent !== undefined) {
    const { keyValueRank, ropeSize, queryRank, nopeSize, valueSize } = latent;
    if (nopeSize === undefined || valueSize === undefined) return undefined;
    const queries = heads * (nopeSize + ropeSize);
    return (
      (queryRank === undefined ? hidden * queries : hidden * queryRank + queryRank * queries) +
      hidden * (keyValueRank + ropeSize) +
      keyValueRank * heads * (nopeSize + valueSize) +
      heads * valueSize * hidden
    );
  }
  if (keyValueHeads === undefined || headSize === undefined) return undefined;
  return 2 * hidden * heads * headSize + 2 * hidden * keyValueHeads * headSize;
};

/** Matrices of one feed-forward network: three with gating, else two. */
const gating = ({ modelType }: ModelConfig, notes: string[]): Interval => {
  if (modelType !== undefined && GATED.test(modelType)) return exactly(3);
  if (modelType !== undefined && UNGATED.test(modelType)) return exactly(2);
  notes.push(
    `whether ${modelType ?? 'this architecture'} gates its feed-forward network is not known: two or three matrices`,
  );
  return { low: 2, high: 3 };
};

const GATED =
  /^(llama|mistral|mixtral|ministral|qwen[23]|gemma|phi3|deepseek|glm4|gpt_oss|olmo|granite|cohere|command|internlm|yi|minimax|kimi|exaone|hunyuan|ernie4|smollm|seed_oss|dots1|longcat)/;
const UNGATED = /^(gpt2|gpt_neo|gptj|gpt_bigcode|opt|bloom|falcon|phi$|phi-msft|starcoder2|mpt|nemotron$)/;
