// The facts of a model from its config.json, and the headers of its safetensors if they are available: structure from
// the former, bytes from the latter.

import {
  type CacheGroup,
  exactly,
  type Interval,
  isExact,
  type ModelCache,
  type ModelFacts,
  type ModelWeights,
  multiplied,
  plus,
} from '../../core/model/model-facts.ts';
import { LATENT } from '../../core/model/model-part.ts';
import { isUnknown, type Reported, unknown } from '../../core/unknown.ts';
import type { SafeTensor } from '../safetensors/read-safetensors.ts';
import { safetensorWeights } from '../safetensors/safetensor-weights.ts';
import type { ConfigLinear, ModelConfig } from './model-config.ts';

/** @param tensors of all files of the model; undefined if only the config is available. */
export const configFacts = (config: ModelConfig, tensors?: readonly SafeTensor[]): ModelFacts => {
  const notes: string[] = [];
  const { quantisation, layers, experts } = config;
  const weights =
    tensors === undefined ? configWeights(config, notes) : safetensorWeights(tensors, config, notes);
  if (tensors === undefined) {
    notes.push('bytes are counted from the sizes in the config; the weights themselves would be exact');
    if (quantisation.note !== undefined) notes.push(quantisation.note);
  }
  const { low, high } = quantisation.bitsPerWeight;
  const bits = low === high ? `${low}` : `${low} to ${high}`;
  return {
    name: config.location.split(/[\\/]/).at(-2) ?? config.location,
    architecture: config.modelType ?? unknown('not contained in the config'),
    source: { kind: tensors === undefined ? 'config' : 'safetensors', location: config.location },
    layers: layers ?? unknown('not contained in the config'),
    hiddenSize: config.hiddenSize ?? unknown('not contained in the config'),
    contextMax: config.contextMax ?? unknown('not contained in the config'),
    quantisation: `${quantisation.label}, ${bits} bits a weight`,
    weights,
    cache: configCache(config, notes),
    experts:
      experts === undefined
        ? !isUnknown(weights) && isExact(weights.expertBytes) && weights.expertBytes.low > 0
          ? unknown('the model has experts and its config does not state how many a token uses')
          : undefined
        : {
            count: experts.count,
            used: experts.used,
            layers:
              layers === undefined ? unknown('the config contains no layers') : layers - experts.denseLayers,
          },
    notes,
  };
};

// The size of each layer's cache in a model with a config.json.
const configCache = (config: ModelConfig, notes: string[]): Reported<ModelCache> => {
  const { layers, heads, keyValueHeads, headSize, latent } = config;
  if (layers === undefined) return unknown('the config contains no layers');
  if (heads === undefined) return unknown('the config contains no attention heads');
  const kinds = layerKinds(config, layers, notes);
  const attending = kinds.filter(kind => kind !== 'state').length;
  if (latent !== undefined) {
    const elementsPerToken = latent.keyValueRank + latent.ropeSize;
    const width = (latent.nopeSize ?? 0) + latent.ropeSize;
    return {
      groups: [{ kind: 'full', layers, elementsPerToken }],
      keyValueHeads: unknown('a latent is cached, which every part holds whole', LATENT),
      attentionWidth:
        latent.nopeSize === undefined
          ? unknown('the config contains no size of a query head')
          : layers * heads * width,
    };
  }
  if (keyValueHeads === undefined || headSize === undefined)
    return unknown('the config contains no heads of keys and values, or not their size');
  const elementsPerToken = 2 * keyValueHeads * headSize;
  const of = (kind: LayerKind): number => kinds.filter(one => one === kind).length;
  const groups: CacheGroup[] = [];
  if (of('full') > 0) groups.push({ kind: 'full', layers: of('full'), elementsPerToken });
  if (of('window') > 0)
    groups.push({ kind: 'window', layers: of('window'), elementsPerToken, window: config.window ?? 0 });
  if (of('state') > 0) {
    if (config.linear === undefined)
      return unknown('the config has layers without attention, and does not contain the size of their state');
    groups.push({ kind: 'state', layers: of('state'), bytes: linearStateBytes(config.linear) });
  }
  return { groups, keyValueHeads, attentionWidth: attending * heads * headSize };
};

type LayerKind = 'full' | 'window' | 'state';

const layerKinds = (config: ModelConfig, layers: number, notes: string[]): readonly LayerKind[] => {
  const { layerTypes, window, fullEvery, linear } = config;
  if (layerTypes !== undefined && layerTypes.length >= layers)
    return layerTypes.slice(0, layers).map(type => {
      if (/linear|mamba|recurrent|conv/.test(type)) return 'state';
      return /sliding|chunked|local/.test(type) && window !== undefined ? 'window' : 'full';
    });
  const otherwise: LayerKind | undefined =
    linear !== undefined ? 'state' : window !== undefined ? 'window' : undefined;
  if (otherwise === undefined) return new Array<LayerKind>(layers).fill('full');
  if (fullEvery !== undefined && fullEvery > 0)
    return Array.from({ length: layers }, (_, layer) =>
      layer % fullEvery === fullEvery - 1 ? 'full' : otherwise,
    );
  if (otherwise === 'window')
    notes.push(
      `the config contains a window of ${window} tokens, and not which layers have it: all count as without, which reads more`,
    );
  return new Array<LayerKind>(layers).fill('full');
};

/** A matrix of key × value a head, in 16 or 32 bits, and the last inputs of its convolution. */
const linearStateBytes = ({ keyHeads, valueHeads, keySize, valueSize, kernel }: ConfigLinear): Interval => {
  const matrix = valueHeads * keySize * valueSize;
  const inputs = Math.max(0, kernel - 1) * (2 * keyHeads * keySize + valueHeads * valueSize);
  const { low } = exactly(2 * (matrix + inputs));
  return { low, high: 2 * low };
};

// How many weights a model has, from the sizes in its config: the multiplied ones, and their bytes in the config's
// quantisation. Used only if the weights themselves are not available; norms and biases, a few per mille, are left
// out.
const configWeights = (config: ModelConfig, notes: string[]): Reported<ModelWeights> => {
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
    notes.push('the config does not state whether head and embeddings are one: they count as two');
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
