// Timers of the event loop for the measuring threads, coarse but without promises. A port, so that a
// simulation can run the same threads on its own clock.

export interface LoopTimers {
  /** They fire on time, to a fraction of a millisecond. */
  readonly isExact?: boolean;
  /** Once, after this many ms; disposing of it cancels it. */
  after(ms: number, act: () => void): Disposable;
  /** Repeatedly. */
  every(ms: number, act: () => void): Disposable;
  /** After the next poll of the sockets. */
  soon(act: () => void): Disposable;
}

/** Node's own. */
export const LOOP_TIMERS: LoopTimers = {
  after: (ms, act) => setTimeout(act, ms),
  every: (ms, act) => setInterval(act, ms),
  soon: act => setImmediate(act),
};
