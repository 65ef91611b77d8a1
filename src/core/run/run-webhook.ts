// What a webhook receives when a run has ended: what was asked, and the figures that a cluster stores of it.

import * as v from 'valibot';
import { type Infer, openObject, text } from '../schema.ts';
import { type Report, reportRunSchema } from './report.ts';
import { runFiguresSchema, runSchema } from './run.ts';
import { costSchema } from './run-cost.ts';
import { runDigest, stateOf } from './run-digest.ts';

export const RUN_WEBHOOK_SCHEMA = 'plimsoll.webhook/1';

export const runWebhookSchema = openObject({
  schema: v.literal(RUN_WEBHOOK_SCHEMA),
  event: v.literal('run.ended'),
  /** Machine that ran it. */
  node: text,
  /** Its `id` is the same in each repetition of a message. */
  run: reportRunSchema,
  state: runSchema.entries.state,
  /** Why it is not complete; '' if it is. */
  reason: text,
  figures: runFiguresSchema,
  cost: v.exactOptional(costSchema),
});

export type RunWebhook = Infer<typeof runWebhookSchema>;

export const runWebhook = (report: Report): RunWebhook => ({
  schema: RUN_WEBHOOK_SCHEMA,
  event: 'run.ended',
  node: report.environment.node,
  run: report.run,
  state: stateOf(report),
  reason: report.incompleteReason ?? '',
  figures: runDigest(report),
  ...(report.cost === undefined ? {} : { cost: report.cost }),
});
