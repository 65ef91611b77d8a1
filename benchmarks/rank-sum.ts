// The test that most people run on two lists of latencies: Mann and Whitney's, with the normal approximation. It
// assumes independent values, which those of one queue are not; it is here to show what that costs.

/** Two-sided chance of ranks so far apart. */
export const rankSumChance = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  const all = [
    ...Array.from(a, value => ({ value, isA: true })),
    ...Array.from(b, value => ({ value, isA: false })),
  ];
  all.sort((x, y) => x.value - y.value);
  const ranks = all.reduce((sum, { isA }, index) => (isA ? sum + index + 1 : sum), 0);
  const mean = (a.length * (a.length + b.length + 1)) / 2;
  const deviation = Math.sqrt((a.length * b.length * (a.length + b.length + 1)) / 12);
  return twoSidedNormal((ranks - mean) / deviation);
};

/** P(|Z| ≥ |z|): Abramowitz and Stegun 7.1.26, to seven digits. */
const twoSidedNormal = (z: number): number => {
  const x = Math.abs(z) / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const series =
    t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return series * Math.exp(-x * x);
};
