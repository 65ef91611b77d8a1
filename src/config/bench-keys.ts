// Rows of config.toml for load that this machine generates for others; a part of config-keys.ts.

export const BENCH_SECTION = {
  meaning: 'Load that this machine generates for others: `plimsoll bench --from` and `--agents`',
  keys: {
    isAgent: {
      key: 'agent',
      value: { kind: 'boolean', default: false },
      meaning: 'true: nodes of the cluster may have this machine load the targets below.',
    },
    targets: {
      value: { kind: 'origin', default: [], example: ['https://llm.example.net', 'http://10.0.0.7:8000'] },
      meaning:
        'Origins that it may load: scheme, host and port, written out. Without any, it loads nothing. Loopback only by its own address or localhost.',
    },
    keys: {
      value: {
        kind: 'targetKey',
        default: [],
        example: ['https://llm.example.net LLM_KEY', 'http://10.0.0.7:8000 /run/secrets/llm'],
      },
      meaning:
        'API keys for these targets: the origin, a space, and an environment variable or the absolute path of a file. Keys are never received from others, nor sent to them.',
    },
    requestsPerSecondMax: {
      key: 'rate_max',
      value: { kind: 'whole', min: 1, max: 1_000_000, default: 5_000 },
      meaning: 'Requests a second that it sends for others.',
    },
    connectionsMax: {
      key: 'connections_max',
      value: { kind: 'whole', min: 1, max: 20_000, default: 2_048 },
      meaning: 'Connections that it opens for others.',
    },
    durationMsMax: {
      key: 'duration_max',
      value: { kind: 'duration', min: 1_000, max: 604_800_000, default: '1h' },
      meaning: 'How long one load for others may last.',
    },
    samplesMax: {
      key: 'samples_max',
      value: { kind: 'whole', min: 1, max: 100_000_000, default: 2_000_000 },
      meaning: 'Requests of one load for others.',
    },
    port: {
      value: { kind: 'port', example: 4184 },
      meaning:
        'The port on which a load for a node of the cluster is coordinated. Without it: any free one, announced over the mesh.',
    },
  },
} as const;
