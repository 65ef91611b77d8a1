// The request to the child that measures an NVIDIA device. Tests request less of everything.

import * as v from 'valibot';
import type { Infer } from '../../../core/schema.ts';
import { BATCHES } from './timed-batches.ts';

export const cudaRequest = (deviceId: string): CudaRequest => ({
  deviceId,
  productSizes: [8_192, 4_096],
  gemvBytes: GEMV_BYTES,
  batches: BATCHES,
});

/** As much as the weights of a small model: past every cache. */
const GEMV_BYTES: number = 2 * 1024 ** 3;

const positive = (maximum: number): v.GenericSchema<unknown, number> =>
  v.pipe(v.number(), v.minValue(0), v.maxValue(maximum));

export const cudaRequestSchema = v.object({
  /** Its UUID or PCI address, as the inventory has it. */
  deviceId: v.string(),
  /** Sizes of the matrix product, the largest that fits the free memory first. Multiples of 8. */
  productSizes: v.pipe(v.array(v.pipe(v.number(), v.integer(), v.multipleOf(8))), v.maxLength(8)),
  /** Bytes of the matrix for the product with a vector, at most. */
  gemvBytes: positive(64 * 1024 ** 3),
  batches: v.object({
    warmUpMs: positive(10_000),
    batchMs: positive(10_000),
    batches: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100)),
  }),
});

export type CudaRequest = Infer<typeof cudaRequestSchema>;
