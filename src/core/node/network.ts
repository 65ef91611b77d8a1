// Network interfaces: their type, the negotiated rate, their addresses.

import { withoutScope } from '../address/host-port.ts';
import type { Reported } from '../unknown.ts';

export interface NodeNetwork {
  readonly interfaces: readonly NetworkInterface[];
}

export type InterfaceType =
  | 'ethernet'
  | 'wifi'
  | 'thunderbolt'
  | 'infiniband'
  | 'loopback'
  | 'bridge'
  | 'bond'
  | 'vlan'
  | 'virtual'
  | 'overlay'
  | 'cellular';

export interface NetworkInterface {
  readonly name: string;
  readonly type: Reported<InterfaceType>;
  /** The evidence for the type: "sysfs type 1, driver mlx5_core", "hardware port Wi-Fi". */
  readonly typeEvidence: string;
  readonly macAddress: Reported<string>;
  /** Administratively up and with a carrier. */
  readonly isUp: Reported<boolean>;
  /** Negotiated rate, bits per second. Never a capability. */
  readonly speedBitsPerSecond: Reported<number>;
  readonly mtuBytes: Reported<number>;
  readonly driver: Reported<string>;
  readonly addresses: readonly InterfaceAddress[];
  /**
   * Interfaces that this bridge or bond joins, or that a VLAN or a virtual interface is on top of; otherwise
   * empty.
   */
  readonly members: readonly string[];
}

export interface InterfaceAddress {
  readonly address: string;
  readonly family: 'ipv4' | 'ipv6';
  readonly prefixLength: number;
  readonly scope: 'global' | 'site' | 'link' | 'host';
}

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
