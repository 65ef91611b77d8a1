// What a webhook of format "json" receives: the warnings that were raised and cleared since the message before.

import * as v from 'valibot';
import { type Infer, isoTime, nodeIdSchema, openObject, text } from '../core/schema.ts';
import { warningSchema } from '../core/warnings/warning.ts';

export const WARNINGS_SCHEMA = 'plimsoll.warnings/1';

const nodeSchema = openObject({ id: nodeIdSchema, name: text });

const changeSchema = openObject({
  event: v.picklist(['raised', 'cleared']),
  id: v.pipe(text, v.description('The same when it is raised and when it is cleared.')),
  level: warningSchema.entries.level,
  title: text,
  /** Missing if it is cleared. */
  why: v.exactOptional(v.string()),
  on: warningSchema.entries.on,
  command: warningSchema.entries.command,
  nodes: v.array(nodeSchema),
  /** When it was raised. */
  startsAt: isoTime,
  endsAt: v.exactOptional(isoTime),
});

export const warningsMessageSchema = openObject({
  schema: v.literal(WARNINGS_SCHEMA),
  /** Name in config.toml. */
  webhook: text,
  /** The node that sends. */
  sender: nodeSchema,
  sentAt: isoTime,
  changes: v.array(changeSchema),
});

export type WarningsMessage = Infer<typeof warningsMessageSchema>;
