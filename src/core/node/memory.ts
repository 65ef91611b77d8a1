// Memory as the operating system counts it, in bytes. Pressure is shown next to usage, because full memory
// that no task waits for is healthy and half-full memory that swaps is not.

import * as v from 'valibot';
import { bytes, type Infer, openObject, reported, reportedBySome, share } from '../schema.ts';
import { isUnknown, type Reported } from '../unknown.ts';

const memoryPressureSchema = openObject({
  level: reported(v.picklist(['normal', 'warning', 'critical'])),
  /** Share of the last 10 s in which some task waited for memory, 0..1 (Linux PSI "some avg10"). */
  stalledShare: reported(share),
});

export type MemoryPressure = Infer<typeof memoryPressureSchema>;

const containerMemorySchema = v.variant('kind', [
  openObject({ kind: v.literal('none') }),
  openObject({ kind: v.literal('limited'), limitBytes: bytes, usedBytes: reported(bytes) }),
]);

export type ContainerMemory = Infer<typeof containerMemorySchema>;

export const memorySchema = openObject({
  /**
   * Memory of the host, also inside a container; without memory of GPUs, which Linux counts if it is a NUMA
   * node.
   */
  totalBytes: bytes,
  /** What a new program could get without swapping (Linux MemAvailable; macOS: total less anonymous, wired and compressed, as Activity Monitor counts). */
  availableBytes: reported(bytes),
  swapTotalBytes: reported(bytes),
  swapUsedBytes: reported(bytes),
  pressure: memoryPressureSchema,
  /** The control group's limit, if it is below the host's total. */
  container: containerMemorySchema,
  /**
   * Memory of GPUs that the kernel lists as NUMA nodes (GH200, GB200, AC922): not in any of these figures.
   */
  gpuNodeBytes: reportedBySome(bytes),
});

export type NodeMemory = Infer<typeof memorySchema>;

/** As every view counts it: total minus what a new program could get. */
export const memoryUsedBytes = ({
  totalBytes,
  availableBytes,
}: Pick<NodeMemory, 'totalBytes' | 'availableBytes'>): Reported<number> =>
  isUnknown(availableBytes) ? availableBytes : totalBytes - availableBytes;
