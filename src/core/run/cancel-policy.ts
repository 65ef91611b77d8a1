// Cancellation of requests by the client: after how long, and how many of them.

import { formatThreeDigits } from '../figure/figure.ts';
import { type Infer, openObject, share } from '../schema.ts';
import { distributionText, lengthDistributionSchema } from '../statistics/length-distribution.ts';

export const cancelPolicySchema = openObject({
  /** Whole milliseconds after sending, at least 1. */
  afterMs: lengthDistributionSchema,
  /** Of the measured requests. */
  share,
});

export type CancelPolicy = Infer<typeof cancelPolicySchema>;

/** "30.0% of requests after 200..800 ms". */
export const cancelText = ({ afterMs, share }: CancelPolicy): string =>
  `${share === 1 ? 'all' : `${formatThreeDigits(share * 100)}% of`} requests after ${distributionText(afterMs)} ms`;
