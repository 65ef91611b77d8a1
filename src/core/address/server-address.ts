// Whether a server that is loaded for others may have an address. Checks what a name resolves to, and literal
// addresses.

import { type AddressKind, addressKind } from './address-kind.ts';
import { isLoopbackHost } from './host-port.ts';

interface BarredAddress {
  readonly kind: Exclude<AddressKind, 'ordinary'>;
  /** Text that follows the address: "a multicast address". */
  readonly words: string;
}

/**
 * Why a server may not have the address; undefined if it may.
 * @param host the name that resolved to it, or the address as listed
 */
export const barredAddress = (host: string, address: string): BarredAddress | undefined => {
  const kind = addressKind(address);
  // A name in public DNS may point to loopback too; only a list that contains loopback literally allows it.
  if (kind === 'ordinary' || (kind === 'loopback' && isLoopbackHost(host))) return undefined;
  return { kind, words: ADDRESS_WORDS[kind] };
};

const ADDRESS_WORDS: Readonly<Record<BarredAddress['kind'], string>> = {
  loopback: 'which is that machine itself',
  'link-local': 'a link-local address',
  metadata: 'where a cloud hands out credentials',
  unspecified: 'which cannot be the address of a server',
  multicast: 'a multicast address',
  broadcast: 'the broadcast address',
  reserved: 'a reserved address',
  'not-an-address': 'which is not an address',
};
