// Whether two addresses are in one subnet, as seen from either end. Link-local addresses prove nothing: every
// cable has them.

import type { InterfaceAddress } from '../node/network.ts';

/** Both ends must find the other address inside their own prefix. */
export const shareSubnet = (one: InterfaceAddress, other: InterfaceAddress): boolean => {
  if (one.family !== other.family || isOfEveryCable(one) || isOfEveryCable(other)) return false;
  const prefixLength = Math.max(one.prefixLength, other.prefixLength);
  const [a, b] = [addressBits(one.address), addressBits(other.address)];
  if (a === undefined || b === undefined || a.length !== b.length || a.join() === b.join()) return false;
  for (let bit = 0; bit < prefixLength; bit += 8) {
    const index = bit / 8;
    const mask = prefixLength - bit >= 8 ? 0xff : 0xff & (0xff << (8 - (prefixLength - bit)));
    if (((a[index] ?? 0) & mask) !== ((b[index] ?? 0) & mask)) return false;
  }
  return true;
};

/** Link-local, or an address of the host itself. */
export const isOfEveryCable = ({ scope, address }: InterfaceAddress): boolean =>
  scope === 'link' ||
  scope === 'host' ||
  address.startsWith('169.254.') ||
  /^fe[89ab][0-9a-f]:/i.test(address);

/** Four or sixteen bytes; undefined if the text is not an address. */
export const addressBits = (text: string): readonly number[] | undefined => {
  const [bare = ''] = text.split('%');
  if (!bare.includes(':')) return ipv4Bytes(bare);
  const halves = bare.split('::');
  if (halves.length > 2) return undefined;
  const [head = [], tail = []] = halves.map(half => (half === '' ? [] : half.split(':').flatMap(groupBytes)));
  const missing = IPV6_BYTES - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 2) return undefined;
  const bytes = [...head, ...new Array<number>(missing).fill(0), ...tail];
  return bytes.every(byte => byte >= 0 && byte <= 255) ? bytes : undefined;
};

const ipv4Bytes = (text: string): readonly number[] | undefined => {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every(part => /^\d{1,3}$/.test(part) && Number(part) <= 255))
    return undefined;
  return parts.map(Number);
};

/**
 * The last group of an IPv6 address may be written as IPv4. An invalid group gives an invalid number of
 * bytes.
 */
const groupBytes = (group: string): readonly number[] => {
  if (group.includes('.')) return ipv4Bytes(group) ?? [-1];
  if (!/^[0-9a-f]{1,4}$/i.test(group)) return [-1];
  const value = Number.parseInt(group, 16);
  return [value >> 8, value & 0xff];
};

const IPV6_BYTES = 16;
