// A server's own finish reasons, as sent between processes and stored on disk.

import * as v from 'valibot';
import { FINISH_NAMES_MAX, type FinishNameCount } from '../core/run/finish-name-tally.ts';
import { count, openObject } from './schema.ts';

export const finishNamesSchema: v.GenericSchema<unknown, FinishNameCount[]> = v.pipe(
  v.array(openObject({ name: v.pipe(v.string(), v.minLength(1), v.maxLength(256)), count })),
  v.maxLength(FINISH_NAMES_MAX),
);
