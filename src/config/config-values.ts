// Single values of config.toml, checked and converted from what the TOML parser returned.

import { type HostPort, parseHostPort } from '../core/address/host-port.ts';
import { type Parsed, parseBytes, parseDurationMs, parsed, wrong } from '../core/figure/parse-figure.ts';
import { showable } from '../core/text/single-line.ts';
import type { EndpointConfig, MeshConfig, OtlpConfig } from './config.ts';
import { withoutCredentials } from './config-problem.ts';

export type ValueParser<T> = (value: unknown) => Parsed<T>;

/** Text of a bounded length without control characters or spaces around it. */
export const textUpTo =
  (lengthMax: number): ValueParser<string> =>
  value => {
    if (typeof value !== 'string')
      return wrong(`${shown(value)} is not text`, 'Put it in quotes: "like this".');
    if (value.trim() === '') return wrong('the text is empty', 'Write something, or remove the line.');
    if (value !== value.trim()) return wrong('the text has spaces around it', 'Remove them.');
    if (showable(value) !== value)
      return wrong('the text has control characters or invisible characters in it', 'Remove them.');
    if (value.length > lengthMax) {
      return wrong(`the text has ${value.length} characters`, `At most ${lengthMax} are allowed.`);
    }
    return parsed(value);
  };

/** Of a site, a rack or a kind. A slash separates site and rack in the id of a rack. */
export const groupName: ValueParser<string> = value => {
  const name = textUpTo(GROUP_NAME_LENGTH_MAX)(value);
  return name.kind === 'ok' && name.value.includes('/')
    ? wrong('the name has a slash in it', 'Write a dash or a space instead.')
    : name;
};

export const trueOrFalse: ValueParser<boolean> = value =>
  typeof value === 'boolean'
    ? parsed(value)
    : wrong(`${shown(value)} is neither true nor false`, 'Write true or false, without quotes.');

export const wholeNumber =
  ({ min, max }: Range): ValueParser<number> =>
  value =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max
      ? parsed(value)
      : wrong(`${shown(value)} is not a whole number from ${min} to ${max}`, 'Write digits without quotes.');

/** Greater than 0, up to and including `max`. */
export const shareUpTo =
  (max: number): ValueParser<number> =>
  value =>
    typeof value === 'number' && value > 0 && value <= max
      ? parsed(value)
      : wrong(`${shown(value)} is not a share above 0 and up to ${max}`, 'Write 0.02 for two per cent.');

export const durationMs =
  ({ min, max }: Range): ValueParser<number> =>
  value => {
    if (typeof value !== 'string') {
      return wrong(
        `${shown(value)} is not a duration`,
        'Write it with its unit, in quotes: "500ms", "3s", "2m", "1h".',
      );
    }
    const duration = parseDurationMs(value);
    if (duration.kind === 'wrong' || (duration.value >= min && duration.value <= max)) return duration;
    return wrong(
      `${shown(value)} is out of range`,
      `It may be from ${durationText(min)} to ${durationText(max)}.`,
    );
  };

export const sizeBytes =
  ({ min, max }: Range): ValueParser<number> =>
  value => {
    if (typeof value !== 'string') {
      return wrong(`${shown(value)} is not a size`, 'Write it with its unit, in quotes: "512MB", "1.5GB".');
    }
    const size = parseBytes(value);
    if (size.kind === 'wrong' || (size.value >= min && size.value <= max)) return size;
    return wrong(`${shown(value)} is out of range`, `It may be from ${min / 1e6}MB to ${max / 1e9}GB.`);
  };

export const hostPort: ValueParser<HostPort> = value =>
  typeof value === 'string'
    ? parseHostPort(value)
    : wrong(`${shown(value)} is not HOST:PORT`, 'Write it in quotes: "127.0.0.1:4180".');

export const listenOrOff: ValueParser<HostPort | 'off'> = value =>
  value === 'off' ? parsed('off') : hostPort(value);

/** HOST, HOST:PORT, an IPv6 address, or [IPV6]:PORT. */
export const peerAddress: ValueParser<string> = value => {
  const text = textUpTo(300)(value);
  if (text.kind === 'wrong') return text;
  const isHost = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(text.value);
  const isIpv6 = /^[0-9a-fA-F:.]*:[0-9a-fA-F:.]*:[0-9a-fA-F:.]*(?:%[\w.-]+)?$/.test(text.value);
  if (isHost || isIpv6) return text;
  const address = parseHostPort(text.value);
  return address.kind === 'wrong' ? address : text;
};

export const discovery: ValueParser<MeshConfig['discovery']> = value => {
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
export const interfaceName: ValueParser<string> = value => {
  const text = textUpTo(64)(value);
  if (text.kind === 'ok' && /[\s/]/.test(text.value)) {
    return wrong(
      `${shown(value)} is not the name of an interface`,
      'Names have no spaces or slashes: "en0", "eth0".',
    );
  }
  return text;
};

export const hostName: ValueParser<string> = value => {
  const text = textUpTo(253)(value);
  if (text.kind === 'ok' && !/^[A-Za-z0-9_]([A-Za-z0-9._-]*[A-Za-z0-9])?$/.test(text.value)) {
    return wrong(
      `${shown(value)} is not a host name`,
      'Write the name alone, without scheme or port: "atlas.example.net".',
    );
  }
  return text;
};

export const endpointUrl: ValueParser<EndpointConfig['url']> = value => {
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

interface Range {
  readonly min: number;
  readonly max: number;
}

/** The written value, shortened and without secrets. */
const shown = (value: unknown): string => {
  const text =
    value instanceof Date
      ? value.toISOString()
      : typeof value === 'number'
        ? String(value)
        : (JSON.stringify(value) ?? String(value));
  const safe = withoutCredentials(text);
  return safe.length > 60 ? `${safe.slice(0, 57)}…` : safe;
};

const durationText = (ms: number): string => {
  if (ms >= 86_400_000) return `${ms / 86_400_000}d`;
  if (ms >= 3_600_000) return `${ms / 3_600_000}h`;
  if (ms >= 60_000) return `${ms / 60_000}m`;
  return ms >= 1_000 ? `${ms / 1_000}s` : `${ms}ms`;
};
/** The longest value that a label may have in Kubernetes. */
export const GROUP_NAME_LENGTH_MAX = 63;

// Values of [fleet] in config.toml, checked.

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
export const clusterName: ValueParser<string> = value => {
  const text = textUpTo(32)(value);
  if (text.kind === 'ok' && !/^[A-Za-z0-9_-]+$/.test(text.value))
    return wrong(`"${text.value}" is not a name for a subject of NATS`, 'Use letters, digits, - and _.');
  return text;
};

/** The nodes whose readings a node receives as they are published. */
export const fleetSubscriptions: ValueParser<'all' | 'group'> = value =>
  value === 'all' || value === 'group'
    ? { kind: 'ok', value }
    : wrong('this is neither "all" nor "group"', 'Write "all", or "group" for the rack of this node alone.');

const NATS_PORT = 4222;

// Values of [otlp] in config.toml, and of --otlp.

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

export const otlpCompression: ValueParser<OtlpConfig['compression']> = (
  value,
): Parsed<OtlpConfig['compression']> =>
  value === 'none' || value === 'gzip'
    ? parsed<OtlpConfig['compression']>(value)
    : wrong('this is neither "none" nor "gzip"', 'Write "none" or "gzip".');
