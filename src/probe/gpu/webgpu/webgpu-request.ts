// The request to the child that measures by WebGPU. Tests request less of everything, and a software adapter.

import * as v from 'valibot';
import type { Infer } from '../../../core/schema.ts';

export const WEBGPU_SETTINGS: Omit<WebgpuRequest, 'deviceName' | 'vendor'> = {
  allowsSoftware: false,
  productSizes: [4_096, 2_048, 1_024],
  bufferBytesMax: 512 * 1024 ** 2,
  gemvBytesMax: 512 * 1024 ** 2,
  warmUpMs: 300,
  batchMs: 150,
  batches: 5,
};

const bounded = (maximum: number): v.GenericSchema<unknown, number> =>
  v.pipe(v.number(), v.minValue(0), v.maxValue(maximum));

export const webgpuRequestSchema = v.object({
  deviceName: v.string(),
  /** The adapter's name for its maker: "amd". */
  vendor: v.string(),
  /** A software adapter measures the processor, not a device: only tests may request one. */
  allowsSoftware: v.boolean(),
  /** Largest first; the first that takes no longer than a graphics driver allows. Multiples of 128. */
  productSizes: v.pipe(v.array(v.pipe(bounded(16_384), v.multipleOf(128))), v.minLength(1), v.maxLength(8)),
  /** Bytes of each of the two buffers. */
  bufferBytesMax: bounded(2 ** 32),
  /** Bytes of the matrix for the product with a vector: the whole buffer, or less in a test. */
  gemvBytesMax: bounded(2 ** 32),
  warmUpMs: bounded(10_000),
  batchMs: bounded(10_000),
  batches: v.pipe(bounded(100), v.integer(), v.minValue(1)),
});

export type WebgpuRequest = Infer<typeof webgpuRequestSchema>;
