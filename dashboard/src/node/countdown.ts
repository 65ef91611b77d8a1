// Time that is left, as a clock that runs down shows it: whole seconds, the last one until it is over.

/** "9:05". */
export const countdown = (leftMs: number): string => {
  const seconds = Math.max(0, Math.ceil(leftMs / 1_000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
};
