// How long the calling thread has been ready to run without a processor, as the Linux scheduler counts it:
// /proc/thread-self/schedstat, "ns on a processor, ns waiting for one, time slices"
// (Documentation/scheduler/sched-stats.rst). The value is exact when the thread runs again, so this part of a late
// wake-up is known, not sampled. Reading it allocates nothing and costs about a microsecond.

import { openSync, readSync } from 'node:fs';

/** For the calling thread; the function returns undefined if the system does not count it. */
export const queuedTimeOfThread = (): (() => number | undefined) => {
  const bytes = Buffer.alloc(FILE_BYTES);
  try {
    // Closed with its thread, as all descriptors that a worker leaves open (`trackUnmanagedFds`).
    const descriptor = openSync('/proc/thread-self/schedstat', 'r');
    readSync(descriptor, bytes, 0, FILE_BYTES, 0);
    // Zero: a kernel that does not count. A running thread has used a processor.
    if (bytes[0] === ZERO) return () => undefined;
    return () => secondNumber(bytes, readSync(descriptor, bytes, 0, FILE_BYTES, 0));
  } catch {
    return () => undefined;
  }
};

const secondNumber = (bytes: Buffer, length: number): number | undefined => {
  let at = bytes.indexOf(SPACE) + 1;
  let number = 0;
  for (; at > 0 && at < length; at += 1) {
    const digit = (bytes[at] ?? 0) - ZERO;
    if (digit < 0 || digit > 9) return number;
    number = number * 10 + digit;
  }
  return undefined;
};

/** Three numbers of at most 20 digits. */
const FILE_BYTES = 64;
const SPACE = 0x20;
const ZERO = 0x30;
