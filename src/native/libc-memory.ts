// What the memory probe needs from the C library: huge pages, without which address translation costs 15 to 30 % of the
// bandwidth, and a thread pinned to its processor, so pages stay on the node that touched them first.

import type { Koffi } from './load-koffi.ts';

interface LibcMemory {
  /** False if the kernel refuses, as on kernels built without them. Call before the first touch. */
  adviseHugePages(memory: ArrayBuffer): boolean;
  /** The calling thread only. False if the kernel refuses. */
  stayOnProcessor(processor: number): boolean;
}

interface LibcCompare {
  /** Whether two parts of a memory are the same, read by the C library's fastest means. Blocks this thread. */
  isSame(memory: ArrayBuffer, first: number, second: number, bytes: number): boolean;
}

export const libcCompare = (koffi: Koffi, platform: string): LibcCompare | undefined => {
  if (platform === 'win32') return undefined;
  const memcmp = koffi.load(null).func('int memcmp(uintptr_t first, uintptr_t second, size_t length)');
  return {
    isSame: (memory, first, second, bytes) => {
      if (first < 0 || second < 0 || Math.max(first, second) + bytes > memory.byteLength) {
        throw new RangeError('a part to compare is outside its memory');
      }
      const start = koffi.address(memory);
      return memcmp(start + BigInt(first), start + BigInt(second), bytes) === 0;
    },
  };
};

/** Linux only: macOS has neither this kind of huge pages nor thread pinning. undefined elsewhere. */
export const libcMemory = (koffi: Koffi, platform: string): LibcMemory | undefined => {
  if (platform !== 'linux') return undefined;
  const libc = koffi.load(null);
  const madvise = libc.func('int madvise(void *address, size_t length, int advice)');
  const setAffinity = libc.func('int sched_setaffinity(int pid, size_t length, const void *mask)');
  return {
    adviseHugePages: memory => madvise(memory, memory.byteLength, MADV_HUGEPAGE) === 0,
    stayOnProcessor: processor => {
      const mask = new Uint8Array(AFFINITY_BYTES);
      const byte = processor >> 3;
      if (byte >= mask.length) return false;
      mask[byte] = 1 << (processor & 7);
      return setAffinity(0, mask.length, mask) === 0;
    },
  };
};

/** <asm-generic/mman-common.h> */
const MADV_HUGEPAGE = 14;
/** 8,192 processors, as many as Linux can have. */
const AFFINITY_BYTES = 1_024;
