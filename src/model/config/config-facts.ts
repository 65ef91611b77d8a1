// The facts of a model from its config.json, and the headers of its safetensors if they are available: structure from
// the former, bytes from the latter.

import { isExact, type ModelFacts } from '../../core/model/model-facts.ts';
import { isUnknown, unknown } from '../../core/unknown.ts';
import type { SafeTensor } from '../safetensors/read-safetensors.ts';
import { safetensorWeights } from '../safetensors/safetensor-weights.ts';
import { configCache } from './config-cache.ts';
import { configWeights } from './config-weights.ts';
import type { ModelConfig } from './model-config.ts';

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
    name: config.place.split(/[\\/]/).at(-2) ?? config.place,
    architecture: config.modelType ?? unknown('not contained in the config'),
    source: { kind: tensors === undefined ? 'config' : 'safetensors', place: config.place },
    layers: layers ?? unknown('not contained in the config'),
    hiddenSize: config.hiddenSize ?? unknown('not contained in the config'),
    contextMax: config.contextMax ?? unknown('not contained in the config'),
    quantisation: `${quantisation.label}, ${bits} bits a weight`,
    weights,
    cache: configCache(config, notes),
    experts:
      experts === undefined
        ? !isUnknown(weights) && isExact(weights.expertBytes) && weights.expertBytes.low > 0
          ? unknown('the model has experts and its config does not contain how many a token uses')
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
