// Warnings that were sent to a webhook, as the whole cluster has them, so that another node can go on where one stopped.

import * as v from 'valibot';
import { count, type Infer, isoTime, list, nodeIdSchema, openObject, text } from '../schema.ts';
import { warningSchema } from '../warnings/warning.ts';

export const WEBHOOK_FORMATS = ['json', 'slack', 'alertmanager'] as const;
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];

const sentWarningSchema = openObject({
  id: text,
  level: warningSchema.entries.level,
  title: text,
  /** The first of the nodes concerned. */
  nodes: v.pipe(list(nodeIdSchema), v.maxLength(8)),
  /** Wall time of the sender when it was raised. */
  startsAt: isoTime,
});

/** Raised at a receiver, and not cleared there. */
export type SentWarning = Infer<typeof sentWarningSchema>;

const notificationsSchema = openObject({
  /** Name in config.toml. */
  webhook: text,
  /** Larger by one than that of the node that sent before: of several lists the newest counts, without comparing clocks. */
  term: count,
  open: list(sentWarningSchema),
});

type Notifications = Infer<typeof notificationsSchema>;

/** Open warnings that are remembered for one webhook. More are raised as these are cleared. */
export const OPEN_WARNINGS_MAX = 200;

/** Its row of the table of kinds. */
export const NOTIFICATION_KINDS = {
  'notifications.sent': {
    class: 'durable',
    field: 'notifications',
    shape: 'keyed',
    // Names of webhooks that a person has used; the oldest is dropped.
    entriesMax: 32,
    isNewestKept: true,
    schema: notificationsSchema,
    key: ({ webhook }: Notifications): string => webhook,
    texts: { webhook: 'key', id: 'free', level: 'plain', title: 'free', startsAt: 'plain' },
  },
} as const;
