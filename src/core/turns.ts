// Long work with places to stop at, so that a process with others to answer does it piece by piece; whoever needs the result at
// once takes all turns in one go, and what is derived is the same.

export type Turns<T> = Generator<void, T, void>;

/** All that is left of it, now. */
export const toTheEnd = <T>(turns: Turns<T>): T => {
  for (;;) {
    const step = turns.next();
    if (step.done === true) return step.value;
  }
};

/** Links, or nodes, between two places to stop at: a few ms where each is derived for the first time. */
export const ITEMS_OF_TURN = 64;
