// Why requests failed and when the server was away, as sent between processes and stored.

import * as v from 'valibot';
import { recordOf } from '../core/record-of.ts';
import type { ErrorBound, RunBounds, SeriesErrorBound } from '../core/run/event-record.ts';
import {
  FAILURE_GROUPS_MAX,
  type FailureCounts,
  type FailureGroup,
  type RunFailures,
} from '../core/run/failure-groups.ts';
import { FINISH_NAMES_MAX, type FinishNameCount } from '../core/run/finish-name-tally.ts';
import { OUTAGES_MAX, outageSchema } from '../core/run/outage.ts';
import { FAILURE_KINDS, type FailuresByKind } from '../core/run/outcome.ts';
import type { RateBounds } from '../core/run/rate-bounds.ts';
import { RATE_KEYS } from '../core/run/run-rates.ts';
import { unsuccessfulEndSchema } from '../core/run/unsuccessful-end.ts';
import { count, figure, openObject, reported, text, unknownSchema } from '../core/schema.ts';
import type { Reported } from '../core/unknown.ts';

const counts = { count, warmupCount: count, firstAtNs: figure, lastAtNs: figure };
const countsSchema: v.GenericSchema<unknown, FailureCounts> = openObject(counts);

const group: v.GenericSchema<unknown, FailureGroup> = openObject({
  ...counts,
  kind: v.picklist(FAILURE_KINDS),
  statusCode: count,
  message: text,
  example: text,
  isVaried: v.boolean(),
});

export const runFailuresSchema: v.GenericSchema<unknown, RunFailures> = openObject({
  groups: v.pipe(v.array(group), v.maxLength(FAILURE_GROUPS_MAX)),
  others: v.exactOptional(countsSchema),
  outages: v.pipe(v.array(outageSchema), v.maxLength(OUTAGES_MAX)),
  unsuccessfulEnd: v.exactOptional(unsuccessfulEndSchema),
});

// Failures by kind as they cross a process boundary and are stored.
export const failuresByKindSchema: v.GenericSchema<unknown, FailuresByKind['errors']> = v.record(
  v.picklist(FAILURE_KINDS),
  v.exactOptional(count),
);

// A server's own finish reasons, as sent between processes and stored on disk.
export const finishNamesSchema: v.GenericSchema<unknown, FinishNameCount[]> = v.pipe(
  v.array(openObject({ name: v.pipe(v.string(), v.minLength(1), v.maxLength(256)), count })),
  v.maxLength(FINISH_NAMES_MAX),
);

// The error bound of a series in snapshots and reports.
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
