// Simulated Macs. Compute and bandwidth are of the order that MLX reaches on such machines.

import type { GpuHardware, Hardware } from './hardware.ts';

const MACOS: Hardware['operatingSystem'] = {
  platform: 'macos',
  name: 'macOS',
  version: '26.2',
  build: '25C56',
};

const appleGpu = (
  gpu: Pick<GpuHardware, 'name' | 'coreCount' | 'watts' | 'clockMhzMax' | 'fp16Flops' | 'readBytesPerSecond'>,
): GpuHardware => ({
  ...gpu,
  vendor: 'apple',
  memoryBytes: undefined,
  driver: undefined,
  runtime: 'Metal 4',
  architecture: 'Apple 9',
  pcie: undefined,
  copyBytesPerSecond: gpu.readBytesPerSecond * 0.94,
  engine: 'mlx',
  isLowerBound: false,
});

const mac = (
  value: Pick<Hardware, 'model' | 'chip' | 'cpuCount' | 'memoryBytes' | 'gpus' | 'watts' | 'diskBytes'> &
    Partial<Hardware>,
): Hardware => ({
  architecture: 'arm64',
  operatingSystem: MACOS,
  memoryIsUnified: true,
  virtualisation: 'none',
  cpuClusters: [
    { name: 'efficiency', clockMhzMax: 2_748 },
    { name: 'performance', clockMhzMax: 4_056 },
  ],
  thunderboltPortCount: 3,
  thunderboltBitsPerSecond: 120e9,
  rdmaPorts: [],
  ethernet: { name: 'en0', driver: 'AppleEthernetAquantiaAqtion', bitsPerSecond: 10e9 },
  wifiName: 'en1',
  cpu: { fp32Flops: 1.4e12, readBytesPerSecond: 210e9 },
  ...value,
});

export const MAC_STUDIO: Hardware = mac({
  model: 'Mac Studio',
  chip: 'Apple M3 Ultra',
  cpuCount: 32,
  memoryBytes: 512e9,
  watts: { idle: 11, peak: 268 },
  thunderboltPortCount: 6,
  diskBytes: 2e12,
  gpus: [
    appleGpu({
      name: 'Apple M3 Ultra',
      coreCount: 80,
      watts: { idle: 1, peak: 182 },
      clockMhzMax: 1_380,
      fp16Flops: 23.6e12,
      readBytesPerSecond: 661e9,
    }),
  ],
});

export const MACBOOK: Hardware = mac({
  model: 'MacBook Pro',
  chip: 'Apple M4 Max',
  cpuCount: 16,
  memoryBytes: 128e9,
  watts: { idle: 7, peak: 132 },
  // A notebook has no Ethernet port: an adapter.
  ethernet: { name: 'en7', driver: 'AppleEthernetAquantiaAqtion', bitsPerSecond: 10e9 },
  wifiName: 'en0',
  diskBytes: 2e12,
  gpus: [
    appleGpu({
      name: 'Apple M4 Max',
      coreCount: 40,
      watts: { idle: 1, peak: 74 },
      clockMhzMax: 1_578,
      fp16Flops: 15.2e12,
      readBytesPerSecond: 468e9,
    }),
  ],
});

export const MAC_MINI: Hardware = mac({
  model: 'Mac mini',
  chip: 'Apple M4 Pro',
  cpuCount: 14,
  memoryBytes: 64e9,
  watts: { idle: 5, peak: 92 },
  diskBytes: 1e12,
  gpus: [
    appleGpu({
      name: 'Apple M4 Pro',
      coreCount: 20,
      watts: { idle: 0.5, peak: 44 },
      clockMhzMax: 1_578,
      fp16Flops: 8.31e12,
      readBytesPerSecond: 241e9,
    }),
  ],
});
