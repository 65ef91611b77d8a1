// When a run sends its requests, what that means for its figures, and how it is written.

import { formatCount, formatThreeDigits } from '../figure/figure.ts';

export type RunPattern =
  | { readonly kind: 'concurrency'; readonly concurrency: number }
  | { readonly kind: 'poisson'; readonly requestsPerSecond: number }
  | { readonly kind: 'constant'; readonly requestsPerSecond: number }
  | { readonly kind: 'max-throughput' };

/** A schedule that does not wait for answers: only with it does a sample have an intended time. */
export const isOpenLoop = (
  pattern: RunPattern,
): pattern is Extract<RunPattern, { readonly kind: 'poisson' | 'constant' }> =>
  pattern.kind === 'poisson' || pattern.kind === 'constant';

/** "16 at a time", "Poisson 8.50 req/s", "constant 20.0 req/s", "max throughput". */
export const patternLabel = (pattern: RunPattern): string => {
  switch (pattern.kind) {
    case 'concurrency':
      return `${formatCount(pattern.concurrency)} at a time`;
    case 'poisson':
      return `Poisson ${formatThreeDigits(pattern.requestsPerSecond)} req/s`;
    case 'constant':
      return `constant ${formatThreeDigits(pattern.requestsPerSecond)} req/s`;
    case 'max-throughput':
      return 'max throughput';
    default:
      return pattern satisfies never;
  }
};
