// Looking several times at growing evidence finds something by chance more often than once. Pocock's
// boundaries (Biometrika 64, 1977) use the same level at each look; his are for the normal distribution,
// these for Student's t with few pairs.

/**
 * The level of each look for a false alarm rate of 5 % over all looks. Found from simulated comparisons (`npm
 * run bench -- compare-truth --only levels`).
 */
export const lookAlpha = (looks: readonly number[]): number => {
  const known = looks.length === 1 ? ALPHA : LEVELS[looks.join(' ')];
  // Valid for any looks, but stricter than necessary (Bonferroni).
  return known ?? ALPHA / looks.length;
};

/** For a whole comparison. */
const ALPHA = 0.05;
const LEVELS: Readonly<Record<string, number>> = { '6 8 12': 0.0227 };
