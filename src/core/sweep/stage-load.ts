// The load of a stage as a number and as people write it.

import { formatCount, formatThreeDigits } from '../figure/figure.ts';
import type { StageLoad } from './stage.ts';

/** Requests a second, or requests in flight. */
export const loadAmount = (load: StageLoad): number =>
  load.kind === 'rate' ? load.requestsPerSecond : load.concurrency;

/** "12.5 req/s", "64 at a time". */
export const loadText = (load: StageLoad): string =>
  load.kind === 'rate'
    ? `${formatThreeDigits(load.requestsPerSecond)} req/s`
    : `${formatCount(load.concurrency)} at a time`;
