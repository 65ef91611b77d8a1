// Cancellation of requests by the client: after how long, and how many of them.

import { formatThreeDigits } from '../figure/figure.ts';
import { distributionText, type LengthDistribution } from '../statistics/length-distribution.ts';

export type CancelPolicy = {
  /** Whole milliseconds after sending, at least 1. */
  readonly afterMs: LengthDistribution;
  /** Share of the measured requests, 0 to 1. */
  readonly share: number;
};

/** "30.0% of requests after 200..800 ms". */
export const cancelText = ({ afterMs, share }: CancelPolicy): string =>
  `${share === 1 ? 'all' : `${formatThreeDigits(share * 100)}% of`} requests after ${distributionText(afterMs)} ms`;
