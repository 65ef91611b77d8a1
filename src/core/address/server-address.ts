// Whether a server that is loaded for others may have an address. Checks what a name resolves to, and literal
// addresses.

import { isLoopbackHost } from './host-port.ts';
import { addressBits } from './subnet.ts';

interface BarredAddress {
  readonly kind: Exclude<AddressKind, 'ordinary'>;
  /** Text that follows the address: "a multicast address". */
  readonly text: string;
}

/**
 * Why a server may not have the address; undefined if it may.
 * @param host the name that resolved to it, or the address as listed
 */
export const barredAddress = (host: string, address: string): BarredAddress | undefined => {
  const kind = addressKind(address);
  // A name in public DNS may point to loopback too; only a list that contains loopback literally allows it.
  if (kind === 'ordinary' || (kind === 'loopback' && isLoopbackHost(host))) return undefined;
  return { kind, text: ADDRESS_TEXTS[kind] };
};

const ADDRESS_TEXTS: Readonly<Record<BarredAddress['kind'], string>> = {
  loopback: 'which is that machine itself',
  'link-local': 'a link-local address',
  metadata: 'where a cloud hands out credentials',
  unspecified: 'which cannot be the address of a server',
  multicast: 'a multicast address',
  broadcast: 'the broadcast address',
  reserved: 'a reserved address',
  'not-an-address': 'which is not an address',
};

// Classifies an address by its bytes, not by its spelling. IPv4 inside IPv6 (mapped, translated, tunnelled)
// is classified as the IPv4 address inside; otherwise ::ffff:169.254.169.254 would pass as an ordinary
// address.
type AddressKind =
  | 'ordinary'
  | 'loopback'
  | 'link-local'
  /** Clouds serve the machine's credentials at this address to any process on it. */
  | 'metadata'
  | 'unspecified'
  | 'multicast'
  | 'broadcast'
  | 'reserved'
  | 'not-an-address';

/** Accepts an address with or without a scope, as resolvers and sockets write it. */
export const addressKind = (text: string): AddressKind => {
  const bytes = addressBits(text);
  if (bytes === undefined) return 'not-an-address';
  return bytes.length === 4 ? ipv4Kind(bytes) : ipv6Kind(bytes);
};

const ipv4Kind = (bytes: readonly number[]): AddressKind => {
  const [a = 0, b = 0, c = 0] = bytes;
  if (METADATA_IPV4.has(bytes.join('.'))) return 'metadata';
  if (a === 0) return 'unspecified'; // "this network", RFC 1122: Linux takes 0.0.0.0 for itself
  if (a === 127) return 'loopback';
  if (a === 169 && b === 254) return 'link-local';
  if (a >= 224 && a <= 239) return 'multicast';
  if (bytes.every(byte => byte === 255)) return 'broadcast';
  if (a >= 240) return 'reserved';
  // RFC 6890 and RFC 7526: protocol assignments, the anycast address of 6to4 relays.
  if ((a === 192 && b === 0 && c === 0) || (a === 192 && b === 88 && c === 99)) return 'reserved';
  return 'ordinary';
};

const ipv6Kind = (bytes: readonly number[]): AddressKind => {
  const inner = innerIpv4(bytes);
  if (inner !== undefined) return ipv4Kind(inner);
  const starts = (...prefix: readonly number[]): boolean =>
    prefix.every((byte, index) => bytes[index] === byte);
  const [a = 0, b = 0] = bytes;
  if (METADATA_IPV6.some(address => addressBits(address)?.every((byte, index) => bytes[index] === byte)))
    return 'metadata';
  if (bytes.slice(0, 12).every(byte => byte === 0)) {
    const low = bytes.slice(12).join('.');
    if (low === '0.0.0.0') return 'unspecified';
    return low === '0.0.0.1' ? 'loopback' : 'reserved'; // IPv4-compatible, RFC 4291: no longer assigned
  }
  if (a === 0xff) return 'multicast';
  if (a === 0xfe && (b & 0xc0) === 0x80) return 'link-local';
  if (a === 0xfe && (b & 0xc0) === 0xc0) return 'reserved'; // site-local, RFC 3879
  // Teredo contains an obfuscated IPv4 address; NAT64 of a site at unknown positions; discard-only.
  if (starts(0x20, 0x01, 0, 0) || starts(0, 0x64, 0xff, 0x9b, 0, 1) || starts(1, 0, 0, 0, 0, 0, 0, 0))
    return 'reserved';
  return 'ordinary';
};

/** Mapped (RFC 4291), translated (RFC 2765), NAT64 (RFC 6052), 6to4 (RFC 3056). */
const innerIpv4 = (bytes: readonly number[]): readonly number[] | undefined => {
  const isAt = (prefix: readonly number[]): boolean => prefix.every((byte, index) => bytes[index] === byte);
  if (EMBEDDING_PREFIXES.some(isAt)) return bytes.slice(12);
  return bytes[0] === 0x20 && bytes[1] === 0x02 ? bytes.slice(2, 6) : undefined;
};

const EMBEDDING_PREFIXES: readonly (readonly number[])[] = [
  [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff],
  [0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0],
  [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0],
];

/**
 * As each cloud documents it: Amazon, Google, Azure and others; Alibaba; Azure's wire server; Oracle Classic.
 */
const METADATA_IPV4: ReadonlySet<string> = new Set([
  '169.254.169.254',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
]);
/** Amazon, Google, Scaleway. */
const METADATA_IPV6: readonly string[] = ['fd00:ec2::254', 'fd20:ce::254', 'fd00:42::42'];
