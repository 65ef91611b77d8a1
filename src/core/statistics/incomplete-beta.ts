// The incomplete beta function, its inverse, and the distributions derived from it, which intervals and early
// stopping need.

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
  // Beyond the range of doubles, where the fraction would take all its steps.
  if (!Number.isFinite(front) || front === 0) return Math.min(1, front);
  return front * continuedFraction({ x, a, b });
};

/** The x with I_x(a, b) = share, by bisection: I rises with x. */
export const betaQuantile = ({
  share,
  a,
  b,
}: {
  readonly share: number;
  readonly a: number;
  readonly b: number;
}): number => {
  let low = 0;
  let high = 1;
  while (high - low > QUANTILE_PRECISION * high) {
    const x = (low + high) / 2;
    if (x <= low || x >= high) break;
    if (regularisedIncompleteBeta({ x, a, b }) < share) low = x;
    else high = x;
  }
  return (low + high) / 2;
};

/**
 * The t that Student's distribution stays below with this probability, which is at least ½: P(T > t) = ½
 * I_x(ν/2, ½) at x = ν / (ν + t²) (DLMF 8.17; Abramowitz and Stegun 26.7.1).
 */
export const studentQuantile = (chance: number, degreesOfFreedom: number): number => {
  if (!(chance >= 0.5 && chance < 1 && degreesOfFreedom > 0))
    throw new RangeError(`no quantile ${chance} of Student's t with ${degreesOfFreedom} degrees of freedom`);
  const x = betaQuantile({ share: 2 * (1 - chance), a: degreesOfFreedom / 2, b: 0.5 });
  return Math.sqrt((degreesOfFreedom * (1 - x)) / x);
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
const QUANTILE_PRECISION = 1e-12;
