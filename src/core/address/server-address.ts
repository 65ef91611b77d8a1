// Whether a server that is loaded for others may have an address: asked of what a name leads to, and of what is listed literally.

import { type AddressKind, addressKind } from './address-kind.ts';
import { isLoopbackHost } from './host-port.ts';

interface BarredAddress {
  readonly kind: Exclude<AddressKind, 'ordinary'>;
  /** Behind the address: "a multicast address". */
  readonly words: string;
}

/**
 * Why a server may not have the address; undefined where it may.
 * @param host the name that led there, or the address as it is listed
 */
export const barredAddress = (host: string, address: string): BarredAddress | undefined => {
  const kind = addressKind(address);
  // A name in public DNS may point to loopback too; only who lists loopback itself means it.
  if (kind === 'ordinary' || (kind === 'loopback' && isLoopbackHost(host))) return undefined;
  return { kind, words: ADDRESS_WORDS[kind] };
};

const ADDRESS_WORDS: Readonly<Record<BarredAddress['kind'], string>> = {
  loopback: 'which is that machine itself',
  'link-local': 'a link-local address',
  metadata: 'where a cloud hands out credentials',
  unspecified: 'which is no address of a server',
  multicast: 'a multicast address',
  broadcast: 'the broadcast address',
  reserved: 'a reserved address',
  'not-an-address': 'which is not an address',
};
