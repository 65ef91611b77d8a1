// Repeats something small until a signal aborts.

import type { Clock } from '../clock/clock.ts';

export const every = async (
  intervalMs: number,
  run: () => void,
  { clock, until }: { readonly clock: Clock; readonly until: AbortSignal },
): Promise<void> => {
  while (!until.aborted) {
    try {
      await clock.sleep(intervalMs, until);
    } catch (error) {
      if (until.aborted) return;
      throw error;
    }
    run();
  }
};
