// The format of `plimsoll wire --json`: the plan of core, and the placement of a model if one is named.

import * as v from 'valibot';
import { openObject } from '../core/schema.ts';
import { WIRING_ENTRIES, WIRING_SCHEMA } from '../core/wiring/wiring-plan.ts';
import { headroomDocumentSchema } from './headroom-schema.ts';

export const wiringDocumentSchema: v.GenericSchema = openObject({
  schema: v.literal(WIRING_SCHEMA),
  ...WIRING_ENTRIES,
  headroom: v.exactOptional(
    v.pipe(headroomDocumentSchema, v.description('Where to place the model, if one was named.')),
  ),
});
