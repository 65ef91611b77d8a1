// The medium of a connection, from both of its ends: the slower one decides what it should carry, and a radio
// at one end makes it a radio link. The source's event contains its own interface; the sink's interface comes
// from the sink's readings. The same for real and simulated connections.

import { withoutScope } from '../address/host-port.ts';
import { counted } from '../figure/figure.ts';
import type { NodeId } from '../ids.ts';
import { interfacesWith } from '../node/network.ts';
import type { NodeRdmaDevices } from '../node/rdma-devices.ts';
import type { State } from '../state.ts';
import { isKnown, isUnknown, type Reported, unknown } from '../unknown.ts';
import type { Connection } from './connection.ts';
import { type ConnectionCarrier, connectionCarrier, type OwnCarriers } from './connection-type.ts';
import { rdmaInterfaceParts } from './rdma-ports.ts';

/** One end: its interface, the medium, and the rate negotiated with what it is plugged into. */
export interface LinkEnd extends ConnectionCarrier {
  readonly interfaceName: Reported<string>;
}

export interface LinkCarrier extends ConnectionCarrier {
  readonly ends: { readonly source: LinkEnd; readonly sink: LinkEnd };
}

/** The interface readings of a node; undefined until reported. */
export interface EndReadings extends OwnCarriers {
  readonly rdmaDevices: NodeRdmaDevices | undefined;
}

export const endReadings = (state: State, node: NodeId): EndReadings => ({
  network: state.nodeNetworks[node]?.value,
  thunderbolt: state.nodeThunderbolts[node]?.value,
  rdmaDevices: state.nodeRdmaDevices[node]?.value,
});

/** Type and expected rate of a connection, with each end's own. */
export const linkCarrier = (connection: Connection, source: EndReadings, sink: EndReadings): LinkCarrier => {
  const { type, negotiatedBitsPerSecond } = connection;
  if (connection.kind === 'rdma') {
    const reported = { type, negotiatedBitsPerSecond };
    const ends = {
      source: rdmaEnd(connection.sourceInterface, reported, source),
      sink: rdmaEnd(connection.sinkInterface, reported, sink),
    };
    return { ...reported, ends };
  }
  const ends = {
    source: { interfaceName: connection.sourceInterface, type, negotiatedBitsPerSecond },
    sink: sinkEnd(connection, sink),
  };
  // The other end of address translation is unknown: only the source's report is available.
  if (isUnknown(ends.sink.interfaceName)) return { type, negotiatedBitsPerSecond, ends };
  return { ...joinedEnds(ends.source, ends.sink), ends };
};

/** The slower end decides; an end with an unknown rate may be the slower one, so the result is unknown. */
export const joinedEnds = (one: ConnectionCarrier, other: ConnectionCarrier): ConnectionCarrier => {
  const slower = slowerEnd(one, other);
  return { type: joinedType(one, other, slower), negotiatedBitsPerSecond: slower.negotiatedBitsPerSecond };
};

const slowerEnd = (one: ConnectionCarrier, other: ConnectionCarrier): ConnectionCarrier => {
  const [a, b] = [one.negotiatedBitsPerSecond, other.negotiatedBitsPerSecond];
  if (isUnknown(a)) return one;
  return isUnknown(b) || b < a ? other : one;
};

/** The type of the tightest limit: a radio, a tunnel, else the slower end. */
const joinedType = (
  one: ConnectionCarrier,
  other: ConnectionCarrier,
  slower: ConnectionCarrier,
): ConnectionCarrier['type'] => {
  for (const decisive of DECISIVE) if (one.type === decisive || other.type === decisive) return decisive;
  if (isUnknown(one.type)) return isUnknown(other.type) ? one.type : other.type;
  return isUnknown(other.type) ? one.type : slower.type;
};

const sinkEnd = (
  { sinkAddress, sinkInterface: last }: Extract<Connection, { kind: 'socket' }>,
  readings: EndReadings,
): LinkEnd => {
  const address = withoutScope(sinkAddress);
  if (readings.network === undefined) return unknownEnd('the interfaces of the other end are not known yet');
  const found = interfacesWith(readings.network, sinkAddress);
  const [first, ...others] = found;
  // A single reading without the address does not change the carrier.
  if (first === undefined && isKnown(last))
    return { interfaceName: last, ...connectionCarrier(last, readings) };
  if (first === undefined) return unknownEnd(`no interface of the other end reports the address ${address}`);
  const end = { interfaceName: first.name, ...connectionCarrier(first.name, readings) };
  // Several interfaces of one machine may have the same link-local address.
  return others.length === 0
    ? end
    : unknownEnd(`${counted(found.length, 'interface')} of the other end have the address ${address}`);
};

const rdmaEnd = (name: string, reported: ConnectionCarrier, readings: EndReadings): LinkEnd => {
  const { device, port } = rdmaInterfaceParts(name);
  const cable = readings.thunderbolt?.ports.find(({ rdmaInterfaceName }) => rdmaInterfaceName === device);
  const rdmaPort = readings.rdmaDevices?.devices
    .find(one => one.name === device)
    ?.ports.find(({ number }) => number === port);
  const rate =
    cable?.negotiatedBitsPerSecond ?? rdmaPort?.rateBitsPerSecond ?? reported.negotiatedBitsPerSecond;
  return { interfaceName: name, type: reported.type, negotiatedBitsPerSecond: rate };
};

const unknownEnd = (reason: string): LinkEnd => ({
  interfaceName: unknown(reason),
  type: unknown(reason),
  negotiatedBitsPerSecond: unknown(reason),
});

const DECISIVE = ['loopback', 'overlay', 'wifi'] as const;
