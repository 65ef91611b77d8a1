// What a probe of a connection occupies at each end, by that node's interface names. A bridge or bond occupies all its
// members, an RDMA device the port whose network interface it shares: one cable carries one probe.

import { withoutScope } from '../../core/address/host-port.ts';
import type { NodeId } from '../../core/ids.ts';
import type { Connection } from '../../core/link/connection.ts';
import { rdmaInterfaceParts } from '../../core/link/rdma-ports.ts';
import { interfacesWith } from '../../core/node/network.ts';
import type { RdmaDevice } from '../../core/node/rdma-devices.ts';
import type { State } from '../../core/state.ts';
import { isKnown } from '../../core/unknown.ts';

/** If the interface is unknown, it may be any of the node's. */
export const ANY_PORT = '*';

export const sourcePorts = (state: State, source: NodeId, connection: Connection): readonly string[] =>
  isKnown(connection.sourceInterface) ? portsOf(state, source, connection.sourceInterface) : [ANY_PORT];

export const sinkPorts = (state: State, connection: Connection): readonly string[] => {
  if (connection.kind === 'rdma') return portsOf(state, connection.sink, connection.sinkInterface);
  const { sink, sinkAddress } = connection;
  const found = interfacesWith(state.nodeNetworks[sink]?.value, sinkAddress);
  return found.length === 0 ? [ANY_PORT] : unique(found.flatMap(({ name }) => portsOf(state, sink, name)));
};

/** All addresses that a node has reported for itself, without scopes. */
export const portAddressesOf = (state: State, node: NodeId): readonly string[] =>
  (state.nodeNetworks[node]?.value.interfaces ?? []).flatMap(({ addresses }) =>
    addresses.map(({ address }) => withoutScope(address)),
  );

/** For people: the intended interface, regardless of what it shares. */
export const portText = (ports: readonly string[]): string => {
  const [first = ANY_PORT] = ports;
  return first === ANY_PORT ? 'an interface' : first;
};

export const sharePort = (a: readonly string[], b: readonly string[]): boolean =>
  a.includes(ANY_PORT) || b.includes(ANY_PORT) || a.some(name => b.includes(name));

const portsOf = (state: State, node: NodeId, name: string): readonly string[] => {
  const interfaces = state.nodeNetworks[node]?.value.interfaces ?? [];
  const devices = state.nodeRdmaDevices[node]?.value.devices ?? [];
  const found = new Set<string>();
  const follow = (one: string): void => {
    if (found.has(one)) return;
    found.add(one);
    for (const member of interfaces.find(each => each.name === one)?.members ?? []) follow(member);
    // "eth0.10" is a VLAN on eth0, by the kernel's own naming.
    const parent = /^(.+)\.\d{1,4}$/.exec(one)?.[1];
    if (parent !== undefined && interfaces.some(each => each.name === parent)) follow(parent);
    // macOS names an RDMA device after its interface.
    if (one.startsWith('rdma_')) follow(one.slice('rdma_'.length));
    for (const device of devices) {
      const { device: named, port: number } = rdmaInterfaceParts(one);
      const ports = device.ports.filter(
        port => port.interfaceName === one || (device.name === named && port.number === number),
      );
      if (ports.length > 0) found.add(adapterOf(device));
      for (const { interfaceName } of ports) if (isKnown(interfaceName)) follow(interfaceName);
    }
  };
  follow(name);
  return [...found];
};

/** The halves of one socket of a GB10 are two devices with one of these; so are the ports of one adapter elsewhere. */
const adapterOf = ({ name, systemImageGuid }: RdmaDevice): string =>
  isKnown(systemImageGuid) && !/^0*$/.test(systemImageGuid) ? `adapter ${systemImageGuid}` : name;

const unique = (names: readonly string[]): readonly string[] => [...new Set(names)];
