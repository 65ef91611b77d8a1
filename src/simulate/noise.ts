// Smooth, seeded noise: equal seeds and times give equal values on every machine, in any order, so a simulated load
// depends on time and not on how often it is read.

import { seededRandom } from '../core/random.ts';

/**
 * Value noise from -1 to 1: random values at whole `x`, joined smoothly (cosine) between them.
 * @param x e.g. seconds divided by the length of a wave.
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

/** A different number for each name under one seed: FNV-1a. */
export const seedOf = (seed: number, name: string): number => {
  let hash = 2_166_136_261 ^ seed;
  for (let index = 0; index < name.length; index += 1)
    hash = Math.imul(hash ^ name.charCodeAt(index), 16_777_619);
  return hash >>> 0;
};

const latticeValue = (seed: number, at: number): number => seededRandom(seed * LATTICE + at).next() * 2 - 1;

/** Whole seconds of twelve days fit between two seeds. */
const LATTICE = 1_048_576;
