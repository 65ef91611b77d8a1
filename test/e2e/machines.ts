// Made-up machines as facts, for pages that this machine cannot fill by itself: GPUs, Thunderbolt, RDMA. Everything is
// synthetic and marked so.

import type { Fact } from '../../src/core/event-kinds.ts';
import type { GpuDevice, GpuLoad, GpuVendor } from '../../src/core/node/gpu.ts';
import type { NodeIdentity } from '../../src/core/node/identity.ts';
import type { NetworkInterface } from '../../src/core/node/network.ts';
import { unknown } from '../../src/core/unknown.ts';

export interface InTurnOptions {
  /** 0..1 */
  readonly memory: number;
  readonly use: number;
  readonly cpu: number;
}

export interface Machine {
  readonly seed: string;
  readonly durable: readonly Fact[];
  live(reporting: InTurnOptions): readonly Fact[];
}

const identity = (value: Partial<NodeIdentity> & Pick<NodeIdentity, 'friendlyName'>): Fact => ({
  kind: 'identity.gathered',
  payload: {
    source: 'made up',
    intervalMs: 30_000,
    value: {
      hostName: `${value.friendlyName}.local`,
      model: unknown('no DMI'),
      chip: unknown('not reported'),
      architecture: 'arm64',
      cpuCount: 32,
      operatingSystem: { platform: 'linux', name: 'Ubuntu 24.04', version: '24.04', build: '6.8.0-48' },
      memoryIsUnified: false,
      virtualisation: 'none',
      plimsollVersion: '0.1.0',
      isSimulated: true,
      ...value,
    },
  },
});

const memory = (totalBytes: number, used: number, swapUsedBytes = 0): Fact => ({
  kind: 'memory.gathered',
  payload: {
    source: 'made up',
    intervalMs: 500,
    value: {
      totalBytes,
      availableBytes: Math.round(totalBytes * (1 - used)),
      swapTotalBytes: 8e9,
      swapUsedBytes,
      pressure: { level: 'normal', stalledShare: 0.004 },
      container: { kind: 'none' },
    },
  },
});

const system = (cpuUse: number, watts: number): Fact => ({
  kind: 'system.gathered',
  payload: {
    source: 'made up',
    intervalMs: 1_000,
    value: {
      cpuUse,
      cpuTemperatureCelsius: 47,
      cpuPowerWatts: unknown('no sensor'),
      systemPowerWatts: watts,
      loadAverage1: 1.2,
      uptimeSeconds: 41 * 86_400,
      cpuClusters: [],
    },
  },
});

const gpus = (vendor: GpuVendor, devices: readonly GpuDevice[]): Fact => ({
  kind: 'gpus.gathered',
  payload: { source: 'made up', intervalMs: 30_000, value: { vendor, devices } },
});

const gpuLoads = (vendor: GpuVendor, devices: readonly GpuLoad[]): Fact => ({
  kind: 'gpuLoads.gathered',
  payload: { source: 'made up', intervalMs: 1_000, value: { vendor, devices } },
});

const device = (
  index: number,
  value: Partial<GpuDevice> & Pick<GpuDevice, 'name' | 'deviceId'>,
): GpuDevice => ({
  index,
  memoryTotalBytes: unknown('unified memory'),
  memoryIsUnified: true,
  driver: unknown('part of the system'),
  runtime: 'Metal 4',
  architecture: unknown('not reported'),
  coreCount: 80,
  pcieMax: unknown('no PCIe'),
  powerLimitWatts: unknown('not reported'),
  partitions: [],
  ...value,
});

const load = (deviceId: string, value: Partial<GpuLoad>): GpuLoad => ({
  deviceId,
  use: 0,
  memoryUsedBytes: unknown('unified memory'),
  temperatureCelsius: 54,
  powerWatts: 148,
  clockMhz: 1_380,
  pcieNow: unknown('no PCIe'),
  throttleReasons: [],
  ...value,
});

const networkInterface = (
  value: Partial<NetworkInterface> & Pick<NetworkInterface, 'name'>,
): NetworkInterface => ({
  type: 'ethernet',
  typeEvidence: 'made up',
  macAddress: '02:00:00:00:00:01',
  isUp: true,
  speedBitsPerSecond: 10e9,
  mtuBytes: 1_500,
  driver: 'made up',
  addresses: [],
  members: [],
  ...value,
});

const network = (interfaces: readonly NetworkInterface[]): Fact => ({
  kind: 'network.gathered',
  payload: { source: 'made up', intervalMs: 10_000, value: { interfaces } },
});

const disk = (availableShare: number): Fact => ({
  kind: 'disk.gathered',
  payload: {
    source: 'made up',
    intervalMs: 30_000,
    value: {
      volumes: [
        {
          mountPoint: '/',
          device: '/dev/nvme0n1p2',
          fileSystem: 'ext4',
          totalBytes: 2e12,
          availableBytes: 2e12 * availableShare,
        },
      ],
    },
  },
});

const config: Fact = {
  kind: 'config.gathered',
  payload: {
    source: 'config.toml',
    intervalMs: 30_000,
    value: {
      tags: ['desk'],
      site: unknown('not set in config.toml'),
      rack: unknown('not set in config.toml'),
      machineKind: unknown('not set in config.toml'),
      ignoredInterfaces: [],
      staticPeerCount: 0,
      probes: { isEnabled: true, gpuTtlSeconds: 3_600, socketTtlSeconds: 300, rdmaTtlSeconds: 21_600 },
      makesLoad: false,
      webhooks: [],
      servedEndpoints: ['http://127.0.0.1:8000'],
    },
  },
};

export const studio: Machine = {
  seed: 'atlas',
  durable: [
    identity({
      friendlyName: 'atlas',
      model: 'Mac Studio',
      chip: 'Apple M3 Ultra',
      memoryIsUnified: true,
      operatingSystem: { platform: 'macos', name: 'macOS', version: '26.2', build: '25C56' },
    }),
    gpus('apple', [device(0, { name: 'Apple M3 Ultra', deviceId: 'apple-0' })]),
    network([
      networkInterface({
        name: 'en0',
        addresses: [{ address: '192.0.2.7', family: 'ipv4', prefixLength: 24, scope: 'global' }],
      }),
    ]),
    config,
  ],
  live: ({ memory: used, use, cpu }) => [
    memory(512e9, used),
    system(cpu, 148),
    gpuLoads('apple', [load('apple-0', { use })]),
    disk(0.4),
  ],
};

export const rack: Machine = {
  seed: 'bosun',
  durable: [
    identity({
      friendlyName: 'bosun',
      model: 'Supermicro AS-4125GS',
      chip: 'AMD EPYC 9354 32-Core Processor',
      architecture: 'x64',
    }),
    gpus(
      'nvidia',
      [0, 1].map(index =>
        device(index, {
          name: 'NVIDIA GeForce RTX 4090',
          deviceId: `GPU-0000000${index}`,
          memoryTotalBytes: 24e9,
          memoryIsUnified: false,
          driver: '570.86',
          runtime: 'CUDA 12.8',
          pcieMax: { generation: 4, width: 16 },
          powerLimitWatts: 450,
        }),
      ),
    ),
    network([
      networkInterface({
        name: 'enp5s0f0',
        addresses: [
          { address: '192.0.2.9', family: 'ipv4', prefixLength: 24, scope: 'global' },
          { address: 'fe80::2', family: 'ipv6', prefixLength: 64, scope: 'link' },
        ],
      }),
      networkInterface({
        name: 'wlp9s0',
        type: 'wifi',
        isUp: false,
        speedBitsPerSecond: unknown('not associated'),
      }),
      networkInterface({
        name: 'lo',
        type: 'loopback',
        speedBitsPerSecond: unknown('loopback has no rate'),
        mtuBytes: 65_536,
      }),
    ]),
    {
      kind: 'rdmaDevices.gathered',
      payload: {
        source: 'made up',
        intervalMs: 10_000,
        value: {
          isEnabled: true,
          devices: [
            {
              name: 'mlx5_0',
              nodeGuid: '0200000000000001',
              systemImageGuid: '0200000000000001',
              firmware: '28.39.1002',
              ports: [
                {
                  number: 1,
                  state: 'active',
                  physicalState: 'LinkUp',
                  linkLayer: 'ethernet',
                  rateBitsPerSecond: 100e9,
                  activeMtuBytes: 1024,
                  interfaceName: 'enp5s0f0',
                  subnetPrefix: unknown('not InfiniBand'),
                },
              ],
            },
          ],
        },
      },
    },
    config,
  ],
  live: ({ memory: used, use, cpu }) => [
    memory(256e9, 0.28),
    system(cpu, 512),
    gpuLoads(
      'nvidia',
      [0, 1].map(index =>
        load(`GPU-0000000${index}`, {
          use: Math.max(0, use - index * 0.08),
          memoryUsedBytes: 24e9 * Math.max(0, used - index * 0.04),
          temperatureCelsius: 64 - index * 2,
          powerWatts: 268 - index * 24,
          pcieNow: { generation: 4, width: index === 0 ? 16 : 4 },
        }),
      ),
    ),
    disk(0.03),
  ],
};

export const spark: Machine = {
  seed: 'spark',
  durable: [
    identity({
      friendlyName: 'spark',
      model: 'NVIDIA DGX Spark',
      chip: 'NVIDIA GB10',
      memoryIsUnified: true,
    }),
    gpus('nvidia', [
      device(0, { name: 'NVIDIA GB10', deviceId: 'GPU-00000010', driver: '580.95', runtime: 'CUDA 13.0' }),
    ]),
    config,
  ],
  live: ({ memory: used, use, cpu }) => [
    memory(128e9, used, 3.1e9),
    system(cpu, 131),
    gpuLoads('nvidia', [load('GPU-00000010', { use, temperatureCelsius: 71 })]),
    disk(0.5),
  ],
};

/** 128 GiB, of which the firmware set 96 aside for the graphics. */
export const halo: Machine = {
  seed: 'halo',
  durable: [
    identity({
      friendlyName: 'halo',
      model: 'Framework Desktop',
      chip: 'AMD RYZEN AI MAX+ 395',
      memoryIsUnified: true,
    }),
    gpus('amd', [
      device(0, {
        name: 'AMD Radeon 8060S',
        deviceId: '0000:c5:00.0',
        memoryTotalBytes: 96 * 1024 ** 3,
        memoryReservedBytes: 96 * 1024 ** 3,
        runtime: 'ROCm 7.0',
      }),
    ]),
    config,
  ],
  live: ({ memory: used, use, cpu }) => [
    memory(32.6e9 * 1.024, used),
    system(cpu, 120),
    gpuLoads('amd', [
      load('0000:c5:00.0', { use, memoryUsedBytes: 80 * 1024 ** 3, memoryReservedUsedBytes: 80 * 1024 ** 3 }),
    ]),
    disk(0.4),
  ],
};

export const notebook: Machine = {
  seed: 'juno',
  durable: [
    identity({ friendlyName: 'juno', model: 'MacBook Pro', chip: 'Apple M4 Max', memoryIsUnified: true }),
    gpus('apple', [device(0, { name: 'Apple M4 Max', deviceId: 'apple-0' })]),
    config,
  ],
  live: ({ memory: used, use, cpu }) => [
    memory(128e9, used),
    system(cpu, 38),
    gpuLoads('apple', [load('apple-0', { use })]),
    disk(0.3),
  ],
};
