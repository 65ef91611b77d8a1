// Thunderbolt ports and the machine at the other end. The capability of a port and the rate that a cable
// negotiated are two facts; "Up to 120 Gb/s" is never a rate.

import * as v from 'valibot';
import { figure, type Infer, list, openObject, reported, text } from '../schema.ts';
import type { Reported } from '../unknown.ts';

export const nodeThunderboltSchema = openObject({
  ports: list(
    openObject({
      busName: text,
      receptacle: reported(text),
      domainUuid: reported(text),
      interfaceName: reported(text),
      rdmaInterfaceName: reported(text),
      status: reported(v.picklist(['connected', 'empty'])),
      capabilityBitsPerSecond: reported(figure),
      negotiatedBitsPerSecond: reported(figure),
      peers: list(
        openObject({ domainUuid: text, name: text, isBehindHub: v.boolean(), offersRdma: v.boolean() }),
      ),
      devices: list(text),
    }),
  ),
  bridge: reported(
    v.variant('kind', [
      openObject({ kind: v.literal('absent') }),
      openObject({
        kind: v.literal('present'),
        interfaceName: text,
        serviceName: reported(text),
        isEnabled: reported(v.boolean()),
        members: list(text),
      }),
    ]),
  ),
});

export type NodeThunderbolt = Infer<typeof nodeThunderboltSchema>;

export interface ThunderboltPort {
  /** The system's name of the bus: "thunderboltusb4_bus_1"; Linux: "domain0". */
  readonly busName: string;
  /** Number printed next to the receptacle. */
  readonly receptacle: Reported<string>;
  /** Upper case. Reciprocal UUIDs of two nodes make an RDMA connection. */
  readonly domainUuid: Reported<string>;
  readonly interfaceName: Reported<string>;
  readonly rdmaInterfaceName: Reported<string>;
  readonly status: Reported<'connected' | 'empty'>;
  readonly capabilityBitsPerSecond: Reported<number>;
  readonly negotiatedBitsPerSecond: Reported<number>;
  readonly peers: readonly ThunderboltPeer[];
  /** Docks, disks, displays on this port: everything that is not a computer. */
  readonly devices: readonly string[];
}

export interface ThunderboltPeer {
  readonly domainUuid: string;
  readonly name: string;
  /** There is a hub or dock in between; Apple nests it on one side only. */
  readonly isBehindHub: boolean;
  /** The peer offers the RDMA service (protocol 64087): it has RDMA switched on. */
  readonly offersRdma: boolean;
}

/** macOS joins all Thunderbolt ports into one bridge, which loops when two cables meet. */
export type ThunderboltBridge =
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'present';
      readonly interfaceName: string;
      readonly serviceName: Reported<string>;
      readonly isEnabled: Reported<boolean>;
      readonly members: readonly string[];
    };
