// The first state of the committed recording: a cluster of eight whose every figure is known before.

import type { Clock } from '../../src/clock/clock.ts';
import type { State } from '../../src/core/state.ts';
import { replay } from '../../src/recording/replay.ts';
import { recordingFixture } from './recording-fixture.ts';

/** As if it had just been received, on that clock. */
export const recordedState = async (clock: Clock): Promise<State> => {
  const { promise, resolve, reject } = Promise.withResolvers<State>();
  const stop = new AbortController();
  const playing = replay(
    {
      path: recordingFixture,
      // A virtual clock wakes nothing before it is moved, and the first state is due at once.
      clock: {
        nowMs: () => clock.nowMs(),
        wallMs: () => clock.wallMs(),
        sleep: async (durationMs, signal) => {
          if (durationMs > 0) await clock.sleep(durationMs, signal);
        },
      },
      speed: 1,
      onState: resolve,
      onEvents: () => undefined,
      onBroken: reason => reject(new Error(reason)),
    },
    stop.signal,
  );
  try {
    return await promise;
  } finally {
    stop.abort();
    await playing;
  }
};
