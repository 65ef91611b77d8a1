// Failures by kind as they cross a process boundary and stand on disk: by the kinds that every version knows, and beside them by those
// that came later.

import * as v from 'valibot';
import {
  FAILURE_KINDS,
  type FailuresByKind,
  isLaterFailureKind,
  SHARED_FAILURE_KINDS,
} from '../core/run/outcome.ts';
import { count } from './schema.ts';

type Errors = FailuresByKind['errors'];
type LaterErrors = NonNullable<FailuresByKind['laterErrors']>;

const errors: v.GenericSchema<unknown, Errors> = v.record(
  v.picklist(SHARED_FAILURE_KINDS),
  v.exactOptional(count),
);
const laterErrors: v.ExactOptionalSchema<v.GenericSchema<unknown, LaterErrors>, undefined> = v.exactOptional(
  v.record(v.picklist(FAILURE_KINDS.filter(isLaterFailureKind)), v.exactOptional(count)),
);

/** Fields of what counts failures. */
export const failureCountSchemas: {
  readonly errors: typeof errors;
  readonly laterErrors: typeof laterErrors;
} = { errors, laterErrors };

/** Of what an older version did not count by kind. */
export const maybeFailureCountSchemas: {
  readonly errors: v.ExactOptionalSchema<typeof errors, undefined>;
  readonly laterErrors: typeof laterErrors;
} = { errors: v.exactOptional(errors), laterErrors };
