// Thunderbolt ports and the machine at the other end. The capability of a port and the rate that a cable
// negotiated are two facts; "Up to 120 Gb/s" is never a rate.

import * as v from 'valibot';
import { figure, type Infer, list, openObject, reported, text } from '../schema.ts';

const thunderboltPeerSchema = openObject({
  domainUuid: text,
  name: text,
  /** There is a hub or dock in between; Apple nests it on one side only. */
  isBehindHub: v.boolean(),
  /** The peer offers the RDMA service (protocol 64087): it has RDMA switched on. */
  offersRdma: v.boolean(),
});

export type ThunderboltPeer = Infer<typeof thunderboltPeerSchema>;

const thunderboltPortSchema = openObject({
  /** The system's name of the bus: "thunderboltusb4_bus_1"; Linux: "domain0". */
  busName: text,
  /** Number printed next to the receptacle. */
  receptacle: reported(text),
  /** Upper case. Reciprocal UUIDs of two nodes make an RDMA connection. */
  domainUuid: reported(text),
  interfaceName: reported(text),
  rdmaInterfaceName: reported(text),
  status: reported(v.picklist(['connected', 'empty'])),
  capabilityBitsPerSecond: reported(figure),
  negotiatedBitsPerSecond: reported(figure),
  peers: list(thunderboltPeerSchema),
  /** Docks, disks, displays on this port: everything that is not a computer. */
  devices: list(text),
});

export type ThunderboltPort = Infer<typeof thunderboltPortSchema>;

const thunderboltBridgeSchema = v.variant('kind', [
  openObject({ kind: v.literal('absent') }),
  openObject({
    kind: v.literal('present'),
    interfaceName: text,
    serviceName: reported(text),
    isEnabled: reported(v.boolean()),
    members: list(text),
  }),
]);

/** macOS joins all Thunderbolt ports into one bridge, which loops when two cables meet. */
export type ThunderboltBridge = Infer<typeof thunderboltBridgeSchema>;

export const nodeThunderboltSchema = openObject({
  ports: list(thunderboltPortSchema),
  bridge: reported(thunderboltBridgeSchema),
});

export type NodeThunderbolt = Infer<typeof nodeThunderboltSchema>;
