// The bodies that a webhook receives, a row for each format of config.toml.

import type { NodeId } from '../../core/ids.ts';
import type { SentWarning, WebhookFormat } from '../../core/notify/notifications.ts';
import { type Warning, warningSort } from '../../core/warnings/warning.ts';
import { WARNINGS_SCHEMA, type WarningsMessage } from '../../wire/warnings-message.ts';

/** A warning that is or was open at the receiver. */
export interface NotifiedWarning extends SentWarning {
  /** As it is now; undefined if it is over. */
  readonly found: Warning | undefined;
}

export interface Notification {
  readonly webhook: string;
  readonly sender: NodeId;
  readonly nameOf: (node: NodeId) => string;
  readonly wallMs: number;
  readonly raised: readonly NotifiedWarning[];
  readonly cleared: readonly NotifiedWarning[];
  /** All that are open once this has arrived, the raised ones among them. */
  readonly open: readonly NotifiedWarning[];
}

interface WebhookBody {
  /** Appended to the URL if it does not end with it. */
  readonly path: string;
  /** Open warnings are sent again that often, ms: the receiver ends what it is not reminded of. */
  readonly repeatMs: number | undefined;
  readonly body: (notification: Notification) => unknown;
}

const timeText = (wallMs: number): string => new Date(wallMs).toISOString();

const jsonBody = ({ webhook, sender, nameOf, wallMs, raised, cleared }: Notification): WarningsMessage => {
  const nodeOf = (id: NodeId) => ({ id, name: nameOf(id) });
  const sentAt = timeText(wallMs);
  const shared = ({ id, level, title, nodes, startsAt }: NotifiedWarning) => ({
    id,
    level,
    title,
    nodes: nodes.map(nodeOf),
    startsAt,
  });
  return {
    schema: WARNINGS_SCHEMA,
    webhook,
    sender: nodeOf(sender),
    sentAt,
    changes: [
      ...raised.map(warning => ({
        event: 'raised' as const,
        ...shared(warning),
        why: warning.found?.why ?? '',
        ...(warning.found?.on === undefined ? {} : { on: warning.found.on }),
        ...(warning.found?.command === undefined ? {} : { command: warning.found.command }),
      })),
      ...cleared.map(warning => ({ event: 'cleared' as const, ...shared(warning), endsAt: sentAt })),
    ],
  };
};

/** https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks, escaped as "Formatting message text" requires. */
const slackBody = ({ raised, cleared }: Notification): { readonly text: string } => {
  const lines = [
    ...raised.map(({ level, title, found }) => {
      const command =
        found?.command === undefined ? '' : `\n\`${escaped(found.command)}\`${onText(found.on)}`;
      return `*${LEVEL_TEXTS[level]}: ${escaped(title)}*\n${escaped(found?.why ?? '')}${command}`;
    }),
    ...cleared.map(({ title }) => `*Cleared:* ${escaped(title)}`),
  ];
  const shown: string[] = [];
  let length = 0;
  for (const line of lines) {
    length += line.length + 2;
    if (length > SLACK_CHARACTERS_MAX) break;
    shown.push(line);
  }
  const left = lines.length - shown.length;
  return { text: [...shown, ...(left === 0 ? [] : [`and ${left} more: \`plimsoll status\``])].join('\n\n') };
};

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const onText = (on: string | undefined): string =>
  on === undefined || on === '' ? '' : ` on ${escaped(on)}`;

/**
 * POST /api/v2/alerts, https://prometheus.io/docs/alerting/latest/alerts_api. It forgets alerts when it restarts and ends those
 * that are not repeated, so all open ones are sent each time; labels identify an alert, so they stay as they were when it was
 * raised.
 */
const alertmanagerBody = ({ open, cleared, nameOf, wallMs }: Notification): readonly object[] => {
  const alertOf = (
    { id, level, title, nodes, startsAt, found }: NotifiedWarning,
    endsAtMs: number,
  ): object => ({
    labels: {
      alertname: 'PlimsollWarning',
      severity: SEVERITIES[level],
      kind: warningSort({ id, level }).slice(level.length + 1),
      warning: id,
      nodes: nodes.map(nameOf).join(', '),
    },
    annotations: {
      summary: title,
      ...(found === undefined ? {} : { description: found.why }),
      ...(found?.command === undefined ? {} : { command: found.command, on: found.on ?? '' }),
    },
    // An end before the start is refused, and the clock of the node that raised it may be ahead.
    ...(Date.parse(startsAt) < endsAtMs ? { startsAt } : {}),
    endsAt: timeText(endsAtMs),
  });
  return [
    ...open.map(warning => alertOf(warning, wallMs + ALERT_LASTS_MS)),
    ...cleared.map(warning => alertOf(warning, wallMs)),
  ];
};

const LEVEL_TEXTS = {
  danger: 'Danger',
  caution: 'Caution',
  note: 'Note',
} as const satisfies Record<Warning['level'], string>;

/** As in deploy/prometheus. */
const SEVERITIES = { danger: 'critical', caution: 'warning', note: 'info' } as const satisfies Record<
  Warning['level'],
  string
>;

/** Recommended length of a text; Slack cuts at 40,000. */
const SLACK_CHARACTERS_MAX = 4_000;
/** Clients repeat every 30 s to 3 min; https://prometheus.io/docs/alerting/clients. */
const ALERT_REPEAT_MS = 60_000;
/** As many repetitions may be lost as with Prometheus. */
const ALERT_LASTS_MS = 4 * ALERT_REPEAT_MS;

export const WEBHOOK_BODIES: Readonly<Record<WebhookFormat, WebhookBody>> = {
  json: { path: '', repeatMs: undefined, body: jsonBody },
  slack: { path: '', repeatMs: undefined, body: slackBody },
  alertmanager: { path: '/api/v2/alerts', repeatMs: ALERT_REPEAT_MS, body: alertmanagerBody },
};
