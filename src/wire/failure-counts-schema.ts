// Failures by kind as they cross a process boundary and are stored.

import * as v from 'valibot';
import { FAILURE_KINDS, type FailuresByKind } from '../core/run/outcome.ts';
import { count } from './schema.ts';

export const failuresByKindSchema: v.GenericSchema<unknown, FailuresByKind['errors']> = v.record(
  v.picklist(FAILURE_KINDS),
  v.exactOptional(count),
);
