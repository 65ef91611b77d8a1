// The error bound of a series as snapshots and reports carry it.

import * as v from 'valibot';
import type { ErrorBound, SeriesErrorBound } from '../core/run/error-bound.ts';
import { figure, openObject } from './schema.ts';

const bound: v.GenericSchema<unknown, ErrorBound> = openObject({ above: figure, below: figure });

export const errorBoundSchema: v.GenericSchema<unknown, SeriesErrorBound> = openObject({
  mean: bound,
  percentiles: v.record(v.pipe(v.string(), v.regex(/^\d{1,3}(\.\d{1,6})?$/)), bound),
});
