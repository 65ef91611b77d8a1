// From the text of config.toml to a Config, or to everything that is wrong with it.

import { keyOfTarget, targetOrigin } from './bench-values.ts';
import type { Config, ListenConfig } from './config.ts';
import { CONFIG_SECTIONS } from './config-keys.ts';
import { type ConfigProblem, placeAt, withoutCredentials } from './config-problem.ts';
import { ConfigReader } from './config-reader.ts';
import { type ConfigSection, tomlText } from './config-section.ts';
import {
  discovery,
  durationMs,
  endpointUrl,
  GROUP_NAME_LENGTH_MAX,
  groupName,
  hostName,
  hostPort,
  interfaceName,
  listenOrOff,
  peerAddress,
  shareUpTo,
  sizeBytes,
  textUpTo,
  trueOrFalse,
  wholeNumber,
} from './config-values.ts';
import { clusterName, fleetServer, fleetSubscriptions } from './fleet-values.ts';
import { logFormat, logLevel } from './log-values.ts';
import { otlpCompression, otlpEndpoint } from './otlp-values.ts';
import { parseToml, plainValue, type TomlNode } from './toml-document.ts';

export type ParsedConfig =
  | { readonly kind: 'ok'; readonly config: Config; readonly settings: readonly Setting[] }
  | { readonly kind: 'broken'; readonly problems: readonly ConfigProblem[] };

/** One key with its effective value. */
export interface Setting {
  readonly section: string;
  readonly key: string;
  /** As TOML, without credentials; '' if it is not set and has no default. */
  readonly valueText: string;
  readonly source: { readonly kind: 'default' } | { readonly kind: 'file'; readonly line: number };
}

/** Never throws, for any text. */
export const parseConfig = (text: string, file: string): ParsedConfig => {
  const document = parseToml(text);
  if (document.kind === 'broken') return { kind: 'broken', problems: [notToml(document, text, file)] };
  const reader = new ConfigReader({ file, text, entries: document.entries });
  const config = readConfigKeys(reader);
  if (reader.problems.length > 0) return { kind: 'broken', problems: inOrder(reader.problems) };
  return { kind: 'ok', config, settings: CONFIG_SECTIONS.flatMap(section => settingsOf(reader, section)) };
};

const notToml = (
  { problem, offset }: { readonly problem: string; readonly offset: number },
  text: string,
  file: string,
): ConfigProblem => ({
  file,
  place: placeAt(text, offset),
  problem: `this is not TOML: ${problem.charAt(0).toLowerCase()}${problem.slice(1)}`,
  advice: 'Text is in quotes, lists in brackets, sections on their own lines: see https://toml.io.',
});

const readConfigKeys = (reader: ConfigReader): Config => ({
  name: reader.optional('', 'name', textUpTo(64)),
  tags: reader.list('', 'tags', textUpTo(GROUP_NAME_LENGTH_MAX)),
  site: reader.optional('', 'site', groupName),
  rack: reader.optional('', 'rack', groupName),
  machineKind: reader.optional('', 'kind', groupName),
  http: {
    listen: listenAt(reader, 'http', reader.value('http', 'listen', hostPort)),
    hostNames: reader.list('http', 'host_names', hostName),
  },
  mesh: meshOf(reader),
  fleet: {
    servers: reader.list('fleet', 'servers', fleetServer),
    cluster: reader.value('fleet', 'cluster', clusterName),
    credentials: reader.optional('fleet', 'credentials', textUpTo(1_000)),
    ca: reader.optional('fleet', 'ca', textUpTo(1_000)),
    isHandshakeFirst: reader.value('fleet', 'handshake_first', trueOrFalse),
    mayBePlain: reader.value('fleet', 'plaintext', trueOrFalse),
    subscriptions: reader.value('fleet', 'receives', fleetSubscriptions),
  },
  network: { ignoredInterfaces: reader.list('network', 'ignored_interfaces', interfaceName) },
  probes: {
    isEnabled: reader.value('probes', 'enabled', trueOrFalse),
    gpuTtlMs: reader.value('probes', 'gpu_ttl', TTL),
    socketTtlMs: reader.value('probes', 'socket_ttl', TTL),
    rdmaTtlMs: reader.value('probes', 'rdma_ttl', TTL),
    bandwidthShare: reader.value('probes', 'bandwidth_share', shareUpTo(0.5)),
    bytesPerHourMax: reader.value('probes', 'bytes_per_hour', sizeBytes({ min: 1e6, max: 1e15 })),
    port: reader.optional('probes', 'port', wholeNumber({ min: 1, max: 65_535 })),
  },
  journal: {
    sizeBytesMax: reader.value('journal', 'size_max', sizeBytes({ min: 1e6, max: 1e12 })),
    rawHistoryMs: reader.value('journal', 'raw_days', DAYS) * DAY_MS,
    hourlyHistoryMs: reader.value('journal', 'hourly_days', DAYS) * DAY_MS,
  },
  gather: {
    memoryMs: reader.value('gather', 'memory', INTERVAL),
    systemMs: reader.value('gather', 'system', INTERVAL),
    gpuMs: reader.value('gather', 'gpu', INTERVAL),
    thunderboltMs: reader.value('gather', 'thunderbolt', INTERVAL),
    networkMs: reader.value('gather', 'network', INTERVAL),
    rdmaMs: reader.value('gather', 'rdma', INTERVAL),
    diskMs: reader.value('gather', 'disk', INTERVAL),
    identityMs: reader.value('gather', 'identity', INTERVAL),
  },
  endpoints: reader.blocks('endpoints', 'url', endpointUrl).map(url => ({ url })),
  bench: {
    isAgent: reader.value('bench', 'agent', trueOrFalse),
    targets: reader.list('bench', 'targets', targetOrigin),
    keys: reader.list('bench', 'keys', keyOfTarget),
    requestsPerSecondMax: reader.value('bench', 'rate_max', wholeNumber({ min: 1, max: 1_000_000 })),
    connectionsMax: reader.value('bench', 'connections_max', wholeNumber({ min: 1, max: 20_000 })),
    durationMsMax: reader.value('bench', 'duration_max', durationMs({ min: 1_000, max: 7 * DAY_MS })),
    samplesMax: reader.value('bench', 'samples_max', wholeNumber({ min: 1, max: 100_000_000 })),
    port: reader.optional('bench', 'port', wholeNumber({ min: 1, max: 65_535 })),
  },
  otlp: {
    endpoint: reader.optional('otlp', 'endpoint', otlpEndpoint),
    intervalMs: reader.value('otlp', 'interval', durationMs({ min: 1_000, max: 3_600_000 })),
    compression: reader.value('otlp', 'compression', otlpCompression),
  },
  log: {
    level: reader.optional('log', 'level', logLevel),
    format: reader.value('log', 'format', logFormat),
  },
});

const meshOf = (reader: ConfigReader): Config['mesh'] => {
  const listen = reader.value('mesh', 'listen', listenOrOff);
  const staleMs = reader.value('mesh', 'stale_after', SILENCE);
  const offlineMs = Math.max(staleMs, reader.value('mesh', 'offline_after', SILENCE));
  return {
    listen: listen === 'off' ? { kind: 'off' } : listenAt(reader, 'mesh', listen),
    peers: reader.list('mesh', 'peers', peerAddress),
    presence: { staleMs, offlineMs },
    discovery: reader.value('mesh', 'discovery', discovery),
  };
};

const listenAt = (
  reader: ConfigReader,
  section: string,
  { host, port }: { readonly host: string; readonly port: number },
): ListenConfig => ({
  kind: 'listen',
  host,
  port,
  isExplicit: reader.written(section, 'listen') !== undefined,
});

const settingsOf = (
  reader: ConfigReader,
  { name: section, isList, keys }: ConfigSection,
): readonly Setting[] => {
  const fromFile = (key: string, written: TomlNode): Setting => ({
    section,
    key,
    valueText: writtenText(plainValue(written)),
    source: { kind: 'file', line: reader.lineOf(written) },
  });
  if (isList) {
    return reader
      .blocksOf(section)
      .flatMap(({ entries }) => [...entries].map(([key, written]) => fromFile(key, written)));
  }
  return keys.map(({ key, default: standard }): Setting => {
    const written = reader.written(section, key);
    if (written !== undefined) return fromFile(key, written);
    const valueText = standard === undefined ? '' : tomlText(standard);
    return { section, key, valueText, source: { kind: 'default' } };
  });
};

/** A checked value contains only what JSON and TOML write in the same way. */
const writtenText = (written: unknown): string =>
  withoutCredentials(JSON.stringify(written).replaceAll('","', '", "'));

const inOrder = (problems: readonly ConfigProblem[]): readonly ConfigProblem[] =>
  problems.toSorted(
    (a, b) => (a.place?.line ?? 0) - (b.place?.line ?? 0) || (a.place?.column ?? 0) - (b.place?.column ?? 0),
  );

const DAY_MS = 86_400_000;
/** Tests and demos use short intervals and lifetimes: these limits only catch typing mistakes. */
/** Below a second, every pause of a busy machine would count. */
const SILENCE = durationMs({ min: 1_000, max: 3_600_000 });
const INTERVAL = durationMs({ min: 10, max: 3_600_000 });
const TTL = durationMs({ min: 100, max: 30 * DAY_MS });
const DAYS = wholeNumber({ min: 1, max: 3_650 });
