// How far engines stay below what memory allows: time a step is affine, t = a · layers + bytes / (e ·
// bandwidth). The constants were fitted to published figures of single devices (docs/headroom.md has the
// sources); a constant share of bandwidth errs by a quarter, these by 2 to 6 %.

import type { Interval } from './model-facts.ts';
import type { WeightProducts } from './product-precision.ts';

export interface EngineConstants {
  /** "llama.cpp on Apple silicon" */
  readonly label: string;
  /** Overhead of one layer in one step, µs. */
  readonly layerUs: Interval & { readonly value: number };
  /** Share of the bandwidth in the data sheet. */
  readonly shareOfSpec: Interval & { readonly value: number };
  /** The same for the cache, if it was measured separately. */
  readonly cacheShare?: Interval & { readonly value: number };
  /** Both are shares of the measured ceiling itself, because they were measured together with it. */
  readonly isOfCeiling?: true;
  /** Share of the 16-bit peak that prefill reaches at short prompts; above 1 if kernels multiply in INT8. */
  readonly prefillShare: Interval;
  /** Type of its products with the model's weights. */
  readonly products: WeightProducts;
  /**
   * Mean absolute error when each figure is predicted from the others, as a share; undefined for families
   * that were not fitted.
   */
  readonly errorShare: number | undefined;
  /** Number of figures that it was fitted to. */
  readonly figures: number;
}

export type Engine = (typeof ENGINES)[number];
export const ENGINES = ['llama.cpp', 'mlx', 'vllm', 'sglang', 'other'] as const;
export type DeviceClass = 'apple' | 'gb10' | 'geforce' | 'datacentre' | 'amd' | 'other';

/** What the constants depend on apart from engine and device. */
interface ModelKind {
  /** Quantisation of most weights: "Q4_0", "Q4_K", "F16"; undefined if unknown. */
  readonly quantisation: string | undefined;
  /** Layers with experts start more kernels each. */
  readonly hasExperts: boolean;
}

export const engineConstants = (engine: Engine, device: DeviceClass, kind: ModelKind): EngineConstants => ({
  ...familyOf(engine, device, kind),
  products: weightProducts(engine, device, kind.quantisation),
});

type Family = Omit<EngineConstants, 'products'>;

const familyOf = (engine: Engine, device: DeviceClass, { quantisation, hasExperts }: ModelKind): Family => {
  if (engine === 'mlx' && device === 'apple') return FAMILIES.mlx;
  if (engine !== 'llama.cpp') return FAMILIES.unknown;
  const isKQuant = quantisation !== undefined && /^I?Q\d_K|^IQ/.test(quantisation);
  switch (device) {
    case 'apple':
      return isKQuant ? FAMILIES.metalK : FAMILIES.metal;
    case 'gb10':
      return FAMILIES.gb10;
    case 'geforce':
      if (hasExperts) return FAMILIES.geforceExperts;
      return isKQuant ? FAMILIES.geforceK : FAMILIES.geforce;
    case 'datacentre':
      return FAMILIES.datacentre;
    case 'amd':
      return FAMILIES.amd;
    case 'other':
      return FAMILIES.unknown;
    default:
      return device satisfies never;
  }
};

/** @param quantisation of most weights, as in the model's facts. */
export const weightProducts = (
  engine: Engine,
  device: DeviceClass,
  quantisation: string | undefined,
): WeightProducts => {
  // MLX and llama.cpp's Metal kernels unpack weights to half precision first.
  if (quantisation === undefined || device === 'apple' || engine === 'mlx') return '16-bit';
  // Its CUDA, HIP and CPU kernels multiply quantised weights as INT8 (ggml's mmq and vec_dot): GeForce reaches 1.2 to 1.3 × the
  // 16-bit peak with Q4_0.
  if (engine === 'llama.cpp') return /^(F16|BF16|F32)\b/i.test(quantisation) ? '16-bit' : 'INT8';
  if (/^FP8\b/i.test(quantisation)) return 'FP8';
  // compressed-tensors and modelopt: INT8 or FP8, which the label does not show.
  if (/^8-bit\b/.test(quantisation)) return '8-bit';
  if (/^(NVFP4|MXFP4)\b/i.test(quantisation)) return '4-bit';
  // AWQ, GPTQ and bitsandbytes keep activations in 16 bits.
  return '16-bit';
};

/** MLX is Apple's; vLLM and SGLang have no kernels for its GPUs. */
export const runsOn = (engine: Engine, device: DeviceClass): boolean => {
  if (engine === 'mlx') return device === 'apple';
  return device !== 'apple' || (engine !== 'vllm' && engine !== 'sglang');
};

/**
 * Whether one engine can use these together: llama.cpp passes activations between any two, others need one
 * vendor's libraries.
 */
export const runsAcross = (engine: Engine, devices: readonly DeviceClass[]): boolean =>
  engine === 'llama.cpp' || engine === 'other' || new Set(devices.map(device => VENDORS[device])).size <= 1;

const VENDORS: Readonly<Record<DeviceClass, string>> = {
  apple: 'apple',
  gb10: 'nvidia',
  geforce: 'nvidia',
  datacentre: 'nvidia',
  amd: 'amd',
  other: 'other',
};

/** By the device name that the driver reports. */
export const deviceClass = (name: string): DeviceClass =>
  DEVICE_NAMES.find(([pattern]) => pattern.test(name))?.[1] ?? 'other';

const DEVICE_NAMES: readonly (readonly [RegExp, DeviceClass])[] = [
  [/\bapple\b|\bM[1-9]\d?( (pro|max|ultra))?\b/i, 'apple'],
  [/\bGB10\b|dgx spark/i, 'gb10'],
  [/geforce|\bRTX\b/i, 'geforce'],
  [/\b[ABHT]\d{1,3}0?\b|\bL4\b|\bL40S?\b|\bGH200\b|\bGB[23]00\b|tesla/i, 'datacentre'],
  [/\bamd\b|radeon|\bRX \d{4}|\bgfx\d|strix halo|instinct/i, 'amd'],
];

/**
 * Fitted once to figures of many people's machines; an interval is the value with the family's own error.
 */
const fitted = (
  label: string,
  {
    layerUs,
    share,
    error,
    figures,
    prefill,
  }: {
    readonly layerUs: number;
    readonly share: number;
    readonly error: number;
    readonly figures: number;
    readonly prefill: Interval;
  },
): Family => ({
  label,
  layerUs: { value: layerUs, low: layerUs * (1 - error), high: layerUs * (1 + error) },
  shareOfSpec: { value: share, low: share * (1 - error), high: Math.min(1, share * (1 + error)) },
  prefillShare: prefill,
  errorShare: error,
  figures,
});

const FAMILIES = {
  metal: fitted('llama.cpp on Apple silicon', {
    layerUs: 166,
    share: 0.9,
    error: 0.036,
    figures: 29,
    prefill: { low: 0.44, high: 0.79 },
  }),
  // Not fitted: the constants above, with their error on nine figures of others.
  metalK: fitted('llama.cpp on Apple silicon, K-quants', {
    layerUs: 166,
    share: 0.9,
    error: 0.137,
    figures: 9,
    prefill: { low: 0.44, high: 0.79 },
  }),
  mlx: fitted('MLX on Apple silicon', {
    layerUs: 91,
    share: 0.95,
    error: 0.079,
    figures: 9,
    prefill: { low: 0.44, high: 0.79 },
  }),
  gb10: fitted('llama.cpp on GB10', {
    layerUs: 50,
    share: 0.82,
    error: 0.024,
    figures: 20,
    prefill: { low: 0.15, high: 0.26 },
  }),
  geforce: fitted('llama.cpp on GeForce and RTX', {
    layerUs: 28,
    share: 0.86,
    error: 0.033,
    figures: 11,
    prefill: { low: 0.7, high: 1.3 },
  }),
  geforceK: fitted('llama.cpp on GeForce and RTX, K-quants', {
    layerUs: 88,
    share: 0.97,
    error: 0.06,
    figures: 8,
    prefill: { low: 0.7, high: 1.3 },
  }),
  // One published figure (gpt-oss-20b on RTX PRO 6000) gives the overhead; the error comes from two others.
  geforceExperts: fitted('llama.cpp on GeForce and RTX, experts', {
    layerUs: 80,
    share: 0.86,
    error: 0.09,
    figures: 1,
    prefill: { low: 0.1, high: 0.4 },
  }),
  amd: fitted('llama.cpp on Radeon and Strix Halo', {
    layerUs: 71,
    share: 0.87,
    error: 0.087,
    figures: 10,
    prefill: { low: 0.15, high: 0.79 },
  }),
  datacentre: fitted('llama.cpp on T4, L40S, A100, H100', {
    layerUs: 101,
    share: 0.74,
    error: 0.181,
    figures: 11,
    prefill: { low: 0.15, high: 0.36 },
  }),
  unknown: {
    label: 'an engine and device without fitted constants',
    layerUs: { value: 70, low: 20, high: 170 },
    shareOfSpec: { value: 0.72, low: 0.55, high: 0.9 },
    prefillShare: { low: 0.15, high: 0.79 },
    errorShare: undefined,
    figures: 0,
  },
} as const satisfies Readonly<Record<string, Family>>;
