import { expect, test } from 'vitest';
import { engineConstants, weightProducts } from '../../../src/core/model/engine-constants.ts';
import { prefillTime } from '../../../src/core/model/prefill.ts';
import { productCeiling } from '../../../src/core/model/product-precision.ts';
import type { DeviceCeiling } from '../../../src/core/model/step-time.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
import { madeUpModel } from '../../support/made-up-model.ts';

test.each([
  ['llama.cpp', 'geforce', 'Q4_0, 4.5 bits a weight', 'INT8'],
  ['llama.cpp', 'geforce', 'F16, 16 bits a weight', '16-bit'],
  ['llama.cpp', 'apple', 'Q4_0, 4.5 bits a weight', '16-bit'],
  ['mlx', 'apple', 'MLX 4-bit, groups of 64, 4.5 bits a weight', '16-bit'],
  ['vllm', 'datacentre', 'FP8, 8 bits a weight', 'FP8'],
  ['vllm', 'datacentre', 'AWQ 4-bit, groups of 128, 4.16 bits a weight', '16-bit'],
  ['sglang', 'datacentre', 'NVFP4, 4.5 bits a weight', '4-bit'],
  ['vllm', 'datacentre', undefined, '16-bit'],
] as const)('%s on %s multiplies %s as %s', (engine, device, quantisation, precision) => {
  expect(weightProducts(engine, device, quantisation)).toBe(precision);
});

const CEILING: DeviceCeiling = {
  bytesPerSecond: 1e12,
  operationsPerSecond: 100e12,
  int8PerSecond: 190e12,
  isMeasured: true,
};

const boundOf = (
  ceiling: DeviceCeiling,
  quantisation: string,
): { readonly tokens: number; readonly of: string } => {
  const time = prefillTime(madeUpModel({ layers: 32, weightBytes: 5e9 }), {
    promptTokens: 4_096,
    ceiling,
    constants: engineConstants('llama.cpp', 'geforce', { quantisation, hasExperts: false }),
  });
  if (isUnknown(time)) throw new Error(time.reason);
  return { tokens: 4_096 / time.boundSeconds, of: `${time.ceiling.of} ${time.ceiling.doubt}`.trim() };
};

test('reading prompts of quantised weights is bounded by measured INT8 products, of 16-bit weights by 16-bit ones', () => {
  const quantised = boundOf(CEILING, 'Q4_0');
  const plain = boundOf(CEILING, 'F16');
  expect(quantised.tokens / plain.tokens).toBeCloseTo(1.9, 3);
  expect([quantised.of, plain.of]).toEqual(['INT8', '16-bit']);
});

test('where the products that an engine uses were not measured, its bound reports that it may be passed', () => {
  expect(boundOf({ ...CEILING, int8PerSecond: undefined }, 'Q4_0').of).toBe(
    '16-bit it multiplies in INT8, which was not measured',
  );
  expect(productCeiling(CEILING, '4-bit')).toMatchObject({
    of: 'INT8',
    doubt: 'it multiplies in 4 bits, which was not measured',
  });
});
