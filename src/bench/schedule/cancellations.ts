// When a client breaks requests off on purpose, as people do who have read enough: drawn by a seed before the run, so that equal
// seeds break the same requests off after the same time, whatever sends them.

import { seededRandom } from '../../core/random.ts';
import type { CancelPolicy } from '../../core/run/cancel-policy.ts';
import { lengthSampler } from '../../core/statistics/length-distribution.ts';

/** From sent, in ms, of one measured request after the other, again and again; -1: it is left alone. */
export const cancellations = ({ afterMs, share }: CancelPolicy, seed: number): readonly number[] => {
  const random = seededRandom((seed ^ CANCEL_STREAM) >>> 0);
  const drawn = lengthSampler(afterMs, random);
  return Array.from({ length: CANCELLATIONS_DRAWN }, () => {
    const delayMs = drawn();
    return random.next() < share ? delayMs : NOT_CANCELLED;
  });
};

const NOT_CANCELLED = -1;
/** Many enough for the tail of a distribution to show. */
const CANCELLATIONS_DRAWN = 2_048;
/** Keeps these draws apart from others of the seed. */
const CANCEL_STREAM = 0x5ca1ab1e;
