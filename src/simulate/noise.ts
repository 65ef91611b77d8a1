// Smooth, seeded unrest: equal seeds and moments give equal values on every machine, in any order, so that a simulated
// load is a function of time and not of how often somebody looked.

import { seededRandom } from '../core/random.ts';

/**
 * Value noise from -1 to 1: random values at whole `x`, joined smoothly (cosine) between them.
 * @param x e.g. seconds divided by how long a wave should be.
 */
export const smoothNoise = (seed: number, x: number): number => {
  const left = Math.floor(x);
  const share = (1 - Math.cos((x - left) * Math.PI)) / 2;
  return latticeValue(seed, left) * (1 - share) + latticeValue(seed, left + 1) * share;
};

/** Slow swell with quick ripples on it, about -1 to 1. */
export const unrest = (seed: number, seconds: number): number =>
  0.65 * smoothNoise(seed, seconds / 23) +
  0.25 * smoothNoise(seed + 1, seconds / 5.3) +
  0.1 * smoothNoise(seed + 2, seconds);

/** A number of its own for each name under one seed: FNV-1a. */
export const seedOf = (seed: number, name: string): number => {
  let hash = 2_166_136_261 ^ seed;
  for (let index = 0; index < name.length; index += 1)
    hash = Math.imul(hash ^ name.charCodeAt(index), 16_777_619);
  return hash >>> 0;
};

const latticeValue = (seed: number, at: number): number => seededRandom(seed * LATTICE + at).next() * 2 - 1;

/** Whole seconds of twelve days fit between two seeds. */
const LATTICE = 1_048_576;
