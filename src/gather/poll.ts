// The loop of a gatherer whose source must be asked.

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
