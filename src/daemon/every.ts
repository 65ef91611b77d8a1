// Repeats something small until a signal aborts.

import type { Clock } from '../clock/clock.ts';

interface Until {
  readonly clock: Clock;
  readonly until: AbortSignal;
}

/** For the first time after `intervalMs`; from the end of one to the beginning of the next, ms. */
export const every = async (
  intervalMs: number,
  run: () => void | Promise<void>,
  { clock, until }: Until,
): Promise<void> => {
  while (!until.aborted) {
    try {
      await clock.sleep(intervalMs, until);
    } catch (error) {
      if (until.aborted) return;
      throw error;
    }
    await run();
  }
};

/** The same, but for the first time at once. */
export const nowAndEvery = async (
  intervalMs: number,
  run: () => void | Promise<void>,
  until: Until,
): Promise<void> => {
  if (until.until.aborted) return;
  await run();
  await every(intervalMs, run, until);
};
