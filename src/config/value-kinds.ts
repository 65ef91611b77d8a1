// The kinds of values in config.toml: how one is read, and what a person may write. A key of config-keys.ts names its
// kind, and the limits if its kind has any.

import { type HostPort, parseHostPort } from '../core/address/host-port.ts';
import { type Parsed, parsed, wrong } from '../core/figure/parse-figure.ts';
import { WEBHOOK_FORMATS, type WebhookFormat } from '../core/notify/notifications.ts';
import { type Price, priceOption } from '../core/run/run-cost.ts';
import { WARNING_LEVELS, type Warning } from '../core/warnings/warning.ts';
import { keyOfTarget, type TargetKey, targetOrigin } from './bench-values.ts';
import {
  durationMs,
  durationRangeText,
  type Range,
  shareUpTo,
  shown,
  sizeBytes,
  sizeRangeText,
  textUpTo,
  trueOrFalse,
  type ValueParser,
  wholeNumber,
} from './config-values.ts';

/** `isWritten`: the value is in the file, so it is not the default. */
export type ValueReader<T> = (value: unknown, isWritten: boolean) => Parsed<T>;

/** A configured address is binding: if it is taken, the daemon stops instead of choosing another. */
export interface ListenConfig extends HostPort {
  readonly kind: 'listen';
  readonly isExplicit: boolean;
}

export type ValueKind = keyof typeof KINDS;

/** What the reader of a kind returns. */
export type ValueOfKind<K extends ValueKind> =
  ReturnType<(typeof KINDS)[K]['read']> extends ValueReader<infer T> ? T : never;

interface Kind {
  readonly read: (limits: Range) => ValueReader<unknown>;
  readonly form: string | ((limits: Range) => string);
  /** No message and no list shows its value. */
  readonly isSecret?: boolean;
}

type DiscoveryConfig =
  | { readonly kind: 'every-interface' }
  | { readonly kind: 'off' }
  | { readonly kind: 'interfaces'; readonly names: readonly string[] };

/** The most talkative first. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export const LOG_FORMATS = ['logfmt', 'json'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

const KINDS = {
  text: {
    read: ({ max }: Range): ValueReader<string> => textUpTo(max),
    form: ({ max }: Range): string => `text of at most ${max} characters`,
  },
  group: {
    read: (): ValueReader<string> => groupName,
    form: (): string => `text of at most ${GROUP_NAME_LENGTH_MAX} characters, without a slash`,
  },
  prices: {
    read: (): ValueReader<readonly Price[]> => prices,
    form: 'a price of an hour, of a kWh, or both with a comma between them',
  },
  boolean: { read: (): ValueReader<boolean> => trueOrFalse, form: 'true or false' },
  whole: {
    read: (limits: Range): ValueReader<number> => wholeNumber(limits),
    form: (limits: Range): string => wholeForm(limits),
  },
  share: {
    read: ({ max }: Range): ValueReader<number> => shareUpTo(max),
    form: ({ max }: Range): string => `a number above 0, at most ${max}`,
  },
  duration: {
    read: (limits: Range): ValueReader<number> => durationMs(limits),
    form: (limits: Range): string => durationForm(limits),
  },
  /** Of a node before others call it stale or offline. */
  silence: {
    read: (): ValueReader<number> => durationMs(SILENCE),
    form: (): string => durationForm(SILENCE),
  },
  /** Of readings. */
  interval: {
    read: (): ValueReader<number> => durationMs(INTERVAL),
    form: (): string => durationForm(INTERVAL),
  },
  /** Of profiles. */
  lifetime: {
    read: (): ValueReader<number> => durationMs(LIFETIME),
    form: (): string => durationForm(LIFETIME),
  },
  port: { read: (): ValueReader<number> => wholeNumber(PORTS), form: (): string => wholeForm(PORTS) },
  /** Read as ms. */
  days: { read: (): ValueReader<number> => daysMs, form: (): string => wholeForm(DAYS) },
  size: {
    read: (limits: Range): ValueReader<number> => sizeBytes(limits),
    form: (limits: Range): string => `a size from ${sizeRangeText(limits)}`,
  },
  address: { read: (): ValueReader<ListenConfig> => listenAt, form: 'HOST:PORT' },
  addressOrOff: {
    read: (): ValueReader<ListenConfig | { readonly kind: 'off' }> => listenAtOrOff,
    form: 'HOST:PORT, or "off"',
  },
  peer: { read: (): ValueReader<string> => peerAddress, form: 'HOST, HOST:PORT or [IPV6]:PORT' },
  discovery: {
    read: (): ValueReader<DiscoveryConfig> => discovery,
    form: '"every-interface", "off", or a list of interface names',
  },
  interface: { read: (): ValueReader<string> => interfaceName, form: 'the name of an interface' },
  host: { read: (): ValueReader<string> => hostName, form: 'a host name' },
  fleetServer: { read: (): ValueReader<string> => fleetServer, form: 'tls://HOST:PORT or nats://HOST:PORT' },
  cluster: { read: (): ValueReader<string> => clusterName, form: 'at most 32 letters, digits, - and _' },
  subscriptions: { read: (): ValueReader<'all' | 'group'> => fleetSubscriptions, form: '"all" or "group"' },
  endpoint: { read: (): ValueReader<string> => endpointUrl, form: 'the URL of an HTTP server' },
  origin: { read: (): ValueReader<string> => targetOrigin, form: 'scheme, host and port' },
  targetKey: {
    read: (): ValueReader<TargetKey> => keyOfTarget,
    form: 'an origin, a space, and a variable or an absolute path',
  },
  receiver: {
    read: (): ValueReader<string> => otlpEndpoint,
    form: 'a URL of HTTP without credentials or query',
  },
  compression: { read: (): ValueReader<'none' | 'gzip'> => otlpCompression, form: '"none" or "gzip"' },
  webhookName: {
    read: (): ValueReader<string> => webhookName,
    form: 'at most 32 lower-case letters, digits and -',
  },
  webhookUrl: { read: (): ValueReader<string> => webhookUrl, form: 'a URL of HTTP', isSecret: true },
  webhookFormat: {
    read: (): ValueReader<WebhookFormat> => value => oneOf(WEBHOOK_FORMATS, value),
    form: `one of ${WEBHOOK_FORMATS.join(', ')}`,
  },
  warningLevel: {
    read: (): ValueReader<Warning['level']> => value => oneOf(WARNING_LEVELS, value),
    form: `one of ${WARNING_LEVELS.join(', ')}`,
  },
  logLevel: { read: (): ValueReader<LogLevel> => logLevel, form: `one of ${LOG_LEVELS.join(', ')}` },
  logFormat: { read: (): ValueReader<LogFormat> => logFormat, form: `one of ${LOG_FORMATS.join(', ')}` },
};

/** Of any kind, for what treats all of them the same. */
export const valueKind = (kind: ValueKind): Kind => KINDS[kind];

/** Of a site, a rack or a kind. A slash separates site and rack in the id of a rack. */
const groupName: ValueParser<string> = value => {
  const name = textUpTo(GROUP_NAME_LENGTH_MAX)(value);
  return name.kind === 'ok' && name.value.includes('/')
    ? wrong('the name has a slash in it', 'Write a dash or a space instead.')
    : name;
};

const prices: ValueParser<readonly Price[]> = value => {
  const text = textUpTo(80)(value);
  return text.kind === 'ok' ? priceOption.read(text.value.split(',').map(price => price.trim())) : text;
};

const hostPort: ValueParser<HostPort> = value =>
  typeof value === 'string'
    ? parseHostPort(value)
    : wrong(`${shown(value)} is not HOST:PORT`, 'Write it in quotes: "127.0.0.1:4180".');

/** HOST, HOST:PORT, an IPv6 address, or [IPV6]:PORT. */
const peerAddress: ValueParser<string> = value => {
  const text = textUpTo(300)(value);
  if (text.kind === 'wrong') return text;
  const isHost = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(text.value);
  const isIpv6 = /^[0-9a-fA-F:.]*:[0-9a-fA-F:.]*:[0-9a-fA-F:.]*(?:%[\w.-]+)?$/.test(text.value);
  if (isHost || isIpv6) return text;
  const address = parseHostPort(text.value);
  return address.kind === 'wrong' ? address : text;
};

const discovery: ValueParser<DiscoveryConfig> = value => {
  if (value === 'every-interface') return parsed({ kind: 'every-interface' });
  if (value === 'off') return parsed({ kind: 'off' });
  const isNames =
    Array.isArray(value) &&
    value.length > 0 &&
    value.every(name => interfaceName(name).kind === 'ok' && name !== 'off' && name !== 'every-interface');
  if (isNames) return parsed({ kind: 'interfaces', names: value.map(String) });
  return wrong(
    `${shown(value)} is not a discovery setting`,
    'Write "every-interface", "off", or a list of interface names: ["en0", "en5"].',
  );
};

/** Linux allows 15 bytes; macOS and Windows names are not much longer. */
const interfaceName: ValueParser<string> = value => {
  const text = textUpTo(64)(value);
  if (text.kind === 'ok' && /[\s/]/.test(text.value)) {
    return wrong(
      `${shown(value)} is not the name of an interface`,
      'Names have no spaces or slashes: "en0", "eth0".',
    );
  }
  return text;
};

const hostName: ValueParser<string> = value => {
  const text = textUpTo(253)(value);
  if (text.kind === 'ok' && !/^[A-Za-z0-9_]([A-Za-z0-9._-]*[A-Za-z0-9])?$/.test(text.value)) {
    return wrong(
      `${shown(value)} is not a host name`,
      'Write the name alone, without scheme or port: "atlas.example.net".',
    );
  }
  return text;
};

const endpointUrl: ValueParser<string> = value => {
  const text = textUpTo(2_000)(value);
  if (text.kind === 'wrong') return text;
  const url = URL.canParse(text.value) ? new URL(text.value) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    return wrong(
      `${shown(value)} is not the URL of an HTTP server`,
      'Write for example "http://127.0.0.1:8000".',
    );
  }
  return text;
};

const listenAt: ValueReader<ListenConfig> = (value, isExplicit) => {
  const address = hostPort(value);
  return address.kind === 'ok' ? parsed({ kind: 'listen', ...address.value, isExplicit }) : address;
};

const listenAtOrOff: ValueReader<ListenConfig | { readonly kind: 'off' }> = (value, isExplicit) =>
  value === 'off' ? parsed({ kind: 'off' }) : listenAt(value, isExplicit);

/** "tls://nats.example.net:4222". Without a port: the one that NATS has. */
export const fleetServer: ValueParser<string> = value => {
  const text = textUpTo(300)(value);
  if (text.kind === 'wrong') return text;
  const [, scheme, rest = ''] = /^([a-z]+):\/\/(.*)$/.exec(text.value) ?? [];
  if (scheme !== 'nats' && scheme !== 'tls')
    return wrong(`"${text.value}" is not a NATS server`, 'Write for example "tls://nats.example.net:4222".');
  if (rest.includes('@'))
    return wrong(
      'the address of a NATS server has credentials in it',
      'Put them into a file: credentials = "…".',
    );
  if (/^[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(rest))
    return { kind: 'ok', value: `${scheme}://${rest}:${NATS_PORT}` };
  const address = parseHostPort(rest);
  return address.kind === 'wrong' ? address : text;
};

/** In the subjects of the server, so a token of NATS. */
const clusterName: ValueParser<string> = value => {
  const text = textUpTo(32)(value);
  if (text.kind === 'ok' && !/^[A-Za-z0-9_-]+$/.test(text.value))
    return wrong(`"${text.value}" is not a name for a subject of NATS`, 'Use letters, digits, - and _.');
  return text;
};

/** A key of state: never "__proto__". */
const webhookName: ValueParser<string> = value => {
  const text = textUpTo(32)(value);
  return text.kind === 'ok' && !/^[a-z0-9-]+$/.test(text.value)
    ? wrong(`"${text.value}" is not the name of a webhook`, 'Use lower-case letters, digits and -.')
    : text;
};

/** The nodes whose readings a node receives as they are published. */
const fleetSubscriptions: ValueParser<'all' | 'group'> = value =>
  value === 'all' || value === 'group'
    ? { kind: 'ok', value }
    : wrong('this is neither "all" nor "group"', 'Write "all", or "group" for the rack of this node alone.');

/** Without /v1/metrics and without a slash at the end. */
export const otlpEndpoint: ValueParser<string> = value => {
  const text = textUpTo(2_000)(value);
  if (text.kind === 'wrong') return text;
  const url = URL.canParse(text.value) ? new URL(text.value) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    return wrong(`${text.value} is not a URL of HTTP`, 'Write for example http://127.0.0.1:4318');
  if (url.username !== '' || url.password !== '' || url.search !== '')
    return wrong('the URL has credentials or a query', 'Send through a collector, which adds the secrets.');
  return parsed(url.origin + url.pathname.replace(/\/+$/, ''));
};

/** Any part of it may be a secret: no message repeats it. */
const webhookUrl: ValueParser<string> = value =>
  typeof value === 'string' && value.length <= 2_000 && URL.canParse(value) && /^https?:\/\//.test(value)
    ? parsed(new URL(value).href)
    : wrong('this is not a URL of HTTP', 'Write for example "https://hooks.example/warnings".');

const otlpCompression: ValueParser<'none' | 'gzip'> = value =>
  value === 'none' || value === 'gzip'
    ? parsed<'none' | 'gzip'>(value)
    : wrong('this is neither "none" nor "gzip"', 'Write "none" or "gzip".');

export const logLevel: ValueParser<LogLevel> = value => oneOf(LOG_LEVELS, value);
export const logFormat: ValueParser<LogFormat> = value => oneOf(LOG_FORMATS, value);

const oneOf = <T extends string>(choices: readonly T[], value: unknown): Parsed<T> => {
  const found = choices.find(choice => choice === value);
  if (found !== undefined) return parsed<T>(found);
  const listed = choices.join(', ');
  return wrong(`${JSON.stringify(value)} is not one of ${listed}`, `Write one of these: ${listed}.`);
};

const daysMs: ValueReader<number> = value => {
  const days = wholeNumber(DAYS)(value);
  return days.kind === 'ok' ? parsed(days.value * DAY_MS) : days;
};

const wholeForm = ({ min, max }: Range): string => `a whole number from ${min} to ${max}`;

const durationForm = (limits: Range): string => `a duration from ${durationRangeText(limits)}`;

const DAY_MS = 86_400_000;
const PORTS: Range = { min: 1, max: 65_535 };
const DAYS: Range = { min: 1, max: 3_650 };
/** Below a second, every pause of a busy machine would count. */
const SILENCE: Range = { min: 1_000, max: 3_600_000 };
// Tests and demos use short intervals and lifetimes: these limits only catch typing mistakes.
const INTERVAL: Range = { min: 10, max: 3_600_000 };
const LIFETIME: Range = { min: 100, max: 30 * DAY_MS };
/** The longest value that a label may have in Kubernetes. */
const GROUP_NAME_LENGTH_MAX = 63;
const NATS_PORT = 4222;
