// Holm's step-down correction (Scandinavian Journal of Statistics 6, 1979): for several tests without a true
// effect, the probability that any adjusted value is at most α is at most α, for any dependence.

/** As if each were the only one, in the given order. */
export const holmAdjusted = (chances: readonly number[]): readonly number[] => {
  const order = chances.map((_, index) => index).sort((a, b) => (chances[a] ?? 1) - (chances[b] ?? 1));
  const adjusted = chances.map(() => 1);
  let least = 0;
  for (const [rank, index] of order.entries()) {
    least = Math.max(least, Math.min(1, (chances[index] ?? 1) * (chances.length - rank)));
    adjusted[index] = least;
  }
  return adjusted;
};
