// When samples of an open-loop pattern are due, as offsets from the start of the load. Pure and seeded: every load thread
// walks the whole schedule and sends its own share, so that the schedule does not depend on the number of threads.

export interface Arrivals {
  /** Ascending, ns, without an end. */
  nextNs(): number;
}

export type ArrivalPattern =
  | { readonly kind: 'poisson'; readonly requestsPerSecond: number }
  | { readonly kind: 'constant'; readonly requestsPerSecond: number };

export const arrivals = (pattern: ArrivalPattern, seed: number): Arrivals => {
  const meanNs = 1e9 / pattern.requestsPerSecond;
  switch (pattern.kind) {
    case 'constant': {
      let index = 0;
      return { nextNs: () => Math.round(index++ * meanNs) };
    }
    case 'poisson': {
      const random = mulberry32(seed);
      let atNs = 0;
      return {
        nextNs: () => {
          atNs += -Math.log1p(-random()) * meanNs;
          return Math.round(atNs);
        },
      };
    }
  }
};

/** Tommy Ettinger's public-domain generator: 32 bits of state, passes gjrand's 13 tests. */
const mulberry32 = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};
