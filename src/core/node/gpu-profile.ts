// The performance of a device, measured by a probe. Counts in totals only while fresh; the figures of a
// failed probe stay next to its failure.

import type { Reported } from '../unknown.ts';

export interface GpuProfile {
  /** As in the inventory; "cpu" for the processor of a machine without a GPU. */
  readonly deviceId: string;
  readonly deviceName: string;
  readonly deviceKind: 'gpu' | 'cpu';
  /** "cuda", "mlx", "webgpu", "cpu". */
  readonly engine: string;
  /** Matrix product, inputs FP16, sums FP32. */
  readonly fp16FlopsPerSecond: Reported<number>;
  /** For engines and devices without FP16; never added to the figure above. */
  readonly fp32FlopsPerSecond: Reported<number>;
  readonly memoryReadBytesPerSecond: Reported<number>;
  /** Bytes read plus bytes written. */
  readonly memoryCopyBytesPerSecond: Reported<number>;
  /** Matrix times vector, bytes of the matrix: the access pattern in which decoding reads weights. */
  readonly memoryGemvBytesPerSecond: Reported<number>;
  /** Matrix product, inputs INT8, sums INT32: used by kernels for weights of four to eight bits. */
  readonly int8OperationsPerSecond: Reported<number>;
  /** Matrix product, inputs FP8 (E4M3), sums FP32. */
  readonly fp8FlopsPerSecond: Reported<number>;
  /** The engine cannot reach the hardware's peak. */
  readonly isLowerBound: boolean;
  readonly method: string;
  /** Age of the figures when this was written, ms: 0, or their age if the newest attempt failed. */
  readonly measuredAgeMs: number;
  /** The next probe is due this long after this one; unknown if a person requested it. */
  readonly intervalMs: Reported<number>;
  /** Why the newest attempt failed; the figures are then those of the last good one. */
  readonly failure: Reported<'none'>;
}
