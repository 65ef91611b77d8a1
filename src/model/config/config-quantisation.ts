// How many bits a weight takes, by the quantisation in the config: groups share a scale, and often a zero point.

import { maximumOf, minimumOf } from '../../core/extremes.ts';
import { counted, ofCount } from '../../core/figure/figure.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { exactly, type Interval } from '../../core/model/model-facts.ts';

export interface ConfigQuantisation {
  /** "AWQ 4-bit, groups of 128" */
  readonly label: string;
  readonly bitsPerWeight: Interval;
  /** Bits of the weights themselves, without scales: how many of them share an integer. */
  readonly bits: number;
  /** Of token embeddings and output head, which most methods leave alone. */
  readonly headBitsPerWeight: Interval;
  /** Why the interval is one. */
  readonly note: string | undefined;
}

/** @param text the part of the config for the language model; often all of it. */
export const configQuantisation = (config: JsonObject, text: JsonObject): ConfigQuantisation => {
  const mlx = [config['quantization'], text['quantization']].find(isJsonObject);
  if (mlx !== undefined && numberOf(mlx['bits']) !== undefined) return mlxQuantisation(mlx);
  const reported = [config['quantization_config'], text['quantization_config']].find(isJsonObject);
  const plain = plainType(text['torch_dtype'] ?? text['dtype'] ?? config['torch_dtype'] ?? config['dtype']);
  if (reported === undefined) return plain;
  const method = typeof reported['quant_method'] === 'string' ? reported['quant_method'].toLowerCase() : '';
  const headBitsPerWeight = exactly(16);
  const group = numberOf(reported['group_size']) ?? 128;
  const bits = numberOf(reported['bits']) ?? numberOf(reported['w_bit']) ?? 4;
  switch (method) {
    case 'gptq':
    case 'awq':
    case 'auto-round':
      return {
        label: `${method.toUpperCase()} ${bits}-bit${group > 0 ? `, groups of ${group}` : ''}`,
        // A 16-bit scale and a zero point of `bits` a group.
        bitsPerWeight: exactly(bits + (group > 0 ? (16 + bits) / group : 0)),
        bits,
        headBitsPerWeight,
        note: undefined,
      };
    case 'fp8':
    case 'fbgemm_fp8':
      return { label: 'FP8', bitsPerWeight: exactly(8.002), bits: 8, headBitsPerWeight, note: undefined };
    case 'mxfp4':
      // Blocks of 32 share an 8-bit scale.
      return { label: 'MXFP4', bitsPerWeight: exactly(4.25), bits: 4, headBitsPerWeight, note: undefined };
    case 'modelopt':
    case 'compressed-tensors':
      return compressed(reported, headBitsPerWeight);
    case 'bitsandbytes':
      return {
        label: reported['load_in_8bit'] === true ? 'bitsandbytes 8-bit' : 'bitsandbytes 4-bit',
        bitsPerWeight: reported['load_in_8bit'] === true ? exactly(8.1) : { low: 4.125, high: 4.5 },
        bits: reported['load_in_8bit'] === true ? 8 : 4,
        headBitsPerWeight,
        note: undefined,
      };
    default:
      return {
        label: method === '' ? 'quantised' : method,
        bitsPerWeight: { low: 2, high: 16 },
        bits: 16,
        headBitsPerWeight: { low: 2, high: 16 },
        note: `the quantisation ${JSON.stringify(method)} is not known: a weight takes 2 to 16 bits`,
      };
  }
};

/** Groups share a 16-bit scale and a 16-bit bias; embeddings and head are quantised as well. */
const mlxQuantisation = (reported: JsonObject): ConfigQuantisation => {
  const bits = numberOf(reported['bits']) ?? 4;
  const group = numberOf(reported['group_size']) ?? 64;
  const isScaleOnly = typeof reported['mode'] === 'string' && reported['mode'] !== 'affine';
  const all = exactly(bits + (isScaleOnly ? 8 : 32) / group);
  const others = Object.values(reported)
    .filter(isJsonObject)
    .map(layer => numberOf(layer['bits']))
    .filter(layerBits => layerBits !== undefined);
  const bitsPerWeight =
    others.length === 0
      ? all
      : {
          low: minimumOf([all.low, ...others.map(layerBits => layerBits + 32 / group)]),
          high: maximumOf([all.high, ...others.map(layerBits => layerBits + 32 / group)]),
        };
  return {
    label: `MLX ${bits}-bit, groups of ${group}`,
    bitsPerWeight,
    bits,
    headBitsPerWeight: bitsPerWeight,
    note:
      others.length === 0
        ? undefined
        : `${counted(others.length, 'layer')} ${ofCount(others.length, 'has', 'have')} a quantisation of their own`,
  };
};

/** NVFP4: blocks of 16 share an FP8 scale. If the config does not contain it, the width is 4 to 8 bits. */
const compressed = (reported: JsonObject, headBitsPerWeight: Interval): ConfigQuantisation => {
  const text = JSON.stringify(reported).slice(0, TEXT_MAX).toLowerCase();
  if (text.includes('nvfp4'))
    return { label: 'NVFP4', bitsPerWeight: exactly(4.5), bits: 4, headBitsPerWeight, note: undefined };
  if (/"num_bits":8|fp8|float-quantized|int-quantized/.test(text))
    return { label: '8-bit', bitsPerWeight: exactly(8.002), bits: 8, headBitsPerWeight, note: undefined };
  if (/"num_bits":4|pack-quantized|w4a16/.test(text))
    return { label: '4-bit', bitsPerWeight: exactly(4.16), bits: 4, headBitsPerWeight, note: undefined };
  return {
    label: 'compressed',
    bitsPerWeight: { low: 4, high: 8.1 },
    bits: 8,
    headBitsPerWeight,
    note: 'the config does not contain how many bits its weights have: 4 to 8',
  };
};

const plainType = (type: unknown): ConfigQuantisation => {
  const bits = typeof type === 'string' ? PLAIN_BITS[type.replace(/^torch\./, '')] : undefined;
  return {
    label: typeof type === 'string' && bits !== undefined ? type.replace(/^torch\./, '') : '16 bits assumed',
    bitsPerWeight: exactly(bits ?? 16),
    bits: bits ?? 16,
    headBitsPerWeight: exactly(bits ?? 16),
    note: bits === undefined ? 'the config contains no type: weights count as 16-bit' : undefined,
  };
};

const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value >= -1 && value <= 65_536 ? value : undefined;

const PLAIN_BITS: Readonly<Record<string, number>> = {
  float32: 32,
  bfloat16: 16,
  float16: 16,
  float8_e4m3fn: 8,
};
const TEXT_MAX = 100_000;
