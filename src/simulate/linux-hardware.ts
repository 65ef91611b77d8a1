// Simulated machines with Linux: DGX Spark, a workstation, a box with one Radeon, a server with eight GPUs, a virtual
// machine without any.

import type { GpuHardware, Hardware, RdmaHardware } from './hardware.ts';

const UBUNTU: Hardware['operatingSystem'] = {
  platform: 'linux',
  name: 'Ubuntu 24.04.3 LTS',
  version: '24.04',
  build: '6.8.0-48-generic',
};

const linux = (
  value: Pick<Hardware, 'model' | 'chip' | 'cpuCount' | 'memoryBytes' | 'gpus' | 'ethernet' | 'diskBytes'> &
    Partial<Hardware>,
): Hardware => ({
  architecture: 'x64',
  operatingSystem: UBUNTU,
  memoryIsUnified: false,
  virtualisation: 'none',
  watts: undefined,
  cpuClusters: [],
  thunderboltPortCount: 0,
  thunderboltBitsPerSecond: 0,
  rdmaPorts: [],
  wifiName: undefined,
  cpu: { fp32Flops: 2.6e12, readBytesPerSecond: 340e9 },
  ...value,
});

/** GB10 shows each of its two 200G sockets as two devices. */
const SPARK_RDMA: readonly RdmaHardware[] = [
  { device: 'rocep1s0f0', interfaceName: 'enp1s0f0np0' },
  { device: 'rocep1s0f1', interfaceName: 'enp1s0f1np1' },
  { device: 'roceP2p1s0f0', interfaceName: 'enP2p1s0f0np0' },
  { device: 'roceP2p1s0f1', interfaceName: 'enP2p1s0f1np1' },
].map(names => ({ ...names, linkLayer: 'ethernet', bitsPerSecond: 100e9 }));

export const DGX_SPARK: Hardware = linux({
  model: 'NVIDIA DGX Spark',
  chip: 'NVIDIA GB10',
  architecture: 'arm64',
  cpuCount: 20,
  memoryBytes: 128e9,
  memoryIsUnified: true,
  operatingSystem: { ...UBUNTU, build: '6.11.0-1016-nvidia' },
  cpuClusters: [
    { name: 'Cortex-A725', clockMhzMax: 2_808 },
    { name: 'Cortex-X925', clockMhzMax: 3_900 },
  ],
  rdmaPorts: SPARK_RDMA,
  ethernet: { name: 'enP7s7', driver: 'r8127', bitsPerSecond: 10e9 },
  wifiName: 'wlP9s9',
  diskBytes: 4e12,
  gpus: [
    {
      vendor: 'nvidia',
      name: 'NVIDIA GB10',
      memoryBytes: undefined,
      driver: '580.95.05',
      runtime: 'CUDA 13.0',
      architecture: 'Blackwell',
      coreCount: 48,
      pcie: undefined,
      watts: { idle: 4, peak: 96 },
      clockMhzMax: 2_418,
      fp16Flops: 96.4e12,
      readBytesPerSecond: 236e9,
      copyBytesPerSecond: 221e9,
      engine: 'cuda',
      isLowerBound: false,
    },
  ],
});

const RTX_4090: GpuHardware = {
  vendor: 'nvidia',
  name: 'NVIDIA GeForce RTX 4090',
  memoryBytes: 24e9,
  driver: '570.86.16',
  runtime: 'CUDA 12.8',
  architecture: 'Ada Lovelace',
  coreCount: 128,
  pcie: { generation: 4, width: 16 },
  watts: { idle: 22, peak: 430 },
  clockMhzMax: 2_745,
  fp16Flops: 165e12,
  readBytesPerSecond: 921e9,
  copyBytesPerSecond: 908e9,
  engine: 'cuda',
  isLowerBound: false,
};

export const WORKSTATION: Hardware = linux({
  model: 'Supermicro AS-4125GS',
  chip: 'AMD EPYC 9354 32-Core Processor',
  cpuCount: 64,
  memoryBytes: 256e9,
  watts: { idle: 168, peak: 1_240 },
  ethernet: { name: 'enp5s0f0', driver: 'ixgbe', bitsPerSecond: 10e9 },
  secondEthernetName: 'enp5s0f1',
  diskBytes: 4e12,
  gpus: [RTX_4090, RTX_4090],
});

export const RADEON_BOX: Hardware = linux({
  model: 'ASUS ProArt X670E',
  chip: 'AMD Ryzen 9 7950X 16-Core Processor',
  cpuCount: 32,
  memoryBytes: 64e9,
  ethernet: { name: 'enp9s0', driver: 'atlantic', bitsPerSecond: 10e9 },
  wifiName: 'wlp10s0',
  diskBytes: 2e12,
  gpus: [
    {
      vendor: 'amd',
      name: 'AMD Radeon RX 7900 XTX',
      memoryBytes: 24e9,
      driver: 'amdgpu 6.10.5',
      runtime: 'ROCm 7.0.2',
      architecture: 'RDNA 3',
      coreCount: 96,
      pcie: { generation: 4, width: 16 },
      watts: { idle: 18, peak: 339 },
      clockMhzMax: 2_615,
      fp16Flops: 61.2e12,
      readBytesPerSecond: 812e9,
      copyBytesPerSecond: 790e9,
      engine: 'webgpu',
      isLowerBound: true,
    },
  ],
});

const H100: GpuHardware = {
  ...RTX_4090,
  name: 'NVIDIA H100 80GB HBM3',
  memoryBytes: 80e9,
  architecture: 'Hopper',
  coreCount: 132,
  pcie: { generation: 5, width: 16 },
  watts: { idle: 72, peak: 690 },
  clockMhzMax: 1_980,
  fp16Flops: 742e12,
  readBytesPerSecond: 2_990e9,
  copyBytesPerSecond: 2_840e9,
};

export const GPU_SERVER: Hardware = linux({
  model: 'Dell PowerEdge XE9680',
  chip: 'Intel Xeon Platinum 8480+',
  cpuCount: 224,
  memoryBytes: 2_048e9,
  watts: { idle: 1_900, peak: 8_900 },
  ethernet: { name: 'ens1f0np0', driver: 'mlx5_core', bitsPerSecond: 100e9 },
  secondEthernetName: 'ens1f1np1',
  rdmaPorts: Array.from({ length: 8 }, (_, index) => ({
    device: `mlx5_${index}`,
    interfaceName: `ib${index}`,
    linkLayer: 'infiniband' as const,
    bitsPerSecond: 400e9,
  })),
  diskBytes: 15e12,
  gpus: Array.from({ length: 8 }, () => H100),
});

/** The same with RoCE: a network for each adapter, and one of 1 Gb/s for management. */
export const ROCE_SERVER: Hardware = {
  ...GPU_SERVER,
  ethernet: { name: 'eno1', driver: 'igb', bitsPerSecond: 1e9 },
  rdmaPorts: Array.from({ length: 8 }, (_, index) => ({
    device: `mlx5_${index}`,
    interfaceName: `rail${index}`,
    linkLayer: 'ethernet' as const,
    bitsPerSecond: 100e9,
  })),
};

export const CPU_VM: Hardware = linux({
  model: 'KVM Virtual Machine',
  chip: 'AMD EPYC 7763 64-Core Processor',
  cpuCount: 16,
  memoryBytes: 64e9,
  virtualisation: 'kvm',
  ethernet: { name: 'ens3', driver: 'virtio_net', bitsPerSecond: 10e9 },
  diskBytes: 250e9,
  gpus: [],
});
