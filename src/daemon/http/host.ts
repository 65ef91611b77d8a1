// Host and Origin of a request. A page of any site can make a browser ask us under that site's name (DNS rebinding) or
// from its own origin, so only names and addresses that are known to be this machine's are answered.

import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

interface HostAndPort {
  /** Lower case, an IPv6 address without brackets and zone, no final dot. */
  readonly name: string;
  readonly port: number | undefined;
}

/** Undefined for anything but `name`, `name:port`, `address`, `address:port`, `[v6]` and `[v6]:port`. */
export const parseHost = (text: string): HostAndPort | undefined => {
  const match = HOST.exec(text);
  if (match === null) return undefined;
  const [, v6, plain, digits] = match;
  const port = digits === undefined ? undefined : Number(digits);
  if (port !== undefined && port > 65_535) return undefined;
  if (v6 !== undefined) {
    const [address = ''] = v6.split('%');
    return isIP(address) === 6 ? { name: canonicalAddress(address), port } : undefined;
  }
  return plain === undefined ? undefined : { name: plain.toLowerCase().replace(/\.$/, ''), port };
};

/** 127.0.0.0/8, ::1 and the IPv4 ones written as IPv6. */
export const isLoopbackAddress = (address: string): boolean => {
  const canonical = canonicalAddress(address);
  if (isIP(canonical) === 4) return canonical.startsWith('127.');
  return canonical === '::1';
};

export const isLoopbackName = (name: string): boolean =>
  name === 'localhost' || name.endsWith('.localhost') || (isIP(name) !== 0 && isLoopbackAddress(name));

/** One spelling of each address: `::1`, IPv4-mapped IPv6 as IPv4, no zone. */
export const canonicalAddress = (address: string): string => {
  const [bare = ''] = address.split('%');
  if (isIP(bare) !== 6) return bare;
  const mapped = MAPPED_IPV4.exec(bare);
  if (mapped?.[1] !== undefined) return mapped[1];
  const canonical = new URL(`http://[${bare}]/`).hostname.slice(1, -1);
  const [, high, low] = MAPPED_HEXADECIMAL.exec(canonical) ?? [];
  if (high === undefined || low === undefined) return canonical;
  return [high, low]
    .flatMap(half => [Number.parseInt(half, 16) >> 8, Number.parseInt(half, 16) & 255])
    .join('.');
};

/** The addresses of this machine now, asked again at most once a second. */
export class MachineAddresses {
  readonly #nowMs: () => number;
  #addresses: ReadonlySet<string> = new Set();
  #readAtMs = Number.NEGATIVE_INFINITY;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  has(address: string): boolean {
    if (this.#addresses.has(address)) return true;
    if (this.#nowMs() - this.#readAtMs < 1_000) return false;
    this.#readAtMs = this.#nowMs();
    const all = Object.values(networkInterfaces()).flatMap(addresses => addresses ?? []);
    this.#addresses = new Set(all.map(({ address: own }) => canonicalAddress(own)));
    return this.#addresses.has(address);
  }
}

/** `http://host:port`, with brackets where the host is an IPv6 address. */
export const httpUrl = ({ host, port }: { readonly host: string; readonly port: number }): string =>
  `http://${isIP(host.split('%')[0] ?? '') === 6 ? `[${host}]` : host}:${port}`;

const HOST = /^(?:\[([0-9a-fA-F:.%a-zA-Z_-]{2,80})\]|([a-zA-Z0-9._-]{1,253}))(?::(\d{1,5}))?$/;
/** As `URL` writes it. */
const MAPPED_HEXADECIMAL = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;
const MAPPED_IPV4 = /^::ffff:(\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})$/i;
