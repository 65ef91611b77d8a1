// The machine's own clock.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from './clock.ts';

export const systemClock: Clock = {
  nowMs: () => performance.now(),
  wallMs: () => Date.now(),
  sleep: async (durationMs, signal) => {
    signal.throwIfAborted();
    const endMs = performance.now() + durationMs;
    for (let leftMs = durationMs; ; leftMs = endMs - performance.now()) {
      await sleep(Math.min(leftMs, LONGEST_TIMER_MS), undefined, { signal }).catch(error => {
        signal.throwIfAborted();
        throw error;
      });
      if (leftMs <= LONGEST_TIMER_MS) return;
    }
  },
};

/** Node's timers hold 31 bits; one of more ends at once. */
const LONGEST_TIMER_MS: number = 2 ** 31 - 1;

// CLOCK_MONOTONIC in nanoseconds: the one time that two processes of a machine share. For stamps that travel from one
// process to another; durations inside one process use the Clock.

/** Nanoseconds since an origin that all processes of this machine share (on Linux the start of the machine). */
export const monotonicNs = (): bigint =>
  // biome-ignore lint/style/noRestrictedGlobals: the clock is what this file adapts, and only `process` reads this one
  process.hrtime.bigint();
