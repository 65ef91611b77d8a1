// Carries one fact from the load stream to the inventory: the devices are not the ones they were.

import type { Clock } from '../../clock/clock.ts';

export class DeviceWatch {
  #seen: string | undefined;
  #isChanged = false;
  #wake: (() => void) | undefined;

  /** The devices of a tick, in the tool's order. Asks for an inventory when they differ from the tick before. */
  see(deviceIds: readonly string[]): void {
    const seen = deviceIds.join(' ');
    if (this.#seen !== undefined && seen !== this.#seen) {
      this.#isChanged = true;
      this.#wake?.();
    }
    this.#seen = seen;
  }

  /**
   * Waits for the duration, or less when the devices change, but never for less than a sixth of it: a device that
   * comes and goes must not start a process each time. Returns at once when the signal aborts.
   */
  async wait(clock: Clock, durationMs: number, signal: AbortSignal): Promise<void> {
    await sleepUntil(clock, durationMs / 6, signal);
    if (!this.#isChanged && !signal.aborted) {
      const woken = new AbortController();
      const wake = (): void => woken.abort();
      this.#wake = wake;
      signal.addEventListener('abort', wake, { once: true });
      await sleepUntil(clock, (durationMs * 5) / 6, woken.signal);
      signal.removeEventListener('abort', wake);
      this.#wake = undefined;
    }
    this.#isChanged = false;
  }
}

/** Sleeps for the duration or until the signal aborts. */
const sleepUntil = async (clock: Clock, durationMs: number, signal: AbortSignal): Promise<void> => {
  try {
    await clock.sleep(durationMs, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
};
