// The settings of config.toml after it has been read and checked. Durations are in ms, sizes in bytes.

import type { HostPort } from '../core/address/host-port.ts';
import type { NodeConfig } from '../core/node/config.ts';
import { type Unknown, unknown } from '../core/unknown.ts';
import type { LogFormat, LogLevel } from './log-values.ts';

export interface Config {
  /** The name other people see; undefined: the computer's own. */
  readonly name: string | undefined;
  readonly tags: readonly string[];
  readonly site: string | undefined;
  readonly rack: string | undefined;
  /** "HGX H200"; undefined: derived from its GPUs or its model. */
  readonly machineKind: string | undefined;
  readonly mesh: MeshConfig;
  readonly fleet: FleetConfig;
  readonly network: { readonly ignoredInterfaces: readonly string[] };
  readonly http: HttpConfig;
  readonly probes: ProbeConfig;
  readonly journal: JournalConfig;
  readonly gather: GatherConfig;
  readonly endpoints: readonly EndpointConfig[];
  readonly bench: BenchConfig;
  readonly otlp: OtlpConfig;
  readonly log: LogConfig;
}

export interface MeshConfig {
  readonly listen: ListenConfig | { readonly kind: 'off' };
  /** HOST, HOST:PORT or [IPV6]:PORT, as written. */
  readonly peers: readonly string[];
  /** How long this node may be silent before others call it stale, then offline; the second is never smaller. */
  readonly presence: { readonly staleMs: number; readonly offlineMs: number };
  readonly discovery:
    | { readonly kind: 'every-interface' }
    | { readonly kind: 'off' }
    | { readonly kind: 'interfaces'; readonly names: readonly string[] };
}

/** A NATS server between many nodes, in addition to the mesh or instead of it. */
export interface FleetConfig {
  /** nats://HOST:PORT or tls://HOST:PORT; none: no fleet. */
  readonly servers: readonly string[];
  /** In the subjects; several clusters may share a server. */
  readonly cluster: string;
  /** A path, from the home where it is not absolute; undefined: the server asks for none. */
  readonly credentials: string | undefined;
  /** Certificates to trust; undefined: those of the system. */
  readonly ca: string | undefined;
  readonly isHandshakeFirst: boolean;
  /** nats:// beyond this machine is allowed. */
  readonly mayBePlain: boolean;
  /** Which readings arrive as they are published; those of other nodes arrive every few seconds. */
  readonly subscriptions: 'all' | 'group';
}

/** A configured address is binding: if it is taken, the daemon stops instead of choosing another. */
export interface ListenConfig extends HostPort {
  readonly kind: 'listen';
  readonly isExplicit: boolean;
}

interface HttpConfig {
  readonly listen: ListenConfig;
  /** Names under which browsers may request the page, in addition to addresses and localhost. */
  readonly hostNames: readonly string[];
}

interface ProbeConfig {
  readonly isEnabled: boolean;
  readonly gpuTtlMs: number;
  readonly socketTtlMs: number;
  readonly rdmaTtlMs: number;
  /** Of an interface's time, 0..0.5. */
  readonly bandwidthShare: number;
  /** Payload of bandwidth probes on one interface, both directions. */
  readonly bytesPerHourMax: number;
  /** undefined: an ephemeral port, sent over the mesh. */
  readonly port: number | undefined;
}

interface JournalConfig {
  readonly sizeBytesMax: number;
  readonly rawHistoryMs: number;
  readonly hourlyHistoryMs: number;
}

interface GatherConfig {
  readonly memoryMs: number;
  readonly systemMs: number;
  readonly gpuMs: number;
  readonly thunderboltMs: number;
  readonly networkMs: number;
  readonly rdmaMs: number;
  readonly diskMs: number;
  readonly identityMs: number;
}

export interface EndpointConfig {
  /** http or https; may contain credentials: never shown, never sent to other nodes. */
  readonly url: string;
}

/** What this machine may load on behalf of others. */
export interface BenchConfig {
  readonly isAgent: boolean;
  /** As URL.origin spells them. */
  readonly targets: readonly string[];
  readonly keys: readonly TargetKey[];
  readonly requestsPerSecondMax: number;
  readonly connectionsMax: number;
  readonly durationMsMax: number;
  readonly samplesMax: number;
  /** undefined: an ephemeral port, sent over the mesh. */
  readonly port: number | undefined;
}

/** Where this machine's figures are sent. */
export interface OtlpConfig {
  /** Without /v1/metrics; undefined: nowhere. */
  readonly endpoint: string | undefined;
  readonly intervalMs: number;
  readonly compression: 'none' | 'gzip';
}

/** What a daemon writes on standard error. */
export interface LogConfig {
  /** undefined: info, and warn in a terminal. */
  readonly level: LogLevel | undefined;
  readonly format: LogFormat;
}

/** Where the API key for a target is; never the key. */
export interface TargetKey {
  readonly origin: string;
  readonly source:
    | { readonly kind: 'variable'; readonly name: string }
    | { readonly kind: 'file'; readonly path: string };
}

export const publicConfig = (config: Config): NodeConfig => ({
  tags: config.tags,
  site: config.site ?? NOT_SET,
  rack: config.rack ?? NOT_SET,
  machineKind: config.machineKind ?? NOT_SET,
  ignoredInterfaces: config.network.ignoredInterfaces,
  staticPeerCount: config.mesh.peers.length,
  presence: config.mesh.presence,
  probes: {
    isEnabled: config.probes.isEnabled,
    gpuTtlSeconds: config.probes.gpuTtlMs / 1_000,
    socketTtlSeconds: config.probes.socketTtlMs / 1_000,
    rdmaTtlSeconds: config.probes.rdmaTtlMs / 1_000,
  },
  makesLoad: config.bench.isAgent && config.bench.targets.length > 0,
  servedEndpoints: config.endpoints.map(({ url }) => new URL(url).origin),
});

const NOT_SET: Unknown = unknown('not set in config.toml');
