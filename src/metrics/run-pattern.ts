// What a pattern means for its metrics.

import type { RunPattern } from '../core/run/report.ts';

/** A schedule that does not wait for answers: only there a sample has an intended time of its own. */
export const isOpenLoop = (pattern: RunPattern): boolean =>
  pattern.kind === 'poisson' || pattern.kind === 'constant';
