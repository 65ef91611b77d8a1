// A simulated machine in its network: its id, its interfaces with addresses, and which of them each cable uses.
// Addresses are from the ranges that RFC 5737 and RFC 2544 reserve for examples and benchmarks: nothing answers there,
// should a packet ever leave.

import type { NodeId } from '../core/ids.ts';
import { type Absence, isDuring } from './absence.ts';
import { MAC_MINI, MAC_STUDIO, MACBOOK } from './apple-hardware.ts';
import type { Hardware, HardwareName, RdmaHardware } from './hardware.ts';
import { CPU_VM, DGX_SPARK, GPU_SERVER, RADEON_BOX, ROCE_SERVER, WORKSTATION } from './linux-hardware.ts';
import type { Cable, MachineQuirks, Scenario, SimulatedMachine } from './scenario/scenario.ts';

export interface Site {
  readonly index: number;
  readonly nodeId: NodeId;
  readonly machine: SimulatedMachine;
  readonly hardware: Hardware;
  readonly sockets: readonly Socket[];
  /** More machines than a network of 256 addresses has room for. */
  readonly isWide: boolean;
}

/** An interface in use. */
export interface Socket {
  readonly kind: 'ethernet' | 'direct' | 'wifi' | 'overlay' | 'other' | 'thunderbolt' | 'rdma';
  /** False while its cable is unplugged. */
  readonly hasCarrier: boolean;
  readonly interfaceName: string;
  readonly address: string;
  readonly isLinkLocal: boolean;
  readonly prefixLength: number;
  /** Of its RDMA device; undefined if it has none, or it is switched off. */
  readonly rdmaName: string | undefined;
  /** Of a Thunderbolt port: from 0. */
  readonly port: number;
  /** Of a Thunderbolt port: what its cable negotiated, bits a second. */
  readonly cableBitsPerSecond: number;
  /** Of a Thunderbolt port: the machine at the other end. */
  peer: Site | undefined;
}

interface WiredCable {
  readonly cable: Cable;
  readonly a: CableEnd;
  readonly b: CableEnd;
}

export interface CableEnd {
  readonly site: Site;
  readonly socket: Socket;
}

export interface Wiring {
  readonly sites: readonly Site[];
  readonly cables: readonly WiredCable[];
  readonly absences: readonly Absence[];
}

/** @param nodeIds one per machine, in the order of the scenario. */
export const wire = ({ machines, cables, absences }: Scenario, nodeIds: readonly NodeId[]): Wiring => {
  const sites = machines.map((machine, index): Site & { sockets: Socket[] } => {
    const nodeId = nodeIds[index];
    if (nodeId === undefined) throw new RangeError('a node id for each machine');
    const isWide = machines.length > NARROW_MACHINES_MAX;
    return { index, nodeId, machine, hardware: HARDWARE[machine.hardware], sockets: [], isWide };
  });
  const siteAt = (index: number): Site & { sockets: Socket[] } => {
    const site = sites[index];
    if (site === undefined) throw new RangeError(`a cable ends at machine ${index}, which is not there`);
    return site;
  };
  for (const site of sites) plugIn(site, 'ethernet');
  const wired = cables.map((cable): WiredCable => {
    const [a, b] = [siteAt(cable.a), siteAt(cable.b)];
    const [socketA, socketB] = [plugIn(a, cable.kind), plugIn(b, cable.kind)];
    if (socketA.kind === 'thunderbolt') [socketA.peer, socketB.peer] = [b, a];
    return { cable, a: { site: a, socket: socketA }, b: { site: b, socket: socketB } };
  });
  return { sites, cables: wired, absences };
};

/** The shared interface of its kind, or the next free port if it has a separate cable. */
const plugIn = (site: Site & { sockets: Socket[] }, kind: Cable['kind']): Socket => {
  const { sockets } = site;
  switch (kind) {
    case 'wifi':
      // A machine without Wi-Fi is behind the same access point by cable.
      if (site.hardware.wifiName === undefined) return plugIn(site, 'ethernet');
      return sockets.find(one => one.kind === kind) ?? added(sockets, sharedSocket(site, kind));
    case 'direct':
      return added(sockets, directSocket(site));
    case 'ethernet':
    case 'overlay':
    case 'other':
      return sockets.find(one => one.kind === kind) ?? added(sockets, sharedSocket(site, kind));
    case 'infiniband':
      return sockets.find(one => one.kind === 'rdma') ?? added(sockets, rdmaSocket(site, 0));
    case 'roce':
      return added(sockets, rdmaSocket(site, sockets.filter(one => one.kind === 'rdma').length));
    case 'thunderbolt':
    case 'thunderbolt-rdma':
      return added(
        sockets,
        thunderboltSocket(site, {
          port: sockets.filter(one => one.kind === 'thunderbolt').length,
          cableBitsPerSecond: THUNDERBOLT_BITS_PER_SECOND[kind],
        }),
      );
    default:
      return kind satisfies never;
  }
};

const added = (sockets: Socket[], socket: Socket): Socket => {
  sockets.push(socket);
  return socket;
};

const directSocket = ({ index, hardware, sockets }: Site): Socket => {
  const { model, secondEthernetName: interfaceName } = hardware;
  if (interfaceName === undefined || sockets.some(({ kind }) => kind === 'direct'))
    throw new RangeError(`${model} has no other Ethernet port`);
  return { ...PLAIN, kind: 'direct', interfaceName, address: `198.19.0.${index + FIRST_HOST}` };
};

const sharedSocket = (
  { index, hardware, isWide }: Site,
  kind: 'ethernet' | 'wifi' | 'overlay' | 'other',
): Socket => {
  const { prefix, interfaceName } = {
    ethernet: { prefix: '192.0.2', interfaceName: hardware.ethernet.name },
    wifi: { prefix: '198.51.100', interfaceName: hardware.wifiName ?? '' },
    overlay: {
      prefix: '203.0.113',
      interfaceName: hardware.operatingSystem.platform === 'macos' ? 'utun4' : 'tailscale0',
    },
    other: { prefix: '198.19.1', interfaceName: 'net1' },
  }[kind];
  if (isWide) return { ...PLAIN, kind, interfaceName, address: wideAddress(16, index), prefixLength: 21 };
  return { ...PLAIN, kind, interfaceName, address: `${prefix}.${index + FIRST_HOST}` };
};

const rdmaSocket = ({ index, hardware, isWide }: Site, port: number): Socket => {
  const device: RdmaHardware | undefined = hardware.rdmaPorts[port];
  if (device === undefined) throw new RangeError(`${hardware.model} has no RDMA port ${port}`);
  const { interfaceName, device: rdmaName } = device;
  return {
    ...PLAIN,
    kind: 'rdma',
    interfaceName,
    address: isWide ? wideAddress(port, index) : `198.18.${port}.${index + FIRST_HOST}`,
    prefixLength: isWide ? 21 : 24,
    rdmaName,
    port,
  };
};

/** In 198.18.0.0/15: eight times 256 addresses a network, the shared one behind those of the RDMA ports. */
const wideAddress = (network: number, index: number): string => {
  const host = network * 2_048 + index + FIRST_HOST;
  return `198.${18 + Math.floor(host / 65_536)}.${Math.floor(host / 256) % 256}.${host % 256}`;
};

const thunderboltSocket = (
  { index, hardware }: Site,
  { port, cableBitsPerSecond }: Pick<Socket, 'port' | 'cableBitsPerSecond'>,
): Socket => {
  if (port >= hardware.thunderboltPortCount)
    throw new RangeError(`${hardware.model} has no Thunderbolt port ${port}`);
  const interfaceName = thunderboltInterface(hardware, port);
  return {
    ...PLAIN,
    kind: 'thunderbolt',
    interfaceName,
    address: `fe80::${(index + 1).toString(16)}:${port + 1}`,
    isLinkLocal: true,
    rdmaName: `rdma_${interfaceName}`,
    port,
    cableBitsPerSecond,
  };
};

/** A Mac Studio counts its ports from en2, a notebook and a mini from en1 or en2. */
export const thunderboltInterface = (hardware: Hardware, port: number): string =>
  `en${port + (hardware.wifiName === 'en0' ? 1 : 2)}`;

const PLAIN = {
  hasCarrier: true,
  isLinkLocal: false,
  prefixLength: 24,
  rdmaName: undefined,
  port: 0,
  cableBitsPerSecond: 0,
  peer: undefined,
} as const;
/** What a cable between two Macs negotiates each way: Thunderbolt 5, or 4 if RDMA is not offered. */
const THUNDERBOLT_BITS_PER_SECOND = { 'thunderbolt-rdma': 80e9, thunderbolt: 40e9 } as const;
const FIRST_HOST = 10;
const NARROW_MACHINES_MAX = 240;

// A simulated machine as it is at one moment: with the quirks that it has then, and without a carrier where a cable is
// unplugged. The same object for as long as nothing changes, so that its reader sees when something did.
export type SiteAt = (atSeconds: number) => Site;

export const siteOverTime = (site: Site, { cables }: Pick<Wiring, 'cables'>): SiteAt => {
  const changes = site.machine.changes ?? [];
  const outages = cables.flatMap(({ cable, a, b }) =>
    [a, b]
      .filter(end => end.site === site)
      .flatMap(({ socket }) => (cable.outages ?? []).map(outage => ({ outage, socket }))),
  );
  // Most machines never change.
  if (changes.length + outages.length === 0) return () => site;
  let latest = { key: '', site };
  return atSeconds => {
    const activeChanges = changes.filter(change => isDuring(change, atSeconds));
    const activeOutages = outages.filter(({ outage }) => isDuring(outage, atSeconds));
    const key = [
      ...activeChanges.map(change => `change ${changes.indexOf(change)}`),
      ...activeOutages.map(({ outage, socket }) => `${socket.interfaceName} ${outage.goneAt ?? 'unplugged'}`),
    ].join(' ');
    if (key === latest.key) return latest.site;
    let quirks: MachineQuirks = site.machine.quirks ?? {};
    for (const change of activeChanges) quirks = { ...quirks, ...change.quirks };
    const sockets = site.sockets.flatMap((socket): readonly Socket[] => {
      const outage = activeOutages.find(one => one.socket === socket)?.outage;
      if (outage === undefined) return [socket];
      return outage.goneAt === site.index ? [] : [{ ...socket, hasCarrier: false }];
    });
    latest = { key, site: { ...site, sockets, machine: { ...site.machine, quirks } } };
    return latest.site;
  };
};

// Every kind of machine that can be simulated.
const HARDWARE: Readonly<Record<HardwareName, Hardware>> = {
  'mac-studio': MAC_STUDIO,
  'mac-mini': MAC_MINI,
  macbook: MACBOOK,
  'dgx-spark': DGX_SPARK,
  workstation: WORKSTATION,
  'radeon-box': RADEON_BOX,
  'gpu-server': GPU_SERVER,
  'roce-server': ROCE_SERVER,
  'cpu-vm': CPU_VM,
};
