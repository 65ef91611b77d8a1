// A clock for the sender of OTLP on which a pause between two tries takes no time, and waiting for a reply lasts until it is there.

import type { Clock } from '../../src/clock/clock.ts';
import { DELIVERY_ANSWER_MS_MAX } from '../../src/report/deliver.ts';

export const otlpClock = (onPause: (ms: number) => void = () => undefined): Clock => ({
  nowMs: () => 0,
  wallMs: () => 0,
  sleep: async (ms, signal) => {
    if (ms < DELIVERY_ANSWER_MS_MAX) return onPause(ms);
    await new Promise((_, reject) => {
      if (signal.aborted) reject(signal.reason);
      else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  },
});
