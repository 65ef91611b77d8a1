// When to retry a lost stream: soon at first, since a restart takes a second, then rarely, since the daemon may be gone.

const RETRY_MS_MIN = 1_000;
export const RETRY_MS_MAX = 15_000;

/** The wait before the given try (from 1), ms: 1, 2, 4, 8, 15, 15 … seconds. */
export const retryDelayMs = (attempt: number): number =>
  Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** Math.min(10, Math.max(0, attempt - 1)));
