// How long a failed probe is left alone: 15 s, twice as long after each further failure, half an hour at most. It follows
// from the profile that holds the last failure, so that a restart does not begin anew.

import type { Reported } from '../../core/unknown.ts';
import { isKnown, isUnknown } from '../../core/unknown.ts';

export const BACKOFF_MS_MIN = 15_000;
export const BACKOFF_MS_MAX = 1_800_000;

export const failureIntervalMs = (
  last: { readonly intervalMs: Reported<number>; readonly failure: Reported<'none'> } | undefined,
): number => {
  if (last === undefined || !isUnknown(last.failure) || !isKnown(last.intervalMs)) return BACKOFF_MS_MIN;
  return Math.min(BACKOFF_MS_MAX, Math.max(BACKOFF_MS_MIN, last.intervalMs * 2));
};

/** A refused lease is asked for again after so long: the random part keeps two nodes from refusing each other in step. */
export const refusalWaitMs = (random: number): number =>
  REFUSAL_MS_MIN + random * (REFUSAL_MS_MAX - REFUSAL_MS_MIN);

const REFUSAL_MS_MIN = 500;
const REFUSAL_MS_MAX = 4_000;
