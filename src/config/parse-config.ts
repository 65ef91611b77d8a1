// From the text of config.toml to a Config, or to everything that is wrong with it.

import { counted } from '../core/figure/figure.ts';
import { nearest } from '../core/text/nearest.ts';
import { keyOfTarget, targetOrigin } from './bench-values.ts';
import type { Config, ListenConfig } from './config.ts';
import { CONFIG_SECTIONS } from './config-keys.ts';
import { type ConfigProblem, positionAt, withoutCredentials } from './config-problem.ts';
import { type ConfigSection, type TomlValue, tomlText } from './config-section.ts';
import {
  clusterName,
  discovery,
  durationMs,
  endpointUrl,
  fleetServer,
  fleetSubscriptions,
  GROUP_NAME_LENGTH_MAX,
  groupName,
  hostName,
  hostPort,
  interfaceName,
  listenOrOff,
  otlpCompression,
  otlpEndpoint,
  peerAddress,
  shareUpTo,
  sizeBytes,
  textUpTo,
  trueOrFalse,
  type ValueParser,
  wholeNumber,
} from './config-values.ts';
import { logFormat, logLevel } from './log-values.ts';
import { parseToml, plainValue, type TomlEntries, type TomlNode } from './toml-document.ts';

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
  position: positionAt(text, offset),
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
    (a, b) =>
      (a.position?.line ?? 0) - (b.position?.line ?? 0) ||
      (a.position?.column ?? 0) - (b.position?.column ?? 0),
  );

const DAY_MS = 86_400_000;
/** Tests and demos use short intervals and lifetimes: these limits only catch typing mistakes. */
/** Below a second, every pause of a busy machine would count. */
const SILENCE = durationMs({ min: 1_000, max: 3_600_000 });
const INTERVAL = durationMs({ min: 10, max: 3_600_000 });
const TTL = durationMs({ min: 100, max: 30 * DAY_MS });
const DAYS = wholeNumber({ min: 1, max: 3_650 });

// Reads values from a parsed TOML document one by one and collects every problem, so a person can fix them all at once.
interface ConfigDocument {
  readonly file: string;
  readonly text: string;
  readonly entries: TomlEntries;
}

class ConfigReader {
  readonly problems: ConfigProblem[] = [];
  readonly #document: ConfigDocument;

  constructor(document: ConfigDocument) {
    this.#document = document;
    this.#refuseUnknownKeys();
  }

  /** The node of a key in the file; undefined if it is not there. */
  written(section: string, key: string): TomlNode | undefined {
    if (section === '') return this.#document.entries.get(key);
    const table = this.#document.entries.get(section);
    return table?.kind === 'table' ? table.entries.get(key) : undefined;
  }

  /** The value, or its default if it is not set or invalid. */
  value<T>(section: string, key: string, parse: ValueParser<T>): T {
    const set = this.optional(section, key, parse);
    if (set !== undefined) return set;
    const standard = parse(defaultOf(section, key));
    if (standard.kind === 'ok') return standard.value;
    throw new TypeError(`the default of ${section}.${key} is not valid: ${standard.problem}`);
  }

  /** undefined if it is not set or invalid. */
  optional<T>(section: string, key: string, parse: ValueParser<T>): T | undefined {
    const written = this.written(section, key);
    return written === undefined ? undefined : this.#parsed(written, nameOf(section, key), parse);
  }

  /** The valid items; none if it is not set, which is the default of every list. */
  list<T>(section: string, key: string, parse: ValueParser<T>): readonly T[] {
    const written = this.written(section, key);
    if (written === undefined) return [];
    if (written.kind !== 'list') {
      this.#report(written.valueOffset, `${key} is not a list`, 'Write it in brackets: ["one", "two"].');
      return [];
    }
    if (written.items.length > LIST_LENGTH_MAX) {
      const problem = `${key} has ${counted(written.items.length, 'item')}`;
      this.#report(written.valueOffset, problem, `At most ${LIST_LENGTH_MAX} are allowed.`);
      return [];
    }
    return written.items
      .map(item => this.#parsed(item, nameOf(section, key), parse))
      .filter(item => item !== undefined);
  }

  /** One value of each block of a list section; blocks without it are a problem. */
  blocks<T>(section: string, key: string, parse: ValueParser<T>): readonly T[] {
    const values: T[] = [];
    for (const block of this.blocksOf(section)) {
      const written = block.entries.get(key);
      if (written === undefined) {
        this.#report(block.keyOffset, `this [[${section}]] has no ${key}`, `Add a line: ${key} = "…".`);
        continue;
      }
      const value = this.#parsed(written, nameOf(section, key), parse);
      if (value !== undefined) values.push(value);
    }
    return values;
  }

  blocksOf(section: string): readonly (TomlNode & { readonly kind: 'table' })[] {
    const list = this.#document.entries.get(section);
    return list?.kind === 'list' && list.items.length <= LIST_LENGTH_MAX
      ? list.items.filter(item => item.kind === 'table')
      : [];
  }

  lineOf({ keyOffset }: TomlNode): number {
    return positionAt(this.#document.text, keyOffset).line;
  }

  #parsed<T>(written: TomlNode, name: string, parse: ValueParser<T>): T | undefined {
    const value = parse(plainValue(written));
    if (value.kind === 'ok') return value.value;
    this.#report(written.valueOffset, `${name}: ${value.problem}`, value.advice);
    return undefined;
  }

  #refuseUnknownKeys(): void {
    const topKeys = CONFIG_SECTIONS.flatMap(({ name, keys }) =>
      name === '' ? keys.map(({ key }) => key) : [name],
    );
    this.#refuseUnknown(this.#document.entries, topKeys, '');
    for (const section of CONFIG_SECTIONS) {
      const written = this.#document.entries.get(section.name);
      if (section.name === '' || written === undefined) continue;
      if (section.isList) this.#checkBlocks(section, written);
      else this.#checkTable(section, written);
    }
  }

  #checkBlocks(section: ConfigSection, written: TomlNode): void {
    if (written.kind !== 'list') {
      const advice = `Write [[${section.name}]].`;
      this.#report(written.keyOffset, `${section.name} is not a list of blocks`, advice);
    } else if (written.items.length > LIST_LENGTH_MAX) {
      const advice = `At most ${LIST_LENGTH_MAX} are allowed.`;
      this.#report(written.keyOffset, counted(written.items.length, 'block'), advice);
    } else for (const block of written.items) this.#checkTable(section, block);
  }

  #checkTable({ name, keys }: ConfigSection, written: TomlNode): void {
    if (written.kind === 'table') {
      this.#refuseUnknown(
        written.entries,
        keys.map(({ key }) => key),
        ` in [${name}]`,
      );
    } else {
      const advice = `Put its keys under a line [${name}].`;
      this.#report(written.keyOffset, `${name} is a section, not a value`, advice);
    }
  }

  #refuseUnknown(entries: TomlEntries, known: readonly string[], where: string): void {
    for (const [key, { keyOffset }] of entries) {
      if (this.problems.length >= PROBLEMS_MAX) return;
      if (known.includes(key)) continue;
      this.#report(
        keyOffset,
        `unknown key ${JSON.stringify(key.slice(0, 60))}${where}`,
        adviceFor(key, known),
      );
    }
  }

  #report(offset: number, problem: string, advice: string): void {
    if (this.problems.length >= PROBLEMS_MAX) return;
    const { file, text } = this.#document;
    this.problems.push({ file, position: positionAt(text, offset), problem, advice });
  }
}

const adviceFor = (key: string, known: readonly string[]): string => {
  const meant = nearest(key, known);
  if (meant !== undefined) return `Did you mean ${meant}?`;
  const home = CONFIG_SECTIONS.find(section => section.keys.some(candidate => candidate.key === key));
  if (home !== undefined && home.name !== '') return `It belongs under [${home.name}].`;
  return `Known here: ${known.join(', ')}.`;
};

const nameOf = (section: string, key: string): string => (section === '' ? key : `${section}.${key}`);

/** @throws TypeError for a key that is missing from the table of keys: only documented keys are read. */
const defaultOf = (section: string, key: string): TomlValue | undefined => {
  const found = CONFIG_SECTIONS.find(({ name }) => name === section)?.keys.find(
    candidate => candidate.key === key,
  );
  if (found === undefined) throw new TypeError(`config key ${section}.${key} is not documented`);
  return found.default;
};

const LIST_LENGTH_MAX = 256;
/** Each costs a pass over the text for its line, and nobody fixes more at once: the next check finds the rest. */
const PROBLEMS_MAX = 64;
