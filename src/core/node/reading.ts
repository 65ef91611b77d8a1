// A reading is a gathered value with the source that told it and how often it is told, so that any view, on any
// node, can say when it is late.

import type { NodeConfig } from './config.ts';
import type { NodeDisk } from './disk.ts';
import type { GpuVendor, NodeGpuLoads, NodeGpus } from './gpu.ts';
import type { NodeIdentity } from './identity.ts';
import type { NodeMemory } from './memory.ts';
import type { NodeNetwork } from './network.ts';
import type { NodeRdmaDevices } from './rdma-devices.ts';
import type { NodeSystem } from './system.ts';
import type { NodeThunderbolt } from './thunderbolt.ts';

export interface ReadingValues {
  readonly identity: NodeIdentity;
  readonly memory: NodeMemory;
  readonly system: NodeSystem;
  readonly network: NodeNetwork;
  readonly thunderbolt: NodeThunderbolt;
  readonly rdmaDevices: NodeRdmaDevices;
  readonly disk: NodeDisk;
  readonly gpus: NodeGpus;
  readonly gpuLoads: NodeGpuLoads;
  readonly config: NodeConfig;
}

export type ReadingKind = keyof ReadingValues;

/** A reading before it becomes an event: what a gatherer emits. */
export type Reading = {
  readonly [K in ReadingKind]: { readonly kind: K; readonly value: ReadingValues[K] };
}[ReadingKind];

/** Payload of "<reading>.gathered". */
export interface Gathered<T> {
  /** The tool or interface that told it: "procfs", "macmon 0.8", "nvidia-smi". */
  readonly source: string;
  /** How often the source tells, in ms. */
  readonly intervalMs: number;
  readonly value: T;
}

/** A durable reading was read again and has not changed: renews its age. */
export interface ReadingConfirmed {
  readonly reading: ReadingKind;
  readonly vendor: GpuVendor | 'none';
  readonly source: string;
  readonly intervalMs: number;
}

/**
 * The source failed: the value held before stays, and grows old. Or (`reading.absent`) this machine has nothing of the
 * kind and never will while it runs: the value held before is void.
 */
export interface ReadingFailed extends ReadingConfirmed {
  readonly reason: string;
}

/** Names a reading of one node: "memory", "gpus nvidia". */
export const readingKey = (reading: {
  readonly reading: ReadingKind;
  readonly vendor: GpuVendor | 'none';
}): string => (reading.vendor === 'none' ? reading.reading : `${reading.reading} ${reading.vendor}`);

/** The vendor of a GPU reading; 'none' for the others, of which a node has one each. */
export const readingVendor = (reading: Reading): GpuVendor | 'none' => {
  switch (reading.kind) {
    case 'gpus':
    case 'gpuLoads':
      return reading.value.vendor;
    default:
      return 'none';
  }
};

/** In the order in which a person wants to see them. */
export const READING_KINDS: readonly ReadingKind[] = [
  'identity',
  'memory',
  'system',
  'gpus',
  'gpuLoads',
  'network',
  'thunderbolt',
  'rdmaDevices',
  'disk',
  'config',
];
