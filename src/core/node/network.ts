// Network interfaces: their type, the negotiated rate, their addresses.

import * as v from 'valibot';
import { withoutScope } from '../address/host-port.ts';
import { count, figure, type Infer, list, openObject, reported, text } from '../schema.ts';

const interfaceTypeSchema = v.picklist([
  'ethernet',
  'wifi',
  'thunderbolt',
  'infiniband',
  'loopback',
  'bridge',
  'bond',
  'vlan',
  'virtual',
  'overlay',
  'cellular',
]);

export type InterfaceType = Infer<typeof interfaceTypeSchema>;

const interfaceAddressSchema = openObject({
  address: text,
  family: v.picklist(['ipv4', 'ipv6']),
  prefixLength: count,
  scope: v.picklist(['global', 'site', 'link', 'host']),
});

export type InterfaceAddress = Infer<typeof interfaceAddressSchema>;

const networkInterfaceSchema = openObject({
  name: text,
  type: reported(interfaceTypeSchema),
  /** The evidence for the type: "sysfs type 1, driver mlx5_core", "hardware port Wi-Fi". */
  typeEvidence: text,
  macAddress: reported(text),
  /** Administratively up and with a carrier. */
  isUp: reported(v.boolean()),
  /** Negotiated rate, bits per second. Never a capability. */
  speedBitsPerSecond: reported(figure),
  mtuBytes: reported(count),
  driver: reported(text),
  addresses: list(interfaceAddressSchema),
  /**
   * Interfaces that this bridge or bond joins, or that a VLAN or a virtual interface is on top of; otherwise
   * empty.
   */
  members: list(text),
});

export type NetworkInterface = Infer<typeof networkInterfaceSchema>;

export const nodeNetworkSchema = openObject({ interfaces: list(networkInterfaceSchema) });

export type NodeNetwork = Infer<typeof nodeNetworkSchema>;

/**
 * Interfaces with the address; several may have one link-local address. Scopes differ between machines and
 * are ignored.
 */
export const interfacesWith = (
  network: NodeNetwork | undefined,
  address: string,
): readonly NetworkInterface[] => {
  const bare = withoutScope(address);
  return (network?.interfaces ?? []).filter(({ addresses }) =>
    addresses.some(own => withoutScope(own.address) === bare),
  );
};
