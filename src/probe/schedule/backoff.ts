// How long to wait after a failed probe: 15 s, twice as long after each further failure, half an hour at most. It
// follows from the profile with the last failure, so a restart does not reset it.

import { isKnown, isUnknown, type Reported } from '../../core/unknown.ts';

export const BACKOFF_MS_MIN = 15_000;
export const BACKOFF_MS_MAX = 1_800_000;

export const failureIntervalMs = (
  last: { readonly intervalMs: Reported<number>; readonly failure: Reported<'none'> } | undefined,
): number => {
  if (last === undefined || !isUnknown(last.failure) || !isKnown(last.intervalMs)) return BACKOFF_MS_MIN;
  return Math.min(BACKOFF_MS_MAX, Math.max(BACKOFF_MS_MIN, last.intervalMs * 2));
};

/**
 * A refused lease is requested again after this long: the random part keeps two nodes from refusing each other in step.
 */
export const refusalWaitMs = (random: number): number =>
  REFUSAL_MS_MIN + random * (REFUSAL_MS_MAX - REFUSAL_MS_MIN);

const REFUSAL_MS_MIN = 500;
const REFUSAL_MS_MAX = 4_000;
