// Two readings of one clock: cheap milliseconds to schedule by, and the nanoseconds of CLOCK_MONOTONIC that other
// processes of this machine can compare with their own.

import type { Clock } from '../clock/clock.ts';
import { monotonicNs } from '../clock/monotonic-ns.ts';

export interface HostTime {
  nowMs(): number;
  /** What CLOCK_MONOTONIC showed at `nowMs`, to about 0.1 µs. */
  nsAt(atMs: number): bigint;
}

/** Both clocks run at one rate, so one measured offset stays valid. */
export const hostTime = (clock: Clock): HostTime => {
  let zeroNs = 0n;
  let narrowestMs = Number.POSITIVE_INFINITY;
  // The first call of either is slow, so a single pair would be wrong by a millisecond.
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const beforeMs = clock.nowMs();
    const middleNs = monotonicNs();
    const afterMs = clock.nowMs();
    if (afterMs - beforeMs >= narrowestMs) continue;
    narrowestMs = afterMs - beforeMs;
    zeroNs = middleNs - nanoseconds((beforeMs + afterMs) / 2);
  }
  return { nowMs: clock.nowMs, nsAt: atMs => zeroNs + nanoseconds(atMs) };
};

const nanoseconds = (ms: number): bigint => BigInt(Math.round(ms * 1e6));

const ATTEMPTS = 200;
