// A gatherer that is restarted when something it depends on changes, such as the settings: gatherers read and report at
// once when they start.

import type { Gatherer } from './gatherer.ts';

/** Calls back at each change; returns the end of the subscription. */
export type OnChange = (listener: () => void) => () => void;

/** A gatherer that has found nothing on this machine stays ended. */
export const wasRestarted = (gatherer: Gatherer, onChange: OnChange): Gatherer => ({
  ...gatherer,
  gather: async session => {
    for (let isChanged = true; isChanged && !session.signal.aborted; ) {
      const change = new AbortController();
      const end = onChange(() => change.abort());
      try {
        await gatherer.gather({ ...session, signal: AbortSignal.any([session.signal, change.signal]) });
      } catch (error) {
        if (!change.signal.aborted) throw error;
      } finally {
        end();
      }
      isChanged = change.signal.aborted;
    }
  },
});
