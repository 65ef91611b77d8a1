// Network interfaces: their type, the negotiated rate, their addresses.

import * as v from 'valibot';
import { withoutScope } from '../address/host-port.ts';
import { count, figure, type Infer, list, openObject, reported, text } from '../schema.ts';
import type { Reported } from '../unknown.ts';

export const nodeNetworkSchema = openObject({
  interfaces: list(
    openObject({
      name: text,
      type: reported(
        v.picklist([
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
        ]),
      ),
      typeEvidence: text,
      macAddress: reported(text),
      isUp: reported(v.boolean()),
      speedBitsPerSecond: reported(figure),
      mtuBytes: reported(count),
      driver: reported(text),
      addresses: list(
        openObject({
          address: text,
          family: v.picklist(['ipv4', 'ipv6']),
          prefixLength: count,
          scope: v.picklist(['global', 'site', 'link', 'host']),
        }),
      ),
      members: list(text),
    }),
  ),
});

export type NodeNetwork = Infer<typeof nodeNetworkSchema>;

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
