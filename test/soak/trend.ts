// Whether a series grows: least squares through what comes after the warm-up, with an interval that is widened for samples that
// resemble their neighbours, which those of a process's memory do.

import { upperStudent } from '../../src/core/statistics/student-quantile.ts';

export interface TrendPoint {
  readonly hours: number;
  readonly value: number;
  /** Of the process, which may have begun before the series; default: it began with it. */
  readonly ageHours?: number;
}

/** Slopes an hour, in the unit of the values, with the ends of the 95 % interval. */
export interface Fit {
  readonly slope: number;
  readonly low: number;
  readonly high: number;
}

export type Trend =
  | (Fit & {
      readonly kind: 'flat' | 'grows' | 'undecided';
      readonly hours: number;
      readonly points: number;
    })
  /** Its slope is not judged. */
  | {
      readonly kind: 'too short';
      readonly hours: number;
      readonly points: number;
      readonly fit: Fit | undefined;
    };

/** Of a process, left out of every series: caches fill, code is compiled, the heap finds its size. */
export const WARM_UP_HOURS = 1 / 2;
/** What must remain: the two hours of a piece but for the warm-up, and a few minutes of coming up. */
const HOURS_MIN = 1.4;
const POINTS_MIN = 12;

/** What comes after the warm-up. */
export const judgedPoints = (series: readonly TrendPoint[]): readonly TrendPoint[] => {
  const from = series[0]?.hours ?? 0;
  return series.filter(({ hours, ageHours = hours - from }) => ageHours >= WARM_UP_HOURS);
};

/**
 * Flat: the upper end of the 95 % interval of the slope is below the limit. It grows: that end is not, and the lower end is above
 * nothing. Anything else is undecided.
 */
export const trendOf = (series: readonly TrendPoint[], limitPerHour: number): Trend => {
  const points = judgedPoints(series);
  const hours = Math.max(0, (points.at(-1)?.hours ?? 0) - (points[0]?.hours ?? 0));
  const length = { hours, points: points.length };
  if (points.length < POINTS_MIN) return { kind: 'too short', ...length, fit: undefined };
  const fit = fitOf(points);
  if (hours < HOURS_MIN) return { kind: 'too short', ...length, fit };
  const kind = fit.high < limitPerHour ? 'flat' : fit.low > 0 ? 'grows' : 'undecided';
  return { kind, ...fit, ...length };
};

const fitOf = (points: readonly TrendPoint[]): Fit => {
  const { slope, standardError } = leastSquares(points);
  const reach = upperStudent(0.025, points.length - 2) * standardError;
  return { slope, low: slope - reach, high: slope + reach };
};

interface Line {
  readonly slope: number;
  readonly standardError: number;
}

const leastSquares = (points: readonly TrendPoint[]): Line => {
  const [meanX, meanY] = [mean(points.map(({ hours }) => hours)), mean(points.map(({ value }) => value))];
  const spread = sum(points.map(({ hours }) => (hours - meanX) ** 2));
  const slope = sum(points.map(({ hours, value }) => (hours - meanX) * (value - meanY))) / spread;
  const residuals = points.map(({ hours, value }) => value - meanY - slope * (hours - meanX));
  const variance = sum(residuals.map(residual => residual ** 2)) / (points.length - 2);
  return { slope, standardError: Math.sqrt((variance / spread) * inflation(residuals)) };
};

/** Of the variance, (1 + r) / (1 - r) for the correlation r of neighbours, as of a first-order autoregression; at least 1. */
const inflation = (residuals: readonly number[]): number => {
  const whole = sum(residuals.map(residual => residual ** 2));
  if (whole === 0) return 1;
  const beside = sum(residuals.slice(1).map((residual, index) => residual * (residuals[index] ?? 0)));
  const r = Math.min(Math.max(beside / whole, 0), CORRELATION_MAX);
  return (1 + r) / (1 - r);
};

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]): number => sum(values) / values.length;

const CORRELATION_MAX = 0.99;
