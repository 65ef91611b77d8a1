// The exact test of pairs: if A and B were the same, each pair's difference could equally have the other
// sign. It assumes no distribution, and cannot reach a value below 2 / 2^k.

/**
 * The share of all 2^k ways to choose the signs whose sum is at least as far from 0.
 * @returns undefined for too many pairs.
 */
export const signFlipChance = (differences: readonly number[]): number | undefined => {
  const count = differences.length;
  if (count === 0 || count > FLIPPED_PAIRS_MAX) return undefined;
  const seen = Math.abs(differences.reduce((sum, value) => sum + value, 0)) * (1 - ROUNDING);
  // A Gray code flips one sign per step; the other half of the combinations mirrors this one.
  const signs = differences.map(() => 1);
  let sum = differences.reduce((total, value) => total + value, 0);
  let ways = 1;
  let extreme = 1;
  for (let step = 1; step < 2 ** (count - 1); step += 1) {
    const flipped = 31 - Math.clz32(step & -step);
    const sign = signs[flipped] ?? 1;
    sum -= 2 * sign * (differences[flipped] ?? 0);
    signs[flipped] = -sign;
    ways += 1;
    if (Math.abs(sum) >= seen) extreme += 1;
  }
  return extreme / ways;
};

/** 2^19 sums take some milliseconds. */
export const FLIPPED_PAIRS_MAX = 20;
/** Sums of the same figures in another order differ in their last digits. */
const ROUNDING = 1e-9;
