// Looking several times at growing evidence finds something by chance more often than once. Pocock's boundaries (Biometrika 64, 1977)
// ask the same level at each look; his are for the normal distribution, these for Student's t of few pairs.

/**
 * The level of each look at which the whole has a false alarm in 5 %. Found from made-up comparisons
 * (`npm run bench -- compare-truth --only levels`).
 */
export const lookAlpha = (looks: readonly number[]): number => {
  const known = looks.length === 1 ? ALPHA : LEVELS[looks.join(' ')];
  // What holds for any looks, if more strictly than needed (Bonferroni).
  return known ?? ALPHA / looks.length;
};

/** Of a whole comparison. */
const ALPHA = 0.05;
const LEVELS: Readonly<Record<string, number>> = { '6 8 12': 0.0227 };
