// The loops of gatherers: a source that is asked at an interval, sooner where something hints at a change, and a main
// task with a helper beside it.

import type { GatherSession } from './gatherer.ts';

/**
 * Reads at once and then at every multiple of the interval, without drift; a slow read skips beats instead of piling
 * them up. Ends when the session aborts; what `read` throws ends it too.
 */
export const poll = async (
  session: GatherSession,
  intervalMs: number,
  read: (signal: AbortSignal) => Promise<void> | void,
): Promise<void> => {
  const { clock, signal } = session;
  let dueMs = clock.nowMs();
  while (!signal.aborted) {
    await read(signal);
    if (signal.aborted) return;
    const nowMs = clock.nowMs();
    dueMs += intervalMs * Math.max(1, Math.ceil((nowMs - dueMs) / intervalMs));
    try {
      await clock.sleep(dueMs - nowMs, signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
  }
};

/**
 * Resolves when `main` has ended and `helper` has stopped; a helper that ends early is done, not an end of `main`. A
 * failure of either ends both, so that no background task is left without an owner.
 * @throws what either throws, but for the abort itself.
 */
export const runBeside = async (
  signal: AbortSignal,
  main: (signal: AbortSignal) => Promise<void>,
  helper: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> => {
  const ending = new AbortController();
  const own = AbortSignal.any([signal, ending.signal]);
  const results = await Promise.allSettled([
    main(own).finally(() => ending.abort()),
    helper(own).catch(error => {
      ending.abort();
      throw error;
    }),
  ]);
  for (const result of results) {
    if (result.status === 'rejected' && result.reason !== own.reason) throw result.reason;
  }
};
