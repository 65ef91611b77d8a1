// The container that a node's daemon runs in: what it may use of its machine, and, for a pod of Kubernetes,
// its location. The limit of its memory is part of the memory reading, because usage changes.

import * as v from 'valibot';
import { bytes, figure, type Infer, list, openObject, reported, text } from '../schema.ts';
import type { Reported } from '../unknown.ts';
import type { Gathered } from './gathered.ts';

export const containerSchema = openObject({
  /** Processor time that it may use, in processors; the machine's own number is `NodeIdentity.cpuCount`. */
  cpuLimit: reported(
    v.variant('kind', [
      openObject({ kind: v.literal('none') }),
      openObject({ kind: v.literal('limited'), cpus: figure }),
    ]),
  ),
  memoryLimit: reported(
    v.variant('kind', [
      openObject({ kind: v.literal('none') }),
      openObject({ kind: v.literal('limited'), bytes }),
    ]),
  ),
  pod: v.variant('kind', [
    openObject({ kind: v.literal('none') }),
    openObject({
      kind: v.literal('pod'),
      machine: reported(text),
      podName: reported(text),
      namespace: reported(text),
      labels: reported(list(openObject({ label: text, value: text }))),
    }),
  ]),
});

export type NodeContainer = Infer<typeof containerSchema>;

/** Type aliases, so that they are assignable to `Reported`'s index signature. */
export type CpuLimit = { readonly kind: 'none' } | { readonly kind: 'limited'; readonly cpus: number };
export type MemoryLimit = { readonly kind: 'none' } | { readonly kind: 'limited'; readonly bytes: number };

export interface Pod {
  /** The machine's name in Kubernetes. */
  readonly machine: Reported<string>;
  readonly podName: Reported<string>;
  readonly namespace: Reported<string>;
  /** Only labels of the machine for its location and kind, never all. */
  readonly labels: Reported<readonly MachineLabel[]>;
}

export type MachineLabel = { readonly label: string; readonly value: string };

export const cpuLimitText = (cpus: number): string =>
  `${Number.isInteger(cpus) ? cpus : Number(cpus.toFixed(2))} ${cpus === 1 ? 'CPU' : 'CPUs'}`;

/**
 * Whether a label of a machine may be published: only location and kind. Others may contain what their owner
 * does not want published. https://kubernetes.io/docs/reference/labels-annotations-taints/; it has no label
 * for racks.
 */
export const isPublicLabel = (label: string): boolean =>
  PUBLIC_LABELS.has(label) || PUBLIC_PREFIXES.some(prefix => label.startsWith(prefix));

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

const PUBLIC_LABELS: ReadonlySet<string> = new Set([
  'rack',
  'node.kubernetes.io/instance-type',
  'nvidia.com/gpu.product',
  'amd.com/gpu.product-name',
]);
const PUBLIC_PREFIXES = [
  'plimsoll/',
  'topology.kubernetes.io/',
  'network.topology.nvidia.com/',
  'fabric.topograph.run/',
];
