// Memory as the operating system counts it, in bytes. Pressure is shown next to usage, because full memory
// that no task waits for is healthy and half-full memory that swaps is not.

import { isUnknown, type Reported } from '../unknown.ts';

export interface NodeMemory {
  /**
   * Memory of the host, also inside a container; without memory of GPUs, which Linux counts if it is a NUMA
   * node.
   */
  readonly totalBytes: number;
  /** What a new program could get without swapping (Linux MemAvailable; macOS: total less anonymous, wired and compressed, as Activity Monitor counts). */
  readonly availableBytes: Reported<number>;
  readonly swapTotalBytes: Reported<number>;
  readonly swapUsedBytes: Reported<number>;
  readonly pressure: MemoryPressure;
  /** The control group's limit, if it is below the host's total. */
  readonly container: ContainerMemory;
  /**
   * Memory of GPUs that the kernel lists as NUMA nodes (GH200, GB200, AC922): not in any of these figures.
   */
  readonly gpuNodeBytes?: Reported<number>;
}

export interface MemoryPressure {
  readonly level: Reported<'normal' | 'warning' | 'critical'>;
  /** Share of the last 10 s in which some task waited for memory, 0..1 (Linux PSI "some avg10"). */
  readonly stalledShare: Reported<number>;
}

export type ContainerMemory =
  | { readonly kind: 'none' }
  | { readonly kind: 'limited'; readonly limitBytes: number; readonly usedBytes: Reported<number> };

/** As every view counts it: total minus what a new program could get. */
export const memoryUsedBytes = ({
  totalBytes,
  availableBytes,
}: Pick<NodeMemory, 'totalBytes' | 'availableBytes'>): Reported<number> =>
  isUnknown(availableBytes) ? availableBytes : totalBytes - availableBytes;
