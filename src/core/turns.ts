// Long work with points where it can pause, so that a process can serve others in between; a caller that
// needs the result at once runs all turns in one go, and the result is the same.

export type Turns<T> = Generator<void, T, void>;

/** Runs everything that is left of it now. */
export const toTheEnd = <T>(turns: Turns<T>): T => {
  for (;;) {
    const step = turns.next();
    if (step.done === true) return step.value;
  }
};

/**
 * Links, or nodes, between two points where it can pause: a few ms if each is derived for the first time.
 */
export const ITEMS_OF_TURN = 64;
