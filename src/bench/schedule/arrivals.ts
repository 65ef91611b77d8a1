// When samples of an open-loop pattern are due, as offsets from the start of the load. Pure and seeded: every load thread
// walks the whole schedule and sends its own share, so that the schedule does not depend on the number of threads.

import { seededRandom } from '../../core/random.ts';

export interface Arrivals {
  /** Ascending, whole ns, without an end. */
  nextNs(): number;
}

export type ArrivalPattern =
  | { readonly kind: 'poisson'; readonly requestsPerSecond: number }
  | { readonly kind: 'constant'; readonly requestsPerSecond: number };

export const arrivals = (pattern: ArrivalPattern, seed: number): Arrivals => {
  const meanNs = 1e9 / pattern.requestsPerSecond;
  switch (pattern.kind) {
    case 'constant': {
      // Each from the start, never from the one before, so that nothing adds up to a drift.
      let index = 0;
      return { nextNs: () => Math.round(index++ * meanNs) };
    }
    case 'poisson': {
      const random = seededRandom(seed);
      let atNs = 0;
      return {
        nextNs: () => {
          // The inverse of 1 − e^(−x/mean). Rounded only when told, so that gaps below a nanosecond count too.
          atNs += -Math.log1p(-random.next()) * meanNs;
          return Math.round(atNs);
        },
      };
    }
    default:
      return pattern satisfies never;
  }
};

/** How connections and users are dealt out to load threads: in turn, so that the parts differ by one at most. */
export interface Share {
  /** Of the thread, from 0. */
  readonly index: number;
  readonly of: number;
}

/** How many of `total` things fall to a thread; the shares of all threads add up to `total`. */
export const shareOf = (total: number, { index, of }: Share): number =>
  Math.floor(total / of) + (index < total % of ? 1 : 0);
