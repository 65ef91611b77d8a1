// Why a path is lost, as the interfaces of both ends show it now: an interface without a carrier means a
// cable or a port; only if both ends have one may a firewall or a switch be the cause.

import type { NodeId } from '../ids.ts';
import { isUnknown, type Reported } from '../unknown.ts';
import type { Connection } from './connection.ts';
import type { EndReadings } from './link-ends.ts';
import { rdmaInterfaceParts } from './rdma-ports.ts';

export interface DeadEnd {
  readonly node: NodeId;
  readonly interfaceName: string;
  /** Without a carrier, or no longer among the interfaces of its node. */
  readonly kind: 'down' | 'gone';
}

export interface LossCause {
  /**
   * The ends that cannot carry anything now, the source's first; none if both interfaces are up or unknown.
   */
  readonly deadEnds: readonly DeadEnd[];
  /** Both ends report a carrier: the loss is between them. False if an end reports none. */
  readonly hasCarriers: boolean;
}

export const lossCause = (
  connection: Connection,
  { source, sink }: { readonly source: NodeId; readonly sink: NodeId },
  readings: { readonly source: EndReadings; readonly sink: EndReadings },
): LossCause => {
  const ends = [
    endOf(source, interfaceOf(connection, connection.sourceInterface, readings.source), readings.source),
    endOf(sink, interfaceOf(connection, connection.sinkInterface, readings.sink), readings.sink),
  ];
  return {
    deadEnds: ends.flatMap(end => (end === 'up' || end === undefined ? [] : [end])),
    hasCarriers: ends.every(end => end === 'up'),
  };
};

/** Undefined if the node does not report whether it is up. */
const endOf = (
  node: NodeId,
  name: Reported<string>,
  { network }: EndReadings,
): DeadEnd | 'up' | undefined => {
  if (isUnknown(name) || network === undefined) return undefined;
  const found = network.interfaces.find(one => one.name === name);
  if (found === undefined) return { node, interfaceName: name, kind: 'gone' };
  if (found.isUp === false) return { node, interfaceName: name, kind: 'down' };
  return found.isUp === true ? 'up' : undefined;
};

/** The network interface that belongs to an RDMA port; unknown if the device has none. */
const interfaceOf = (
  connection: Connection,
  name: Reported<string>,
  { rdmaDevices, thunderbolt }: EndReadings,
): Reported<string> => {
  if (connection.kind === 'socket' || isUnknown(name)) return name;
  const { device, port } = rdmaInterfaceParts(name);
  const cable = thunderbolt?.ports.find(({ rdmaInterfaceName }) => rdmaInterfaceName === device);
  if (cable !== undefined) return cable.interfaceName;
  const rdmaPort = rdmaDevices?.devices
    .find(one => one.name === device)
    ?.ports.find(({ number }) => number === port);
  return rdmaPort?.interfaceName ?? NO_INTERFACE;
};

const NO_INTERFACE = { kind: 'unknown', reason: 'the RDMA port has no network interface' } as const;
