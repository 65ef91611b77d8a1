// Whether a run can have values of a series.

import type { Reported } from '../unknown.ts';
import { isOpenLoop, type RunPattern } from './run-pattern.ts';
import { type SeriesKey, seriesRow } from './run-series.ts';
import { isCapped, isOfSessions, PLAIN_SHAPE, type RunShape } from './run-shape.ts';

export const hasSeries = (
  key: SeriesKey,
  run: {
    readonly pattern: RunPattern;
    readonly isStreaming: boolean;
    readonly shape?: Reported<RunShape> | undefined;
  },
): boolean => {
  const { runs } = seriesRow(key);
  if (runs === 'capped') return isCapped(run.shape ?? PLAIN_SHAPE);
  if (runs === 'sessions') return isOfSessions(run.shape ?? PLAIN_SHAPE);
  return (
    (run.isStreaming || !runs.startsWith('streamed')) &&
    (isOpenLoop(run.pattern) || isOfSessions(run.shape ?? PLAIN_SHAPE) || !runs.endsWith('scheduled'))
  );
};
