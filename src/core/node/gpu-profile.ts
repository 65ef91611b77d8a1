// The performance of a device, measured by a probe. Counts in totals only while fresh; the figures of a
// failed probe stay next to its failure.

import * as v from 'valibot';
import { failure } from '../link/link-profile.ts';
import { figure, type Infer, openObject, reported, text } from '../schema.ts';

export const gpuProfileSchema = openObject({
  /** As in the inventory; "cpu" for the processor of a machine without a GPU. */
  deviceId: text,
  deviceName: text,
  deviceKind: v.picklist(['gpu', 'cpu']),
  /** "cuda", "mlx", "webgpu", "cpu". */
  engine: text,
  /** Matrix product, inputs FP16, sums FP32. */
  fp16FlopsPerSecond: reported(figure),
  /** For engines and devices without FP16; never added to the figure above. */
  fp32FlopsPerSecond: reported(figure),
  memoryReadBytesPerSecond: reported(figure),
  /** Bytes read plus bytes written. */
  memoryCopyBytesPerSecond: reported(figure),
  /** Matrix times vector, bytes of the matrix: the access pattern in which decoding reads weights. */
  memoryGemvBytesPerSecond: reported(figure),
  /** Matrix product, inputs INT8, sums INT32: used by kernels for weights of four to eight bits. */
  int8OperationsPerSecond: reported(figure),
  /** Matrix product, inputs FP8 (E4M3), sums FP32. */
  fp8FlopsPerSecond: reported(figure),
  /** The engine cannot reach the hardware's peak. */
  isLowerBound: v.boolean(),
  method: text,
  /** Age of the figures when this was written, ms: 0, or their age if the newest attempt failed. */
  measuredAgeMs: figure,
  /** The next probe is due this long after this one; unknown if a person requested it. */
  intervalMs: reported(figure),
  /** Why the newest attempt failed; the figures are then those of the last good one. */
  failure,
});

export type GpuProfile = Infer<typeof gpuProfileSchema>;
