// The facts of a model from its config.json, and, where they are at hand, from the headers of its safetensors: structure from the
// one, bytes from the other.

import { isExact, type ModelFacts } from '../../core/model/model-facts.ts';
import { isUnknown, unknown } from '../../core/unknown.ts';
import type { SafeTensor } from '../safetensors/read-safetensors.ts';
import { safetensorWeights } from '../safetensors/safetensor-weights.ts';
import { configCache } from './config-cache.ts';
import { configWeights } from './config-weights.ts';
import type { ModelConfig } from './model-config.ts';

/** @param tensors of all files of the model; undefined where only the config is at hand. */
export const configFacts = (config: ModelConfig, tensors?: readonly SafeTensor[]): ModelFacts => {
  const notes: string[] = [];
  const { quantisation, layers, experts } = config;
  const weights =
    tensors === undefined ? configWeights(config, notes) : safetensorWeights(tensors, config, notes);
  if (tensors === undefined) {
    notes.push(
      'bytes are counted from the sizes in the config; the weights themselves would tell them exactly',
    );
    if (quantisation.note !== undefined) notes.push(quantisation.note);
  }
  const { low, high } = quantisation.bitsPerWeight;
  const bits = low === high ? `${low}` : `${low} to ${high}`;
  return {
    name: config.place.split(/[\\/]/).at(-2) ?? config.place,
    architecture: config.modelType ?? unknown('the config does not tell it'),
    source: { kind: tensors === undefined ? 'config' : 'safetensors', place: config.place },
    layers: layers ?? unknown('the config does not tell it'),
    hiddenSize: config.hiddenSize ?? unknown('the config does not tell it'),
    contextMax: config.contextMax ?? unknown('the config does not tell it'),
    quantisation: `${quantisation.label}, ${bits} bits a weight`,
    weights,
    cache: configCache(config, notes),
    experts:
      experts === undefined
        ? !isUnknown(weights) && isExact(weights.expertBytes) && weights.expertBytes.low > 0
          ? unknown('the model has experts and its config does not tell how many a token uses')
          : undefined
        : {
            count: experts.count,
            used: experts.used,
            layers:
              layers === undefined ? unknown('the config tells no layers') : layers - experts.denseLayers,
          },
    notes,
  };
};
