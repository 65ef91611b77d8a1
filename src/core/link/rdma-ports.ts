// The RDMA ports of a node that could carry traffic now, with what determines which ports of another node
// they reach.

import type { NodeId } from '../ids.ts';
import type { InterfaceAddress } from '../node/network.ts';
import type { RdmaDevice, RdmaPort } from '../node/rdma-devices.ts';
import { readingView } from '../node/reading-view.ts';
import type { ThunderboltPort } from '../node/thunderbolt.ts';
import type { State } from '../state.ts';
import { inNumericOrder } from '../text/numeric-order.ts';
import { isKnown, type Reported, unknown } from '../unknown.ts';

export interface ActiveRdmaPort {
  /** As a connection names it: the device, and its port if it has several. */
  readonly name: string;
  readonly rateBitsPerSecond: Reported<number>;
  readonly way:
    | { readonly kind: 'infiniband'; readonly subnetPrefix: string }
    | {
        readonly kind: 'roce';
        readonly interfaceName: string;
        readonly addresses: readonly InterfaceAddress[];
      }
    | { readonly kind: 'thunderbolt'; readonly port: ThunderboltPort; readonly domainUuid: string };
}

/** "mlx5_0", or "mlx5_0:2" for the second port of a device with several. */
export const rdmaInterfaceName = (device: RdmaDevice, port: RdmaPort): string =>
  device.ports.length > 1 ? `${device.name}:${port.number}` : device.name;

/** Splits it into the device and the number of its port. */
export const rdmaInterfaceParts = (name: string): { readonly device: string; readonly port: number } => {
  const [, device = name, port = '1'] = /^(.+):(\d{1,3})$/.exec(name) ?? [];
  return { device, port: Number(port) };
};

/** Sorted by name, 2 before 10. Empty while RDMA is off or not read. */
export const activeRdmaPorts = (state: State, node: NodeId, nowMs: number): readonly ActiveRdmaPort[] => {
  const statuses = state.readingStatuses[node];
  const view = readingView(state.nodeRdmaDevices[node], statuses?.['rdmaDevices'], nowMs);
  if ((view.kind !== 'current' && view.kind !== 'stale') || view.value.isEnabled !== true) return [];
  const found: SocketPort[] = [];
  for (const device of view.value.devices) {
    for (const port of device.ports) {
      if (port.state !== 'active') continue;
      const way = wayOf(state, node, { device, port });
      if (way === undefined) continue;
      found.push({
        name: rdmaInterfaceName(device, port),
        rateBitsPerSecond:
          way.kind === 'thunderbolt' ? way.port.negotiatedBitsPerSecond : port.rateBitsPerSecond,
        way,
        socket: socketOf(device, port),
      });
    }
  }
  return [...withoutHalfRates(found)].sort((a, b) => inNumericOrder(a.name, b.name)).slice(0, PORTS_MAX);
};

/**
 * GB10 shows each socket as two devices, one for each half of its PCIe lanes, and both report the rate of the
 * whole socket, which neither can carry. Their interfaces end in the same name of the physical port ("np0");
 * the system image GUID alone does not identify a socket: the two sockets of one card share it too.
 */
const withoutHalfRates = (ports: readonly SocketPort[]): readonly ActiveRdmaPort[] =>
  ports.map(({ socket, ...port }) => {
    const halves = ports.filter(other => other.socket === socket).map(({ name }) => name);
    if (socket === undefined || halves.length < 2) return port;
    const names = halves.sort(inNumericOrder).join(' and ');
    return { ...port, rateBitsPerSecond: unknown(`${names} share one socket, each with half of its lanes`) };
  });

interface SocketPort extends ActiveRdmaPort {
  readonly socket: string | undefined;
}

const socketOf = (device: RdmaDevice, { interfaceName }: RdmaPort): string | undefined => {
  const label = isKnown(interfaceName) ? /n(p\d+(?:s\d+)?)$/.exec(interfaceName)?.[1] : undefined;
  return label !== undefined && isKnown(device.systemImageGuid)
    ? `${device.systemImageGuid} ${label}`
    : undefined;
};

const wayOf = (
  state: State,
  node: NodeId,
  { device, port }: { readonly device: RdmaDevice; readonly port: RdmaPort },
): ActiveRdmaPort['way'] | undefined => {
  const thunderbolt = state.nodeThunderbolts[node]?.value.ports.find(
    ({ rdmaInterfaceName: name }) => name === device.name,
  );
  if (thunderbolt !== undefined && isKnown(thunderbolt.domainUuid))
    return { kind: 'thunderbolt', port: thunderbolt, domainUuid: thunderbolt.domainUuid };
  if (port.linkLayer === 'infiniband' && isKnown(port.subnetPrefix))
    return { kind: 'infiniband', subnetPrefix: port.subnetPrefix };
  if (port.linkLayer !== 'ethernet' || !isKnown(port.interfaceName)) return undefined;
  const { interfaceName } = port;
  const found = state.nodeNetworks[node]?.value.interfaces.find(({ name }) => name === interfaceName);
  return found === undefined ? undefined : { kind: 'roce', interfaceName, addresses: found.addresses };
};

/** Per node: eight adapters of four ports are more than any machine has. */
const PORTS_MAX = 32;
