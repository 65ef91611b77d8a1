// Time as the rest of the program sees it. Monotonic time measures; wall time is for display and for what must outlive
// the process. Nothing else may read the machine's clock.

export interface Clock {
  /** Monotonic, ms, with fractions. Its zero is arbitrary. */
  nowMs(): number;
  /** Milliseconds since 1970 UTC; may jump. */
  wallMs(): number;
  /**
   * Resolves after `durationMs`.
   * @throws the signal's reason, at once, when it aborts.
   */
  sleep(durationMs: number, signal: AbortSignal): Promise<void>;
}

// Waiting that an AbortSignal ends, where the abort is an expected end and not an error.

/** Resolves when the signal aborts, at once if it has. Never rejects. */
export const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** The result of the work, or undefined if the signal aborts first. The work itself is not stopped. */
export const unlessAborted = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> => {
  const aborted = Promise.withResolvers<undefined>();
  const giveUp = (): void => aborted.resolve(undefined);
  if (signal.aborted) giveUp();
  else signal.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    // The signal may outlive many such waits.
    signal.removeEventListener('abort', giveUp);
  }
};

/** Sleeps for the duration, or less if the signal aborts. */
export const pause = async (
  clock: Pick<Clock, 'sleep'>,
  durationMs: number,
  signal: AbortSignal,
): Promise<void> => {
  try {
    await clock.sleep(durationMs, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
};
