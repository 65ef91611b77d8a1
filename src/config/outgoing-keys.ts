// The keys of config.toml for what this machine sends: warnings, its own figures. Rows of config-keys.ts.

export const OUTGOING_ROWS = {
  webhooks: {
    isList: true,
    meaning:
      'Receivers of warnings, one block each: a warning is sent when it is raised and when it is cleared. See docs/notifications.md. Takes effect at once.',
    keys: {
      name: {
        value: { kind: 'webhookName', example: 'ops' },
        meaning: 'Its name. Of all nodes with a webhook of one name, one node sends.',
      },
      url: {
        value: { kind: 'webhookUrl', example: 'https://hooks.example/warnings' },
        meaning:
          'Where to send. It is treated as a secret: not shown, not logged, not sent to other nodes. For Alertmanager without /api/v2/alerts.',
      },
      format: {
        value: { kind: 'webhookFormat', default: 'json' },
        meaning:
          '"json": `plimsoll schema warnings`; "slack": also for Mattermost and others; "alertmanager".',
      },
      level: {
        value: { kind: 'warningLevel', default: 'caution' },
        meaning: 'The least serious level that is sent.',
      },
      raisedAfterMs: {
        key: 'raised_after',
        value: { kind: 'duration', min: 5_000, max: 3_600_000, default: '30s' },
        meaning: 'How long a warning must last before it is sent.',
      },
      clearedAfterMs: {
        key: 'cleared_after',
        value: { kind: 'duration', min: 5_000, max: 86_400_000, default: '5m' },
        meaning: 'How long it must be over before it is sent as cleared.',
      },
    },
  },
  otlp: {
    meaning:
      "This machine's figures for a receiver of OpenTelemetry; see docs/opentelemetry.md. Takes effect at once.",
    keys: {
      endpoint: {
        value: { kind: 'receiver', example: 'http://127.0.0.1:4318' },
        meaning:
          'OTLP over HTTP with JSON, without /v1/metrics. Without it: nothing is sent. No credentials: a collector on this machine adds them.',
      },
      intervalMs: {
        key: 'interval',
        value: { kind: 'duration', min: 1_000, max: 3_600_000, default: '10s' },
        meaning: 'How often, from 1s to 1h.',
      },
      compression: {
        value: { kind: 'compression', default: 'none' },
        meaning: '"none" or "gzip".',
      },
    },
  },
} as const;
