// Work that gives way to runners: it is checked every second whether one has become active.

import type { Clock } from '../../clock/clock.ts';
import type { AttemptEnding } from '../lease/link-attempt.ts';

interface UnlessActiveParts {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** What is active, for people. */
  readonly activity: () => string | undefined;
}

/** @throws what the work throws, unless a runner became active */
export const unlessActive = async <T>(
  { clock, signal, activity }: UnlessActiveParts,
  work: (signal: AbortSignal) => Promise<AttemptEnding<T>>,
): Promise<AttemptEnding<T>> => {
  const given = new AbortController();
  const done = new AbortController();
  let found: string | undefined;
  const watch = async (): Promise<void> => {
    while (found === undefined) {
      await clock.sleep(WATCH_MS, AbortSignal.any([signal, done.signal]));
      found = activity();
    }
    given.abort(new DOMException('a runner has become active', 'AbortError'));
  };
  const watching = watch().catch(() => undefined); // ended with the work
  try {
    return await work(AbortSignal.any([signal, given.signal]));
  } catch (error) {
    if (found === undefined || signal.aborted) throw error;
    return { kind: 'postponed', reason: found, retryInMs: ACTIVITY_RETRY_MS };
  } finally {
    done.abort();
    await watching;
  }
};

export const ACTIVITY_RETRY_MS = 5_000;
const WATCH_MS = 1_000;
