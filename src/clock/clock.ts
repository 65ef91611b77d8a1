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
