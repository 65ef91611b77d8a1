// The size of each layer's cache in a model with a config.json.

import { type CacheGroup, exactly, type Interval, type ModelCache } from '../../core/model/model-facts.ts';
import { LATENT } from '../../core/model/model-part.ts';
import { type Reported, unknown } from '../../core/unknown.ts';
import type { ConfigLinear, ModelConfig } from './model-config.ts';

export const configCache = (config: ModelConfig, notes: string[]): Reported<ModelCache> => {
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
