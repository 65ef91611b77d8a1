// How much memory the probe moves: too much for any cache, but not enough to disturb the machine.

import { isUnknown, type Reported } from '../../core/unknown.ts';

export interface MemoryPlan {
  readonly threads: number;
  /**
   * Bytes of each thread: the sum reads all of it, the copy goes from its first half to its second. A
   * multiple of 8 MiB.
   */
  readonly bytesPerThread: number;
  readonly isPastLastLevelCache: boolean;
}

interface MemoryPlanOptions {
  readonly parallelism: number;
  /** Over all sockets. */
  readonly lastLevelCacheBytes: Reported<number>;
  /** Within the limit of this container. */
  readonly availableBytes: number;
}

export const planMemory = (options: MemoryPlanOptions): MemoryPlan => {
  const threads = Math.max(1, Math.min(options.parallelism, THREADS_MAX));
  const cacheBytes = isUnknown(options.lastLevelCacheBytes)
    ? CACHE_ASSUMED_BYTES
    : options.lastLevelCacheBytes;
  const wanted = Math.max(BYTES_PER_THREAD_MIN, (CACHE_MULTIPLE * cacheBytes) / threads);
  const allowed = Math.min(options.availableBytes * AVAILABLE_SHARE_MAX, TOTAL_BYTES_MAX) / threads;
  const bytesPerThread = wholeUnits(Math.min(wanted, allowed, BYTES_PER_THREAD_MAX));
  return {
    threads,
    bytesPerThread,
    isPastLastLevelCache: threads * bytesPerThread >= 2 * cacheBytes,
  };
};

const wholeUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / UNIT_BYTES)) * UNIT_BYTES;

/** Two blocks of the kernel that reads, so that each half is whole. */
const UNIT_BYTES: number = 8 * 1024 ** 2;
/** Half of it, the working set of one side of a copy, is still twice the cache. */
const CACHE_MULTIPLE = 4;
const BYTES_PER_THREAD_MIN: number = 128 * 1024 ** 2;
/** One WebAssembly memory of 32 bits has at most 4 GiB. */
const BYTES_PER_THREAD_MAX: number = 2 * 1024 ** 3;
const TOTAL_BYTES_MAX: number = 32 * 1024 ** 3;
const AVAILABLE_SHARE_MAX = 1 / 8;
const THREADS_MAX = 512;
/** If the system does not report it: the caches of a large server processor. */
const CACHE_ASSUMED_BYTES: number = 64 * 1024 ** 2;
