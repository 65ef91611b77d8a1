// Every key of config.toml, once: what is read, its type, the file written on first start, the check for unknown keys,
// `plimsoll config show` and the tables of docs/config.md all come from here. A key is one row, under the name of its
// property in Config.

import { BENCH_SECTION } from './bench-keys.ts';
import { OUTGOING_ROWS } from './outgoing-keys.ts';
import type { ValueKind } from './value-kinds.ts';

export type TomlValue = string | number | boolean | readonly (string | number)[];

export interface ConfigSection {
  /** '' for keys before the first section. */
  readonly name: string;
  /** Written [[name]], any number of times; a key without a default is required in each. */
  readonly isList: boolean;
  readonly meaning: string;
  readonly keys: readonly ConfigKey[];
}

export type ConfigKey = ConfigValue & {
  /** Of Config. */
  readonly property: string;
  readonly key: string;
  readonly meaning: string;
};

type ConfigValue = KindAndLimits & {
  /** Without one, `example` shows a possible value. [] if it is a list of values of its kind. */
  readonly default?: TomlValue;
  readonly example?: TomlValue;
};

type KindAndLimits =
  | { readonly kind: Ranged; readonly min: number; readonly max: number }
  | { readonly kind: Capped; readonly min?: never; readonly max: number }
  | { readonly kind: Exclude<ValueKind, Ranged | Capped>; readonly min?: never; readonly max?: never };
type Ranged = 'whole' | 'duration' | 'size';
type Capped = 'text' | 'share';

/** As written in the file: JSON's strings, numbers, booleans and lists of strings are also valid TOML. */
export const tomlText = (value: TomlValue): string =>
  isList(value) ? `[${value.map(item => JSON.stringify(item)).join(', ')}]` : JSON.stringify(value);

const isList = (value: TomlValue): value is readonly (string | number)[] => Array.isArray(value);

export const CONFIG_ROWS = {
  '': {
    meaning: 'This machine',
    keys: {
      name: {
        value: { kind: 'text', max: 64, example: 'atlas' },
        meaning: "The displayed name of this machine. Without it: the computer's name.",
      },
      tags: {
        value: { kind: 'text', max: 63, default: [], example: ['studio', 'team=search'] },
        meaning: 'Words for finding and grouping machines, alone or as "key=value".',
      },
      site: {
        value: { kind: 'group', example: 'greenwich' },
        meaning: 'Where this machine is. Without it: the site that Kubernetes reports, if it runs there.',
      },
      rack: {
        value: { kind: 'group', example: 'r07' },
        meaning: 'Its rack. Links within one rack are measured before those to other racks.',
      },
      machineKind: {
        key: 'kind',
        value: { kind: 'group', example: 'HGX H200' },
        meaning: 'The kind of this machine in groups. Without it: its GPUs, or its model.',
      },
      prices: {
        key: 'price',
        value: { kind: 'prices', example: '2.50 EUR/h, 0.32 EUR/kWh' },
        meaning:
          'What an hour of this machine costs, and its electricity: reports of benchmarks that load it have their cost. `--price` replaces it.',
      },
    },
  },
  http: {
    meaning: 'The dashboard and the API',
    keys: {
      listen: {
        value: { kind: 'address', default: '127.0.0.1:4180' },
        meaning:
          'HOST:PORT. Beyond 127.0.0.1 the token is needed. If the default port is taken, the next free one is used; if one written here is taken, the daemon does not start.',
      },
      hostNames: {
        key: 'host_names',
        value: { kind: 'host', default: [], example: ['atlas.example.net'] },
        meaning: 'Names under which a browser may open the page, in addition to localhost and addresses.',
      },
    },
  },
  mesh: {
    meaning: 'Other machines. Without a cluster key there is no mesh.',
    keys: {
      listen: {
        value: { kind: 'addressOrOff', default: '[::]:4181' },
        meaning: 'HOST:PORT for connections of other nodes, or "off".',
      },
      peers: {
        value: {
          kind: 'peer',
          default: [],
          example: ['juno.local', '192.168.7.2:4181', '[fe80::2%en3]:4181'],
        },
        meaning: 'Nodes to connect to if discovery does not reach them.',
      },
      discovery: {
        value: { kind: 'discovery', default: 'every-interface' },
        meaning: '"every-interface", "off", or a list of interface names.',
      },
      staleMs: {
        key: 'stale_after',
        value: { kind: 'silence', default: '10s' },
        meaning:
          'How long this node may be silent before other nodes show it as stale. Takes effect at once.',
      },
      offlineMs: {
        key: 'offline_after',
        value: { kind: 'silence', default: '30s' },
        meaning: 'The same, before they show it as offline; at least stale_after.',
      },
    },
  },
  fleet: {
    meaning:
      'A NATS server between many machines, if a mesh of pairs would be too much. Needs a cluster key; see docs/fleet.md.',
    keys: {
      servers: {
        value: { kind: 'fleetServer', default: [], example: ['tls://nats.example.net:4222'] },
        meaning:
          'The servers, tls://HOST:PORT or nats://HOST:PORT; one of a cluster is enough. None: no fleet.',
      },
      cluster: {
        value: { kind: 'cluster', default: 'plimsoll' },
        meaning:
          'The name of this cluster on the server: letters, digits, - and _. The same on all its machines.',
      },
      credentials: {
        value: { kind: 'text', max: 1_000, example: 'fleet.nkey' },
        meaning:
          'The file that `plimsoll fleet add` wrote for this machine; in this home unless it is an absolute path.',
      },
      ca: {
        value: { kind: 'text', max: 1_000, example: 'fleet-ca.pem' },
        meaning: "Certificates to trust, if the server's own is not from a public authority.",
      },
      isHandshakeFirst: {
        key: 'handshake_first',
        value: { kind: 'boolean', default: true },
        meaning:
          'TLS from the first byte. false only for servers before 2.10, which send a greeting in plain text before TLS begins.',
      },
      mayBePlain: {
        key: 'plaintext',
        value: { kind: 'boolean', default: false },
        meaning:
          'true: nats:// is allowed beyond this machine. Messages are sealed with the cluster key in any case; an observer of the network can then see who sends when.',
      },
      subscriptions: {
        key: 'receives',
        value: { kind: 'subscriptions', default: 'all' },
        meaning: '"group": readings of other racks come every 5 s. For a fleet of thousands.',
      },
    },
  },
  network: {
    meaning: 'Network interfaces',
    keys: {
      ignoredInterfaces: {
        key: 'ignored_interfaces',
        value: { kind: 'interface', default: [], example: ['docker0', 'virbr0'] },
        meaning: 'Interfaces to ignore: neither shown nor probed.',
      },
    },
  },
  probes: {
    meaning: 'Active measurements',
    keys: {
      isEnabled: {
        key: 'enabled',
        value: { kind: 'boolean', default: true },
        meaning: 'false: no active measurements.',
      },
      gpuTtlMs: {
        key: 'gpu_ttl',
        value: { kind: 'lifetime', default: '1h' },
        meaning: 'How long a GPU profile stays fresh.',
      },
      socketTtlMs: {
        key: 'socket_ttl',
        value: { kind: 'lifetime', default: '5m' },
        meaning: 'How long a profile of a socket connection stays fresh.',
      },
      rdmaTtlMs: {
        key: 'rdma_ttl',
        value: { kind: 'lifetime', default: '6h' },
        meaning: 'How long a profile of an RDMA connection stays fresh.',
      },
      bandwidthShare: {
        key: 'bandwidth_share',
        value: { kind: 'share', max: 0.5, default: 0.02 },
        meaning: "The share of an interface's time that bandwidth probes may use, up to 0.5.",
      },
      bytesPerHourMax: {
        key: 'bytes_per_hour',
        value: { kind: 'size', min: 1e6, max: 1e15, default: '50GB' },
        meaning:
          'Bytes that bandwidth probes may send over one interface in an hour, both directions together.',
      },
      port: {
        value: { kind: 'port', example: 4190 },
        meaning: 'The port for probes between nodes. Without it: any free one, announced over the mesh.',
      },
    },
  },
  journal: {
    meaning: 'What is stored on disk',
    keys: {
      sizeBytesMax: {
        key: 'size_max',
        value: { kind: 'size', min: 1e6, max: 1e12, default: '512MB' },
        meaning: 'Size limit of the whole journal; the oldest records go first.',
      },
      rawHistoryMs: {
        key: 'raw_days',
        value: { kind: 'days', default: 3 },
        meaning: 'How many days every profile is kept.',
      },
      hourlyHistoryMs: {
        key: 'hourly_days',
        value: { kind: 'days', default: 90 },
        meaning: 'How many days one row an hour is kept.',
      },
    },
  },
  gather: {
    meaning: "How often this machine's readings are taken",
    keys: {
      memoryMs: { key: 'memory', value: { kind: 'interval', default: '500ms' }, meaning: 'Memory and swap.' },
      systemMs: {
        key: 'system',
        value: { kind: 'interval', default: '1s' },
        meaning: 'CPU use, temperatures, power.',
      },
      gpuMs: { key: 'gpu', value: { kind: 'interval', default: '1s' }, meaning: 'GPU load.' },
      thunderboltMs: {
        key: 'thunderbolt',
        value: { kind: 'interval', default: '5s' },
        meaning: 'Thunderbolt ports and peers.',
      },
      networkMs: {
        key: 'network',
        value: { kind: 'interval', default: '10s' },
        meaning: 'Interfaces; changes are seen at once if the system announces them.',
      },
      rdmaMs: {
        key: 'rdma',
        value: { kind: 'interval', default: '10s' },
        meaning: 'RDMA devices and ports.',
      },
      diskMs: { key: 'disk', value: { kind: 'interval', default: '30s' }, meaning: 'Volumes.' },
      identityMs: {
        key: 'identity',
        value: { kind: 'interval', default: '30s' },
        meaning: 'Name, model, operating system.',
      },
    },
  },
  endpoints: {
    isList: true,
    meaning:
      "Inference servers on this machine, one block each. While one is busy, probes of this machine's GPUs wait.",
    keys: {
      url: {
        value: { kind: 'endpoint', example: 'http://127.0.0.1:8000' },
        meaning: 'Other nodes see scheme, host and port, never credentials or paths.',
      },
    },
  },
  engines: {
    meaning:
      'Servers of models on this machine, found by their usual ports; see docs/engines.md. Takes effect at once.',
    keys: {
      isEnabled: {
        key: 'enabled',
        value: { kind: 'boolean', default: true },
        meaning: 'false: none is looked for. Those of [[endpoints]] are still watched.',
      },
      ports: {
        value: { kind: 'port', default: [], example: [9000, 8001] },
        meaning: 'More ports on which engines of this machine listen.',
      },
      intervalMs: {
        key: 'interval',
        value: { kind: 'duration', min: 1_000, max: 60_000, default: '5s' },
        meaning: 'How often, from 1s to 1m; after a restart of the daemon.',
      },
    },
  },
  bench: BENCH_SECTION,
  ...OUTGOING_ROWS,
  log: {
    meaning: 'The log of the daemon, on standard error; see docs/service.md. Takes effect at once.',
    keys: {
      level: {
        value: { kind: 'logLevel', example: 'info' },
        meaning: '"debug", "info", "warn" or "error". Without it: "info", and "warn" in a terminal.',
      },
      format: {
        value: { kind: 'logFormat', default: 'logfmt' },
        meaning: '"logfmt": key=value pairs; "json": one object a line.',
      },
    },
  },
} as const;

interface SectionRow {
  readonly isList?: true;
  readonly meaning: string;
  readonly keys: Readonly<Record<string, KeyRow>>;
}

interface KeyRow {
  /** Where it is not the name of the property. */
  readonly key?: string;
  readonly value: ConfigValue;
  readonly meaning: string;
}

/** The same rows, for everything that treats all of them in the same way. */
export const CONFIG_SECTIONS: readonly ConfigSection[] = Object.entries<SectionRow>(CONFIG_ROWS).map(
  ([name, { isList = false, meaning, keys }]) => ({
    name,
    isList,
    meaning,
    keys: Object.entries(keys).map(([property, { key = property, value, ...row }]) => ({
      property,
      key,
      ...value,
      ...row,
    })),
  }),
);
