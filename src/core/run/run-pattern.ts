// When a run sends its requests, what that means for its figures, and how it is written. One more distribution of
// arrivals is a variant of SchedulePattern with its burstiness and label here, and its gaps in bench/schedule/arrivals.ts.

import * as v from 'valibot';
import { formatCount, formatThreeDigits } from '../figure/figure.ts';
import { count, figure, type Infer, nonNegative, openObject } from '../schema.ts';

/** A lower shape has hardly any gaps to wait in, and with a higher one arrivals are evenly spaced. */
export const BURSTINESS_MIN = 0.001;
export const BURSTINESS_MAX = 1_000;

/** Shape of the gaps' gamma distribution: below 1 bursts, above 1 more even than Poisson. */
export const burstinessFigure: v.GenericSchema<unknown, number> = v.pipe(
  figure,
  v.minValue(BURSTINESS_MIN),
  v.maxValue(BURSTINESS_MAX),
);

export const runPatternSchema = v.variant('kind', [
  openObject({ kind: v.literal('concurrency'), concurrency: count }),
  openObject({ kind: v.literal('poisson'), requestsPerSecond: nonNegative }),
  openObject({ kind: v.literal('constant'), requestsPerSecond: nonNegative }),
  openObject({ kind: v.literal('gamma'), requestsPerSecond: nonNegative, burstiness: burstinessFigure }),
  openObject({ kind: v.literal('max-throughput') }),
]);

export type RunPattern = Infer<typeof runPatternSchema>;

/** Requests that are due at a rate, whether or not replies arrive. */
export type SchedulePattern = Exclude<RunPattern, { readonly kind: 'concurrency' | 'max-throughput' }>;

/** How the arrivals of a rate are distributed over time, at any rate. */
export type Arrival =
  | { readonly kind: 'poisson' }
  | { readonly kind: 'constant' }
  | { readonly kind: 'gamma'; readonly burstiness: number };

/** 1: Poisson; Infinity: constant. */
export const arrivalOf = (burstiness: number): Arrival => {
  if (burstiness === 1) return { kind: 'poisson' };
  return burstiness === Number.POSITIVE_INFINITY ? { kind: 'constant' } : { kind: 'gamma', burstiness };
};

/**
 * The parameter that vLLM and others describe arrivals with: 1 / the squared coefficient of variation of the gaps, 1
 * for Poisson, Infinity for constant.
 */
export const burstinessOf = (arrival: Arrival): number => {
  switch (arrival.kind) {
    case 'poisson':
      return 1;
    case 'constant':
      return Number.POSITIVE_INFINITY;
    case 'gamma':
      return arrival.burstiness;
    default:
      return arrival satisfies never;
  }
};

/** A schedule that does not wait for answers: only with it does a sample have an intended time. */
export const isOpenLoop = (pattern: RunPattern): pattern is SchedulePattern =>
  pattern.kind !== 'concurrency' && pattern.kind !== 'max-throughput';

/** "16 at a time", "Poisson 8.50 req/s", "gamma 8.50 req/s, burstiness 0.5", "max throughput". */
export const patternLabel = (pattern: RunPattern): string => {
  if (isOpenLoop(pattern))
    return scheduleLabel(pattern, `${formatThreeDigits(pattern.requestsPerSecond)} req/s`);
  switch (pattern.kind) {
    case 'concurrency':
      return `${formatCount(pattern.concurrency)} at a time`;
    case 'max-throughput':
      return 'max throughput';
    default:
      return pattern satisfies never;
  }
};

/** "constant 20.0 req/s"; @param rates as they are written, of one level or several */
export const scheduleLabel = (arrival: Arrival, rates: string): string => {
  switch (arrival.kind) {
    case 'poisson':
      return `Poisson ${rates}`;
    case 'constant':
      return `constant ${rates}`;
    case 'gamma':
      return `gamma ${rates}, burstiness ${burstinessText(arrival)}`;
    default:
      return arrival satisfies never;
  }
};

/** "Poisson arrivals", "gamma arrivals, burstiness 0.5". */
export const arrivalsLabel = (arrival: Arrival): string => scheduleLabel(arrival, 'arrivals');

const burstinessText = ({ burstiness }: { readonly burstiness: number }): string =>
  String(Number(burstiness.toPrecision(6)));
