// The hardware of a simulated machine: published or measured figures of real machines, so a demo looks like a cluster
// and not like random numbers.

import type { GpuVendor } from '../core/node/gpu.ts';
import type { NodeIdentity } from '../core/node/identity.ts';

export interface Hardware {
  readonly model: string;
  readonly chip: string;
  readonly architecture: 'arm64' | 'x64';
  readonly cpuCount: number;
  readonly operatingSystem: NodeIdentity['operatingSystem'];
  readonly memoryBytes: number;
  readonly memoryIsUnified: boolean;
  readonly virtualisation: string;
  readonly gpus: readonly GpuHardware[];
  /** Of the whole machine, idle and under load; undefined if it has no sensor. */
  readonly watts: { readonly idle: number; readonly peak: number } | undefined;
  /** Processors grouped as the chip groups them. */
  readonly cpuClusters: readonly { readonly name: string; readonly clockMhzMax: number }[];
  readonly thunderboltPortCount: number;
  /** Of each Thunderbolt port, bits a second; the capability, never a negotiated rate. */
  readonly thunderboltBitsPerSecond: number;
  /** Ports of its RDMA adapters, without those of Thunderbolt. */
  readonly rdmaPorts: readonly RdmaHardware[];
  readonly ethernet: { readonly name: string; readonly driver: string; readonly bitsPerSecond: number };
  /** Of a second port of the same adapter; undefined if it has only one. */
  readonly secondEthernetName?: string;
  readonly wifiName: string | undefined;
  readonly diskBytes: number;
  /** Figures of the processor, if it is measured in place of a GPU. */
  readonly cpu: { readonly fp32Flops: number; readonly readBytesPerSecond: number };
}

export interface GpuHardware {
  readonly vendor: GpuVendor;
  readonly name: string;
  /** Undefined: it shares the host's. */
  readonly memoryBytes: number | undefined;
  readonly driver: string | undefined;
  readonly runtime: string;
  readonly architecture: string;
  readonly coreCount: number;
  readonly pcie: { readonly generation: number; readonly width: number } | undefined;
  readonly watts: { readonly idle: number; readonly peak: number };
  readonly clockMhzMax: number;
  readonly fp16Flops: number;
  readonly readBytesPerSecond: number;
  readonly copyBytesPerSecond: number;
  readonly engine: string;
  readonly isLowerBound: boolean;
}

export interface RdmaHardware {
  readonly device: string;
  readonly interfaceName: string;
  readonly linkLayer: 'infiniband' | 'ethernet';
  readonly bitsPerSecond: number;
}

export type HardwareName =
  | 'mac-studio'
  | 'mac-mini'
  | 'macbook'
  | 'dgx-spark'
  | 'workstation'
  | 'radeon-box'
  | 'gpu-server'
  | 'roce-server'
  | 'cpu-vm';
