// Every key of config.toml with its default and its meaning, once: the file written on first start, the check for
// unknown keys, `plimsoll config show` and docs/config.md all come from here.

import type { ConfigSection } from './config-section.ts';
import { LOG_SECTION } from './log-values.ts';

export const CONFIG_SECTIONS: readonly ConfigSection[] = [
  {
    name: '',
    isList: false,
    meaning: 'This machine',
    keys: [
      {
        key: 'name',
        default: undefined,
        example: 'atlas',
        meaning: "The displayed name of this machine. Without it: the computer's name.",
      },
      {
        key: 'tags',
        default: [],
        example: ['studio', 'team=search'],
        meaning: 'Words for finding and grouping machines, alone or as "key=value".',
      },
      {
        key: 'site',
        default: undefined,
        example: 'greenwich',
        meaning: 'Where this machine is. Without it: the site that Kubernetes reports, if it runs there.',
      },
      {
        key: 'rack',
        default: undefined,
        example: 'r07',
        meaning: 'Its rack. Links within one rack are measured before those to other racks.',
      },
      {
        key: 'kind',
        default: undefined,
        example: 'HGX H200',
        meaning: 'The kind of this machine in groups. Without it: its GPUs, or its model.',
      },
    ],
  },
  {
    name: 'http',
    isList: false,
    meaning: 'The dashboard and the API',
    keys: [
      {
        key: 'listen',
        default: '127.0.0.1:4180',
        meaning:
          'HOST:PORT. Beyond 127.0.0.1 the token is needed. If the default port is taken, the next free one is used; if one written here is taken, the daemon does not start.',
      },
      {
        key: 'host_names',
        default: [],
        example: ['atlas.example.net'],
        meaning: 'Names under which a browser may open the page, in addition to localhost and addresses.',
      },
    ],
  },
  {
    name: 'mesh',
    isList: false,
    meaning: 'Other machines. Without a cluster key there is no mesh.',
    keys: [
      { key: 'listen', default: '[::]:4181', meaning: 'HOST:PORT for connections of other nodes, or "off".' },
      {
        key: 'peers',
        default: [],
        example: ['juno.local', '192.168.7.2:4181', '[fe80::2%en3]:4181'],
        meaning: 'Nodes to connect to if discovery does not reach them.',
      },
      {
        key: 'discovery',
        default: 'every-interface',
        meaning: '"every-interface", "off", or a list of interface names.',
      },
      {
        key: 'stale_after',
        default: '10s',
        meaning:
          'How long this node may be silent before other nodes show it as stale. Takes effect at once.',
      },
      {
        key: 'offline_after',
        default: '30s',
        meaning: 'The same, before they show it as offline; at least stale_after.',
      },
    ],
  },
  {
    name: 'fleet',
    isList: false,
    meaning:
      'A NATS server between many machines, if a mesh of pairs would be too much. Needs a cluster key; see docs/fleet.md.',
    keys: [
      {
        key: 'servers',
        default: [],
        example: ['tls://nats.example.net:4222'],
        meaning:
          'The servers, tls://HOST:PORT or nats://HOST:PORT; one of a cluster is enough. None: no fleet.',
      },
      {
        key: 'cluster',
        default: 'plimsoll',
        meaning:
          'The name of this cluster on the server: letters, digits, - and _. The same on all its machines.',
      },
      {
        key: 'credentials',
        default: undefined,
        example: 'fleet.nkey',
        meaning:
          'The file that `plimsoll fleet add` wrote for this machine; in this home unless it is an absolute path.',
      },
      {
        key: 'ca',
        default: undefined,
        example: 'fleet-ca.pem',
        meaning: "Certificates to trust, if the server's own is not from a public authority.",
      },
      {
        key: 'handshake_first',
        default: true,
        meaning:
          'TLS from the first byte. false only for servers before 2.10, which send a greeting in plain text before TLS begins.',
      },
      {
        key: 'plaintext',
        default: false,
        meaning:
          'true: nats:// is allowed beyond this machine. Messages are sealed with the cluster key in any case; an observer of the network can then see who sends when.',
      },
      {
        key: 'receives',
        default: 'all',
        meaning: '"group": readings of other racks come every 5 s. For a fleet of thousands.',
      },
    ],
  },
  {
    name: 'network',
    isList: false,
    meaning: 'Network interfaces',
    keys: [
      {
        key: 'ignored_interfaces',
        default: [],
        example: ['docker0', 'virbr0'],
        meaning: 'Interfaces to ignore: neither shown nor probed.',
      },
    ],
  },
  {
    name: 'probes',
    isList: false,
    meaning: 'Active measurements',
    keys: [
      { key: 'enabled', default: true, meaning: 'false: no active measurements.' },
      { key: 'gpu_ttl', default: '1h', meaning: 'How long a GPU profile stays fresh.' },
      {
        key: 'socket_ttl',
        default: '5m',
        meaning: 'How long a profile of a socket connection stays fresh.',
      },
      {
        key: 'rdma_ttl',
        default: '6h',
        meaning: 'How long a profile of an RDMA connection stays fresh.',
      },
      {
        key: 'bandwidth_share',
        default: 0.02,
        meaning: "The share of an interface's time that bandwidth probes may use, up to 0.5.",
      },
      {
        key: 'bytes_per_hour',
        default: '50GB',
        meaning:
          'Bytes that bandwidth probes may send over one interface in an hour, both directions together.',
      },
      {
        key: 'port',
        default: undefined,
        example: 4190,
        meaning: 'The port for probes between nodes. Without it: any free one, announced over the mesh.',
      },
    ],
  },
  {
    name: 'journal',
    isList: false,
    meaning: 'What is stored on disk',
    keys: [
      {
        key: 'size_max',
        default: '512MB',
        meaning: 'Size limit of the whole journal; the oldest records go first.',
      },
      { key: 'raw_days', default: 3, meaning: 'How many days every profile is kept.' },
      { key: 'hourly_days', default: 90, meaning: 'How many days one row an hour is kept.' },
    ],
  },
  {
    name: 'gather',
    isList: false,
    meaning: "How often this machine's readings are taken",
    keys: [
      { key: 'memory', default: '500ms', meaning: 'Memory and swap.' },
      { key: 'system', default: '1s', meaning: 'CPU use, temperatures, power.' },
      { key: 'gpu', default: '1s', meaning: 'GPU load.' },
      { key: 'thunderbolt', default: '5s', meaning: 'Thunderbolt ports and peers.' },
      {
        key: 'network',
        default: '10s',
        meaning: 'Interfaces; changes are seen at once if the system announces them.',
      },
      { key: 'rdma', default: '10s', meaning: 'RDMA devices and ports.' },
      { key: 'disk', default: '30s', meaning: 'Volumes.' },
      { key: 'identity', default: '30s', meaning: 'Name, model, operating system.' },
    ],
  },
  {
    name: 'endpoints',
    isList: true,
    meaning:
      "Inference servers on this machine, one block each. While one is busy, probes of this machine's GPUs wait.",
    keys: [
      {
        key: 'url',
        default: undefined,
        example: 'http://127.0.0.1:8000',
        meaning: 'Other nodes see scheme, host and port, never credentials or paths.',
      },
    ],
  },
  {
    name: 'bench',
    isList: false,
    meaning: 'Load that this machine generates for others: `plimsoll bench --from` and `--agents`',
    keys: [
      {
        key: 'agent',
        default: false,
        meaning: 'true: nodes of the cluster may have this machine load the targets below.',
      },
      {
        key: 'targets',
        default: [],
        example: ['https://llm.example.net', 'http://10.0.0.7:8000'],
        meaning:
          'Origins that it may load: scheme, host and port, written out. Without any, it loads nothing. Loopback only by its own address or localhost.',
      },
      {
        key: 'keys',
        default: [],
        example: ['https://llm.example.net LLM_KEY', 'http://10.0.0.7:8000 /run/secrets/llm'],
        meaning:
          'API keys for these targets: the origin, a space, and an environment variable or the absolute path of a file. Keys are never received from others, nor sent to them.',
      },
      { key: 'rate_max', default: 5_000, meaning: 'Requests a second that it sends for others.' },
      { key: 'connections_max', default: 2_048, meaning: 'Connections that it opens for others.' },
      { key: 'duration_max', default: '1h', meaning: 'How long one load for others may last.' },
      { key: 'samples_max', default: 2_000_000, meaning: 'Requests of one load for others.' },
      {
        key: 'port',
        default: undefined,
        example: 4184,
        meaning:
          'The port on which a load for a node of the cluster is coordinated. Without it: any free one, announced over the mesh.',
      },
    ],
  },
  {
    name: 'otlp',
    isList: false,
    meaning:
      "This machine's figures for a receiver of OpenTelemetry; see docs/opentelemetry.md. Takes effect at once.",
    keys: [
      {
        key: 'endpoint',
        default: undefined,
        example: 'http://127.0.0.1:4318',
        meaning:
          'OTLP over HTTP with JSON, without /v1/metrics. Without it: nothing is sent. No credentials: a collector on this machine adds them.',
      },
      { key: 'interval', default: '10s', meaning: 'How often, from 1s to 1h.' },
      { key: 'compression', default: 'none', meaning: '"none" or "gzip".' },
    ],
  },
  LOG_SECTION,
];
