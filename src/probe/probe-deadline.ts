// A probe with a deadline: its signal aborts then, and its locks are released when it has really ended, which its
// engine guarantees within a second of the abort by killing its child.

import type { Clock } from '../clock/clock.ts';

type Timed<T> = { readonly kind: 'done'; readonly value: T } | { readonly kind: 'late' };

/**
 * Runs the work to its end, however late that is.
 * @throws what the work throws, unless its time ran out; the outer signal's reason when it aborts.
 */
export const withDeadline = async <T>(
  clock: Clock,
  durationMs: number,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<Timed<T>> => {
  const late = new AbortController();
  const timer = new AbortController();
  const sleeping = clock.sleep(durationMs, timer.signal).then(
    () => late.abort(new DOMException('the probe took too long', 'TimeoutError')),
    () => undefined, // it ended before
  );
  try {
    const value = await work(AbortSignal.any([outer, late.signal]));
    outer.throwIfAborted();
    return { kind: 'done', value };
  } catch (error) {
    outer.throwIfAborted();
    if (late.signal.aborted) return { kind: 'late' };
    throw error;
  } finally {
    timer.abort();
    await sleeping;
  }
};
