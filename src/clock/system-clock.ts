// The machine's own clock.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from './clock.ts';

export const systemClock: Clock = {
  nowMs: () => performance.now(),
  wallMs: () => Date.now(),
  sleep: async (durationMs, signal) => {
    signal.throwIfAborted();
    await sleep(durationMs, undefined, { signal }).catch(error => {
      signal.throwIfAborted();
      throw error;
    });
  },
};
