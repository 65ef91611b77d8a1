// What n samples allow one to claim about a tail percentile with 99% confidence: the early-stopping estimate of MLPerf
// inference (rules, appendix "Early stopping criterion"). A p99 of a hundred samples is an anecdote; this says so.

/** The chance that the claim is wrong. */
const DOUBT = 0.01;

/**
 * The number t such that the t-th highest of n samples bounds the percentile: the largest t with n ≥ minpass(t) + t,
 * where minpass(t) is the smallest h with I_p(h, t + 1) < 0.01.
 * @returns 0 when n is too small for any claim.
 */
export const earlyStoppingRank = (count: number, percentile: number): number => {
  const p = percentile / 100;
  if (!(p >= 0.5 && p < 1))
    throw new RangeError(`early stopping is for percentiles from 50 to below 100, not ${percentile}`);
  // I_p(n − t, t + 1) is the chance of at most t values above the percentile among n: it rises with t.
  const isAllowed = (t: number): boolean =>
    regularisedIncompleteBeta({ x: p, a: count - t, b: t + 1 }) < DOUBT;
  if (count < 2 || !isAllowed(1)) return 0;
  let allowed = 1;
  let refused = count;
  while (refused - allowed > 1) {
    const middle = Math.floor((allowed + refused) / 2);
    if (isAllowed(middle)) allowed = middle;
    else refused = middle;
  }
  return allowed;
};

/** The estimate itself: sorted[n − t], or undefined when n is too small. */
export const earlyStoppingEstimate = (sorted: ArrayLike<number>, percentile: number): number | undefined => {
  const rank = earlyStoppingRank(sorted.length, percentile);
  return rank === 0 ? undefined : sorted[sorted.length - rank];
};

/** I_x(a, b) for a, b > 0 and 0 ≤ x ≤ 1, by Lentz's continued fraction (DLMF 8.17.22). */
export const regularisedIncompleteBeta = ({
  x,
  a,
  b,
}: {
  readonly x: number;
  readonly a: number;
  readonly b: number;
}): number => {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - regularisedIncompleteBeta({ x: 1 - x, a: b, b: a });
  const front = Math.exp(
    logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x) - Math.log(a),
  );
  return front * continuedFraction({ x, a, b });
};

const continuedFraction = ({
  x,
  a,
  b,
}: {
  readonly x: number;
  readonly a: number;
  readonly b: number;
}): number => {
  let c = 1;
  let d = 1 / awayFromZero(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m <= ITERATIONS_MAX; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / awayFromZero(1 + even * d);
    c = awayFromZero(1 + even / c);
    fraction *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / awayFromZero(1 + odd * d);
    c = awayFromZero(1 + odd / c);
    const step = d * c;
    fraction *= step;
    if (Math.abs(step - 1) < PRECISION) break;
  }
  return fraction;
};

const awayFromZero = (value: number): number => (Math.abs(value) < TINY ? TINY : value);

/** ln Γ(z) for z > 0: Stirling's series (DLMF 5.11.1) after shifting z above 15. */
export const logGamma = (z: number): number => {
  let shifted = z;
  let correction = 0;
  while (shifted < 15) {
    correction -= Math.log(shifted);
    shifted += 1;
  }
  const inverse = 1 / shifted;
  const square = inverse * inverse;
  const series =
    inverse * (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square / 1188))));
  return correction + (shifted - 0.5) * Math.log(shifted) - shifted + HALF_LOG_TAU + series;
};

const HALF_LOG_TAU = 0.5 * Math.log(2 * Math.PI);
const ITERATIONS_MAX = 100_000;
const PRECISION = 1e-14;
const TINY = 1e-300;
