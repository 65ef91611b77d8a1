// The container that a node's daemon runs in: what it may use of its machine, and, for a pod of Kubernetes,
// its location. The limit of its memory is part of the memory reading, because usage changes.

import * as v from 'valibot';
import { bytes, figure, type Infer, list, openObject, reported, text } from '../schema.ts';
import { gathered } from './gathered.ts';

const cpuLimitSchema = v.variant('kind', [
  openObject({ kind: v.literal('none') }),
  openObject({ kind: v.literal('limited'), cpus: figure }),
]);

export type CpuLimit = Infer<typeof cpuLimitSchema>;

const memoryLimitSchema = v.variant('kind', [
  openObject({ kind: v.literal('none') }),
  openObject({ kind: v.literal('limited'), bytes }),
]);

export type MemoryLimit = Infer<typeof memoryLimitSchema>;

const machineLabelSchema = openObject({ label: text, value: text });

export type MachineLabel = Infer<typeof machineLabelSchema>;

const podSchema = openObject({
  kind: v.literal('pod'),
  /** The machine's name in Kubernetes. */
  machine: reported(text),
  podName: reported(text),
  namespace: reported(text),
  /** Only labels of the machine for its location and kind, never all. */
  labels: reported(list(machineLabelSchema)),
});

export type Pod = Infer<typeof podSchema>;

const containerSchema = openObject({
  /** Processor time that it may use, in processors; the machine's own number is `NodeIdentity.cpuCount`. */
  cpuLimit: reported(cpuLimitSchema),
  memoryLimit: reported(memoryLimitSchema),
  pod: v.variant('kind', [openObject({ kind: v.literal('none') }), podSchema]),
});

export type NodeContainer = Infer<typeof containerSchema>;

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
    schema: gathered(containerSchema),
    title: 'Container',
    absentOn: { macos: 'macOS has no containers of its own' },
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
