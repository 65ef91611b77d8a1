// The error bound of a series in snapshots and reports.

import * as v from 'valibot';
import { recordOf } from '../core/record-of.ts';
import type { ErrorBound, RunBounds, SeriesErrorBound } from '../core/run/error-bound.ts';
import type { RateBounds } from '../core/run/rate-bounds.ts';
import { RATE_KEYS } from '../core/run/run-rates.ts';
import type { Reported } from '../core/unknown.ts';
import { figure, openObject, reported, unknownSchema } from './schema.ts';

const bound: v.GenericSchema<unknown, ErrorBound> = openObject({ above: figure, below: figure });

export const errorBoundSchema: v.GenericSchema<unknown, SeriesErrorBound> = openObject({
  mean: bound,
  percentiles: v.record(v.pipe(v.string(), v.regex(/^\d{1,3}(\.\d{1,6})?$/)), bound),
});

export const runBoundsSchema: v.GenericSchema<unknown, RunBounds> = openObject({ windowNs: bound });

/** A rate that is not listed is unknown. */
export const rateBoundsSchema: v.GenericSchema<unknown, Reported<RateBounds>> = reported(
  openObject(recordOf(RATE_KEYS, () => v.exactOptional(v.union([unknownSchema, bound])))),
);
