// When a client cancels requests on purpose, as people do who have read enough: drawn by a seed before the run, so
// that equal seeds cancel the same requests after the same time, on any number of machines.

import { seededRandom } from '../../core/random.ts';
import type { CancelPolicy } from '../../core/run/cancel-policy.ts';
import { lengthSampler } from '../../core/statistics/length-distribution.ts';

/** ms after sending, for consecutive measured requests, cyclically; -1: not cancelled. */
export const cancellations = ({ afterMs, share }: CancelPolicy, seed: number): readonly number[] => {
  const random = seededRandom((seed ^ CANCEL_STREAM) >>> 0);
  const drawn = lengthSampler(afterMs, random);
  return Array.from({ length: CANCELLATIONS_DRAWN }, () => {
    const delayMs = drawn();
    return random.next() < share ? delayMs : NOT_CANCELLED;
  });
};

const NOT_CANCELLED = -1;
/** Enough for the tail of a distribution to show. */
const CANCELLATIONS_DRAWN = 2_048;
/** Separates these draws from others of the seed. */
const CANCEL_STREAM = 0x5ca1ab1e;
