// Timers of the event loop as the measuring threads use them, coarse but free of promises. A port, so that a simulation turns
// the same threads on a clock of its own.

export interface LoopTimers {
  /** Once, after so many ms; disposing of it is forgetting it. */
  after(ms: number, act: () => void): Disposable;
  /** Again and again. */
  every(ms: number, act: () => void): Disposable;
  /** Behind the next look at the sockets. */
  soon(act: () => void): Disposable;
}

/** Node's own. */
export const LOOP_TIMERS: LoopTimers = {
  after: (ms, act) => setTimeout(act, ms),
  every: (ms, act) => setInterval(act, ms),
  soon: act => setImmediate(act),
};
