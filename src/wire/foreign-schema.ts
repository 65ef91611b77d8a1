// Where an imported run comes from, in config.json, report.json and events.

import * as v from 'valibot';
import {
  FOREIGN_TOOLS,
  type ForeignMark,
  type ForeignOrigin,
  UNREPORTED_MAX,
} from '../core/run/foreign-run.ts';
import { bytes, openObject, reported, text } from './schema.ts';

const short = v.pipe(v.string(), v.maxLength(300));
const mark = { tool: v.picklist(FOREIGN_TOOLS), version: reported(short) };

export const foreignMarkSchema: v.GenericSchema<unknown, ForeignMark> = openObject(mark);

export const foreignOriginSchema: v.GenericSchema<unknown, ForeignOrigin> = openObject({
  ...mark,
  file: text,
  sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  bytes,
  hasRequests: v.boolean(),
  unreported: v.pipe(v.array(openObject({ what: short, reason: short })), v.maxLength(UNREPORTED_MAX)),
});
