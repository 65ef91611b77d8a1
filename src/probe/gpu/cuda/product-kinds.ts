// The precisions in which engines multiply, and numbers of each for the probe: random, of either sign, and of one size, because
// zeros and constants draw less power than real work.

import type { ProductPrecision } from '../../../native/cublas.ts';
import { anyHalfValue, halfValue, randomHalves } from '../random-halves.ts';

export interface ProductKind {
  readonly precision: ProductPrecision;
  /** "FP16 with FP32 sums" */
  readonly text: string;
  readonly inputBytes: number;
  readonly outputBytes: number;
  /** So many inputs, the same for the same seed. */
  pattern(count: number, seed: number): Uint8Array | Uint16Array;
  inputValue(bits: number): number;
  /** Value of an entry of the product, from its bytes in memory. */
  outputValue(entry: DataView): number;
  /** How far a right result may be from the exact one. */
  tolerance(expected: number): number;
}

export const FP16: ProductKind = {
  precision: 'fp16',
  text: 'FP16 with FP32 sums',
  inputBytes: 2,
  outputBytes: 2,
  pattern: randomHalves,
  inputValue: halfValue,
  outputValue: entry => anyHalfValue(entry.getUint16(0, true)),
  tolerance: expected => TOLERANCE + Math.abs(expected) * RELATIVE_TOLERANCE,
};

export const INT8: ProductKind = {
  precision: 'int8',
  text: 'INT8 with INT32 sums',
  inputBytes: 1,
  outputBytes: 4,
  pattern: (count, seed) => Uint8Array.from(randomHalves(count, seed), bits => (bits >> 8) ^ bits),
  inputValue: bits => (bits << 24) >> 24,
  outputValue: entry => entry.getInt32(0, true),
  tolerance: () => 0,
};

/** E4M3: a sign, four bits of exponent with a bias of 7, three of fraction (OCP 8-bit floating point specification). */
export const FP8: ProductKind = {
  precision: 'fp8',
  text: 'FP8 (E4M3) with FP32 sums',
  inputBytes: 1,
  outputBytes: 2,
  pattern: (count, seed) =>
    Uint8Array.from(randomHalves(count, seed), bits => ((bits >> 8) & FP8_SIGN) | FP8_HALF | (bits & 0x07)),
  inputValue: bits => ((bits & FP8_SIGN) === 0 ? 1 : -1) * ((1 + (bits & 0x07) / 8) / 2),
  outputValue: FP16.outputValue,
  // Tensor cores keep fewer bits of sums of FP8: about 14 (Hopper), of sums of about 50.
  tolerance: expected => FP8_TOLERANCE + Math.abs(expected) * FP8_RELATIVE_TOLERANCE,
};

const FP8_SIGN = 0x80;
/** 0.5 */
const FP8_HALF = 0x30;
const FP8_TOLERANCE = 2;
const FP8_RELATIVE_TOLERANCE: number = 2 ** -5;
/** A result of 16 bits is rounded at 2^-11 of its size. */
const RELATIVE_TOLERANCE: number = 2 ** -10;
/** Tensor cores truncate where a processor rounds: up to 2^-23 of the largest sum, 8,192 times. Sums are about 50. */
const TOLERANCE = 0.25;
