// The settings of config.toml after it has been read and checked; their types follow from the rows of config-keys.ts.
// Durations are in ms, sizes in bytes.

import type { NodeConfig } from '../core/node/config.ts';
import { type Unknown, unknown } from '../core/unknown.ts';
import type { CONFIG_ROWS } from './config-keys.ts';
import type { ValueKind, ValueOfKind } from './value-kinds.ts';

type Sections = typeof CONFIG_ROWS;

export type Config = ValuesOf<Sections['']['keys']> & {
  readonly [S in Exclude<keyof Sections, ''>]: Sections[S] extends { readonly isList: true }
    ? readonly Block<Sections[S]['keys']>[]
    : ValuesOf<Sections[S]['keys']>;
};

type ValuesOf<Keys> = {
  readonly [P in keyof Keys]: Keys[P] extends { readonly value: { readonly default: readonly [] } }
    ? readonly ValueOf<Keys[P]>[]
    : Keys[P] extends { readonly value: { readonly default: unknown } }
      ? ValueOf<Keys[P]>
      : ValueOf<Keys[P]> | undefined;
};

type Block<Keys> = { readonly [P in keyof Keys]: ValueOf<Keys[P]> };

type ValueOf<Key> = Key extends { readonly value: { readonly kind: infer K extends ValueKind } }
  ? ValueOfKind<K>
  : never;

/** A NATS server between many nodes, in addition to the mesh or instead of it. */
export type FleetConfig = Config['fleet'];

/** May contain credentials: never shown, never sent to other nodes. */
export type EndpointConfig = Config['endpoints'][number];

/** Where warnings are sent. Its URL is a secret: never shown, never logged, never sent to other nodes. */
export type WebhookConfig = Config['webhooks'][number];

/** What this machine may load on behalf of others. */
export type BenchConfig = Config['bench'];

/** Where this machine's figures are sent. */
export type OtlpConfig = Config['otlp'];

/** What a daemon writes on standard error. */
export type LogConfig = Config['log'];

/** The allow-list of what other nodes see. */
export const publicConfig = (config: Config): NodeConfig => ({
  tags: config.tags,
  site: config.site ?? NOT_SET,
  rack: config.rack ?? NOT_SET,
  machineKind: config.machineKind ?? NOT_SET,
  ignoredInterfaces: config.network.ignoredInterfaces,
  staticPeerCount: config.mesh.peers.length,
  presence: {
    staleMs: config.mesh.staleMs,
    offlineMs: Math.max(config.mesh.staleMs, config.mesh.offlineMs),
  },
  probes: {
    isEnabled: config.probes.isEnabled,
    gpuTtlSeconds: config.probes.gpuTtlMs / 1_000,
    socketTtlSeconds: config.probes.socketTtlMs / 1_000,
    rdmaTtlSeconds: config.probes.rdmaTtlMs / 1_000,
  },
  makesLoad: config.bench.isAgent && config.bench.targets.length > 0,
  webhooks: [...new Set(config.webhooks.map(({ name }) => name))],
  servedEndpoints: config.endpoints.map(({ url }) => new URL(url).origin),
  ...(config.prices === undefined ? {} : { prices: config.prices }),
});

const NOT_SET: Unknown = unknown('not set in config.toml');
