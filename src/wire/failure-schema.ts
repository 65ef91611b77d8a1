// Why requests failed and when the server was away, as sent between processes and stored.

import * as v from 'valibot';
import {
  FAILURE_GROUPS_MAX,
  type FailureCounts,
  type FailureGroup,
  type RunFailures,
} from '../core/run/failure-groups.ts';
import { OUTAGES_MAX, type Outage } from '../core/run/outage.ts';
import { FAILURE_KINDS } from '../core/run/outcome.ts';
import type { UnsuccessfulEnd } from '../core/run/unsuccessful-end.ts';
import { count, figure, openObject, text } from './schema.ts';

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

const outage: v.GenericSchema<unknown, Outage> = openObject({
  fromNs: figure,
  toNs: figure,
  isOver: v.boolean(),
  failed: count,
  isSilent: v.exactOptional(v.literal(true)),
});

const unsuccessfulEnd: v.GenericSchema<unknown, UnsuccessfulEnd> = openObject({
  fromNs: figure,
  toNs: figure,
});

export const runFailuresSchema: v.GenericSchema<unknown, RunFailures> = openObject({
  groups: v.pipe(v.array(group), v.maxLength(FAILURE_GROUPS_MAX)),
  others: v.exactOptional(countsSchema),
  outages: v.pipe(v.array(outage), v.maxLength(OUTAGES_MAX)),
  unsuccessfulEnd: v.exactOptional(unsuccessfulEnd),
});
