// Thunderbolt ports and RDMA devices of a simulated machine.

import type { NodeRdmaDevices, RdmaDevice } from '../core/node/rdma-devices.ts';
import type { NodeThunderbolt, ThunderboltPort } from '../core/node/thunderbolt.ts';
import { unknown } from '../core/unknown.ts';
import { hexDigits } from './durable-readings.ts';
import type { RdmaHardware } from './hardware.ts';
import { type Site, type Socket, thunderboltInterface } from './site.ts';

/** Undefined if the machine has no Thunderbolt. */
export const thunderboltOf = (site: Site): NodeThunderbolt | undefined => {
  const { hardware, machine } = site;
  if (hardware.thunderboltPortCount === 0) return undefined;
  const ports = Array.from({ length: hardware.thunderboltPortCount }, (_, port) => portOf(site, port));
  return {
    ports,
    bridge:
      machine.quirks?.hasThunderboltBridge === true
        ? {
            kind: 'present',
            interfaceName: 'bridge0',
            serviceName: 'Thunderbolt Bridge',
            isEnabled: true,
            members: ports.map((_, port) => thunderboltInterface(hardware, port)),
          }
        : { kind: 'absent' },
  };
};

/** Undefined if the machine has no RDMA device. */
export const rdmaDevicesOf = (site: Site): NodeRdmaDevices | undefined => {
  const { hardware, machine } = site;
  if (machine.quirks?.isRdmaOff === true) return { isEnabled: false, devices: [] };
  if (hardware.thunderboltPortCount > 0)
    return {
      isEnabled: true,
      devices: Array.from({ length: hardware.thunderboltPortCount }, (_, port) =>
        thunderboltDevice(site, port),
      ),
    };
  if (hardware.rdmaPorts.length === 0) return undefined;
  return {
    isEnabled: true,
    devices: hardware.rdmaPorts.map((device, at) => adapterDevice(site, device, at)),
  };
};

const portOf = (site: Site, port: number): ThunderboltPort => {
  const { index, hardware } = site;
  const socket = socketAt(site, port);
  const interfaceName = thunderboltInterface(hardware, port);
  return {
    busName: `thunderboltusb4_bus_${port}`,
    receptacle: String(port + 1),
    domainUuid: domainUuid(index, port),
    interfaceName,
    rdmaInterfaceName: `rdma_${interfaceName}`,
    status: socket === undefined ? 'empty' : 'connected',
    capabilityBitsPerSecond: hardware.thunderboltBitsPerSecond,
    negotiatedBitsPerSecond: socket?.cableBitsPerSecond ?? unknown('no cable'),
    peers: peersOf(site, socket),
    devices: [],
  };
};

const peersOf = (site: Site, socket: Socket | undefined): ThunderboltPort['peers'] => {
  const peer = socket?.peer;
  if (peer === undefined) return [];
  const back = peer.sockets.find(one => one.kind === 'thunderbolt' && one.peer?.index === site.index);
  return [
    {
      domainUuid: domainUuid(peer.index, back?.port ?? 0),
      name: peer.machine.name,
      isBehindHub: false,
      offersRdma: peer.machine.quirks?.isRdmaOff !== true,
    },
  ];
};

const thunderboltDevice = (site: Site, port: number): RdmaDevice => {
  const interfaceName = thunderboltInterface(site.hardware, port);
  const socket = socketAt(site, port);
  return {
    name: `rdma_${interfaceName}`,
    nodeGuid: guid(site.index, port),
    systemImageGuid: guid(site.index, 0),
    firmware: unknown('not reported by macOS'),
    ports: [
      {
        number: 1,
        state:
          socket === undefined || site.machine.quirks?.downRdmaPorts?.includes(port) === true
            ? 'down'
            : 'active',
        physicalState: unknown('not reported by macOS'),
        linkLayer: 'thunderbolt',
        rateBitsPerSecond: socket?.cableBitsPerSecond ?? unknown('no cable'),
        activeMtuBytes: 4_096,
        interfaceName,
        subnetPrefix: unknown('not InfiniBand'),
      },
    ],
  };
};

const adapterDevice = (site: Site, device: RdmaHardware, at: number): RdmaDevice => {
  const isWaiting = site.machine.quirks?.waitingRdmaPorts?.includes(at) === true;
  const isLinked = isWaiting || site.sockets.some(one => one.rdmaName === device.device && one.hasCarrier);
  return {
    name: device.device,
    nodeGuid: guid(site.index, at),
    systemImageGuid: guid(site.index, 0),
    firmware: '28.39.1002',
    ports: [
      {
        number: 1,
        state: isWaiting ? 'initializing' : isLinked ? 'active' : 'down',
        physicalState: isLinked ? 'LinkUp' : 'Disabled',
        linkLayer: device.linkLayer,
        rateBitsPerSecond: device.bitsPerSecond,
        activeMtuBytes: 4_096,
        interfaceName: device.interfaceName,
        subnetPrefix: device.linkLayer === 'infiniband' ? 'fe80000000000000' : unknown('not InfiniBand'),
      },
    ],
  };
};

const socketAt = ({ sockets }: Site, port: number): Socket | undefined =>
  sockets.find(one => one.kind === 'thunderbolt' && one.port === port && one.hasCarrier);

const domainUuid = (site: number, port: number): string =>
  `51E70000-${hexDigits(site, 4)}-4000-8000-${hexDigits(port, 12)}`.toUpperCase();

const guid = (site: number, port: number): string => `0251e7${hexDigits(site, 6)}${hexDigits(port, 4)}`;
