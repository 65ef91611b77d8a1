// How connections and users are dealt out to load threads: in turn, so that the parts differ by one at most.

export interface Share {
  /** Of the thread, from 0. */
  readonly index: number;
  readonly of: number;
}

/** How many of `total` things fall to a thread; the shares of all threads add up to `total`. */
export const shareOf = (total: number, { index, of }: Share): number =>
  Math.floor(total / of) + (index < total % of ? 1 : 0);
