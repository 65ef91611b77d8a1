// The container that a node's daemon runs in: what it may use of its machine, and, as a pod of Kubernetes, where it stands. The
// limit of its memory is part of the memory reading, because its use moves.

import type { Reported } from '../unknown.ts';
import type { Gathered } from './gathered.ts';

export interface NodeContainer {
  /** Processors' worth of time; the machine's own are `NodeIdentity.cpuCount`. */
  readonly cpuLimit: Reported<CpuLimit>;
  readonly memoryLimit: Reported<MemoryLimit>;
  readonly pod: { readonly kind: 'none' } | (Pod & { readonly kind: 'pod' });
}

/** Type aliases, so that they are assignable to `Reported`'s index signature. */
export type CpuLimit = { readonly kind: 'none' } | { readonly kind: 'limited'; readonly cpus: number };
export type MemoryLimit = { readonly kind: 'none' } | { readonly kind: 'limited'; readonly bytes: number };

export interface Pod {
  /** What Kubernetes calls the machine. */
  readonly machine: Reported<string>;
  readonly podName: Reported<string>;
  readonly namespace: Reported<string>;
  /** Those of the machine that say where it stands and what it is, never all. */
  readonly labels: Reported<readonly MachineLabel[]>;
}

export type MachineLabel = { readonly label: string; readonly value: string };

export const cpuLimitWords = (cpus: number): string =>
  `${Number.isInteger(cpus) ? cpus : Number(cpus.toFixed(2))} ${cpus === 1 ? 'CPU' : 'CPUs'}`;

/**
 * Whether a label of a machine leaves it: where it stands and what it is. Others may say what their owner would not tell.
 * https://kubernetes.io/docs/reference/labels-annotations-taints/; racks have no label of their own there.
 */
export const isPlaceLabel = (label: string): boolean =>
  PLACE_LABELS.has(label) || PLACE_PREFIXES.some(prefix => label.startsWith(prefix));

/** Its row of the table of kinds. */
export const CONTAINER_KINDS = {
  'container.gathered': {
    class: 'durable',
    field: 'nodeContainers',
    shape: 'node',
    entriesMax: 1,
    key: (_: Gathered<NodeContainer>): string => '',
    title: 'Container',
    texts: {
      source: 'plain',
      kind: 'plain',
      machine: 'hostName',
      podName: 'service',
      namespace: 'service',
      label: 'plain',
      value: 'tag',
    },
  },
} as const;

const PLACE_LABELS: ReadonlySet<string> = new Set([
  'rack',
  'node.kubernetes.io/instance-type',
  'nvidia.com/gpu.product',
  'amd.com/gpu.product-name',
]);
const PLACE_PREFIXES = [
  'plimsoll/',
  'topology.kubernetes.io/',
  'network.topology.nvidia.com/',
  'fabric.topograph.run/',
];
