// What a simulated machine reports once: identity, interfaces, Thunderbolt ports, RDMA devices, GPUs, settings.

import type { Fact } from '../core/event-kinds.ts';
import type { FailedGpu } from '../core/node/failed-gpu.ts';
import type { Gathered } from '../core/node/gathered.ts';
import type { GpuDevice, NodeGpus } from '../core/node/gpu.ts';
import type { NodeIdentity } from '../core/node/identity.ts';
import type { InterfaceAddress, NetworkInterface, NodeNetwork } from '../core/node/network.ts';
import { type Reported, unknown } from '../core/unknown.ts';
import type { GpuHardware } from './hardware.ts';
import type { SimulatedGpuFailure } from './scenario/scenario.ts';
import type { Site, Socket } from './site.ts';

/** The source that every simulated reading names. */
export const SIMULATED_SOURCE = 'simulated';
/** How often unchanged readings are confirmed, ms. */
export const DURABLE_INTERVAL_MS = 30_000;

export const simulated = <T>(value: T, intervalMs: number = DURABLE_INTERVAL_MS): Gathered<T> => ({
  source: SIMULATED_SOURCE,
  intervalMs,
  value,
});

export const identityOf = ({ machine, hardware }: Site, plimsollVersion: string): NodeIdentity => ({
  friendlyName: machine.name,
  hostName: `${machine.name}.example`,
  model: hardware.model,
  chip: hardware.chip,
  architecture: hardware.architecture,
  cpuCount: hardware.cpuCount,
  operatingSystem: {
    ...hardware.operatingSystem,
    build: machine.quirks?.osBuild ?? hardware.operatingSystem.build,
  },
  memoryIsUnified: hardware.memoryIsUnified,
  virtualisation: hardware.virtualisation,
  plimsollVersion,
  isSimulated: true,
});

export const networkOf = ({ index, machine, hardware, sockets }: Site): NodeNetwork => {
  const { ethernet, wifiName, operatingSystem } = hardware;
  const isMac = operatingSystem.platform === 'macos';
  const plain = (
    value: Pick<NetworkInterface, 'name' | 'type'> & Partial<NetworkInterface>,
  ): NetworkInterface => ({
    typeEvidence: SIMULATED_SOURCE,
    macAddress: macAddress(index, value.name),
    isUp: true,
    speedBitsPerSecond: unknown('not reported by this kind of interface'),
    mtuBytes: STANDARD_MTU,
    driver: isMac ? unknown('not reported by macOS') : SIMULATED_SOURCE,
    addresses: [],
    members: [],
    ...value,
  });
  const socketAt = (name: string): Socket | undefined => sockets.find(one => one.interfaceName === name);
  const wifi = wifiName === undefined ? undefined : socketAt(wifiName);
  return {
    interfaces: [
      plain({
        name: ethernet.name,
        type: 'ethernet',
        speedBitsPerSecond:
          machine.quirks?.hasNoEthernetRate === true
            ? unknown('the driver reports no rate')
            : (machine.quirks?.ethernetBitsPerSecond ?? ethernet.bitsPerSecond),
        mtuBytes: machine.quirks?.ethernetMtuBytes ?? STANDARD_MTU,
        driver: ethernet.driver,
        addresses: addressesOf(socketAt(ethernet.name)),
      }),
      ...sockets
        .filter(one => one.kind === 'direct')
        .map(one =>
          plain({
            name: one.interfaceName,
            type: 'ethernet',
            isUp: one.hasCarrier,
            speedBitsPerSecond: one.hasCarrier ? ethernet.bitsPerSecond : NO_CABLE,
            driver: ethernet.driver,
            addresses: addressesOf(one),
          }),
        ),
      ...sockets
        .filter(one => one.kind === 'other')
        .map(one =>
          plain({
            name: one.interfaceName,
            type: unknown('sysfs type 65534 is not known here'),
            typeEvidence: 'sysfs type 65534',
            addresses: addressesOf(one),
          }),
        ),
      ...(wifiName === undefined
        ? []
        : [
            plain({
              name: wifiName,
              type: 'wifi',
              isUp: wifi !== undefined,
              speedBitsPerSecond: wifi === undefined ? unknown('not associated') : WIFI_BITS_PER_SECOND,
              addresses: addressesOf(wifi),
            }),
          ]),
      ...sockets
        .filter(one => one.kind === 'thunderbolt')
        .map(one =>
          plain({
            name: one.interfaceName,
            type: 'thunderbolt',
            isUp: one.hasCarrier,
            speedBitsPerSecond: one.hasCarrier ? one.cableBitsPerSecond : NO_CABLE,
            // macOS takes its link-local address from an interface without a carrier.
            addresses: one.hasCarrier ? addressesOf(one) : [],
          }),
        ),
      ...hardware.rdmaPorts.map(({ interfaceName, linkLayer, bitsPerSecond }) =>
        plain({
          name: interfaceName,
          type: linkLayer,
          isUp: socketAt(interfaceName)?.hasCarrier === true,
          speedBitsPerSecond: socketAt(interfaceName)?.hasCarrier === true ? bitsPerSecond : NO_CABLE,
          mtuBytes: linkLayer === 'infiniband' ? 2_044 : 9_000,
          driver: 'mlx5_core',
          addresses: addressesOf(socketAt(interfaceName)),
        }),
      ),
      ...sockets
        .filter(one => one.kind === 'overlay')
        .map(one =>
          plain({ name: one.interfaceName, type: 'overlay', mtuBytes: 1_280, addresses: addressesOf(one) }),
        ),
      plain({
        name: isMac ? 'lo0' : 'lo',
        type: 'loopback',
        macAddress: unknown('loopback has none'),
        speedBitsPerSecond: unknown('loopback has no rate'),
        mtuBytes: isMac ? 16_384 : 65_536,
        addresses: [{ address: '127.0.0.1', family: 'ipv4', prefixLength: 8, scope: 'host' }],
      }),
    ],
  };
};

/** One per vendor; none if the machine has no GPU. */
export const gpuInventories = (site: Site): readonly NodeGpus[] => {
  const { index, hardware } = site;
  const [first] = hardware.gpus;
  if (first === undefined) return [];
  return [
    {
      vendor: first.vendor,
      devices: workingGpus(site).map(({ gpu, at }) => deviceOf(gpu, index, at)),
      failed: (site.machine.quirks?.failedGpus ?? []).flatMap(failure => failedGpuOf(site, failure)),
    },
  ];
};

/** Those of its GPUs that can be used, with their indexes in its hardware. */
export const workingGpus = ({
  hardware,
  machine,
}: Pick<Site, 'hardware' | 'machine'>): readonly { readonly gpu: GpuHardware; readonly at: number }[] => {
  const failed = new Set(machine.quirks?.failedGpus?.map(({ gpu }) => gpu));
  return hardware.gpus.map((gpu, at) => ({ gpu, at })).filter(({ at }) => !failed.has(at));
};

const failedGpuOf = (
  { hardware, index }: Site,
  { gpu: at, state, reason }: SimulatedGpuFailure,
): readonly FailedGpu[] => {
  const gpu = hardware.gpus[at];
  return gpu === undefined
    ? []
    : [
        {
          deviceId: deviceId(gpu, index, at),
          name: gpu.name,
          index: at,
          pciAddress: pciAddressOf(gpu, at),
          state,
          reason,
        },
      ];
};

export const pciAddressOf = ({ vendor }: GpuHardware, at: number): Reported<string> =>
  vendor === 'apple' ? unknown('not on PCIe') : `0000:${hexDigits(3 + at, 2)}:00.0`;

export const deviceId = ({ vendor }: GpuHardware, site: number, at: number): string => {
  switch (vendor) {
    case 'apple':
      return `apple-${at}`;
    case 'nvidia':
      return `GPU-51e70000-${hexDigits(site, 4)}-4000-8000-${hexDigits(at, 12)}`;
    case 'amd':
    case 'intel':
      return `0000:${hexDigits(3 + at, 2)}:00.0`;
    default:
      return vendor satisfies never;
  }
};

export const configFact = ({ machine }: Site): Fact => ({
  kind: 'config.gathered',
  payload: simulated({
    tags: [SIMULATED_SOURCE, ...(machine.place?.tags ?? [])],
    site: machine.place?.site ?? NOT_SET,
    rack: machine.place?.rack ?? NOT_SET,
    machineKind: NOT_SET,
    ignoredInterfaces: [],
    staticPeerCount: 0,
    probes: { isEnabled: true, gpuTtlSeconds: 3_600, socketTtlSeconds: 300, rdmaTtlSeconds: 21_600 },
    makesLoad: false,
    webhooks: [],
    servedEndpoints: machine.quirks?.servesModel === true ? ['http://127.0.0.1:8000'] : [],
  }),
});

const deviceOf = (gpu: GpuHardware, site: number, at: number): GpuDevice => ({
  deviceId: deviceId(gpu, site, at),
  index: at,
  name: gpu.name,
  memoryTotalBytes: gpu.memoryBytes ?? unknown('unified memory'),
  memoryIsUnified: gpu.memoryBytes === undefined,
  memoryReservedBytes: 0,
  driver: gpu.driver ?? unknown('part of the system'),
  runtime: gpu.runtime,
  architecture: gpu.architecture,
  coreCount: gpu.coreCount,
  pcieMax: gpu.pcie ?? unknown('not on PCIe'),
  powerLimitWatts:
    gpu.vendor === 'apple' ? unknown('not reported by macOS') : Math.ceil(gpu.watts.peak / 10) * 10,
  powerLimitDefaultWatts: unknown(gpu.vendor === 'apple' ? 'not reported by macOS' : 'not simulated'),
  partitions: [],
  pciAddress: pciAddressOf(gpu, at),
});

const addressesOf = (socket: Socket | undefined): readonly InterfaceAddress[] => {
  if (socket === undefined) return [];
  const { address, isLinkLocal, prefixLength } = socket;
  return isLinkLocal
    ? [{ address, family: 'ipv6', prefixLength: 64, scope: 'link' }]
    : [{ address, family: 'ipv4', prefixLength, scope: 'global' }];
};

/** Locally administered: 02:… belongs to no maker. */
const macAddress = (site: number, name: string): string => {
  const number = [...name].reduce((sum, sign) => (sum * 31 + sign.charCodeAt(0)) % 65_536, 7);
  const bytes = [2, 0, (site >> 8) & 255, site & 255, number >> 8, number & 255];
  return bytes.map(byte => hexDigits(byte, 2)).join(':');
};

export const hexDigits = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

const WIFI_BITS_PER_SECOND = 1.2e9;
/** Ethernet's, bytes. */
const STANDARD_MTU = 1_500;
const NO_CABLE = unknown('no cable');
const NOT_SET = unknown('not set in config.toml');
