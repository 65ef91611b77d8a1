// Seeded random numbers: equal seeds give equal numbers on every machine, so that a schedule or a synthetic
// prompt is reproducible. Small Fast Counter 32 (C. Doty-Humphrey, PractRand, public domain): 128 bits of
// state, a period of at least 2³², no known statistical flaw. Not for secrets.

export interface SeededRandom {
  /** From 0 to below 1, in steps of 2⁻⁵³. */
  next(): number;
  /** A whole number from 0 to below `bound`. */
  below(bound: number): number;
}

/** @param seed any number; its lower 53 bits count. */
export const seededRandom = (seed: number): SeededRandom => {
  // Signed: V8 allocates memory for every number above 2³¹ that a closure stores.
  let a = seed | 0;
  let b = Math.floor(seed / 2 ** 32) | 0;
  let c = 0;
  let counter = 1;
  const word = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  // The author's own number of rounds, after which neighbouring seeds are uncorrelated.
  for (let round = 0; round < MIXING_ROUNDS; round += 1) word();
  const next = (): number => (word() * 2 ** 21 + (word() >>> 11)) / 2 ** 53;
  return { next, below: bound => Math.floor(next() * bound) };
};

const MIXING_ROUNDS = 15;
