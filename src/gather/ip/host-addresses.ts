// Addresses as the C library lists them: at hand in every process, but without those of interfaces that have no
// carrier, and without scopes. Used to notice a change, and alone where there is no `ip`.

import type { NetworkInterfaceInfo } from 'node:os';
import type { InterfaceAddress } from '../../core/node/network.ts';
import type { AddressTable } from './parse-ip-addr.ts';

/** `os.networkInterfaces`. */
export type ListAddresses = () => Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

export const hostAddresses = (list: ListAddresses): AddressTable => {
  const table = new Map<string, InterfaceAddress[]>();
  for (const [label, infos] of Object.entries(list())) {
    // A second IPv4 address may carry a label of its own, "eno1:1"; no interface name has a colon.
    const name = label.split(':')[0] ?? label;
    const addresses = table.get(name) ?? [];
    table.set(name, addresses);
    for (const { address, family, cidr } of infos ?? []) {
      const prefixLength = Number(cidr?.split('/')[1] ?? Number.NaN);
      if (!Number.isInteger(prefixLength)) continue;
      const isIpv4 = family === 'IPv4';
      addresses.push({
        address,
        family: isIpv4 ? 'ipv4' : 'ipv6',
        prefixLength,
        scope: isIpv4 ? ipv4Scope(address) : ipv6Scope(address),
      });
    }
  }
  return table;
};

/** The kernel keeps a scope with each IPv4 address; these are those it gives by itself. */
const ipv4Scope = (address: string): InterfaceAddress['scope'] =>
  address.startsWith('127.') ? 'host' : address.startsWith('169.254.') ? 'link' : 'global';

/** RFC 4291 §2.4, RFC 3879 for the old site-local range. */
const ipv6Scope = (address: string): InterfaceAddress['scope'] => {
  if (address === '::1') return 'host';
  const group = Number.parseInt(address.split(':')[0] ?? '', 16);
  if ((group & 0xffc0) === 0xfe80) return 'link';
  return (group & 0xffc0) === 0xfec0 ? 'site' : 'global';
};
