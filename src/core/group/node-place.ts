// Location and kind of a node: what groups are made of. From its config.toml, else from the labels that
// Kubernetes gives its machine, else (kind only) from its hardware. A property with no source is unknown,
// with the reason.

import type { NodeId } from '../ids.ts';
import type { NodeContainer } from '../node/container.ts';
import { gpusOf } from '../node/memory-use.ts';
import type { NodeView } from '../node/node-view.ts';
import { knownValue, whyNot } from '../node/reading-view.ts';
import type { State } from '../state.ts';
import { isKnown, isUnknown, type Reported, type Unknown, unknown } from '../unknown.ts';

export interface NodePlace {
  readonly site: Reported<Placed>;
  readonly rack: Reported<Placed>;
  readonly kind: Reported<Placed>;
  /** Each once, in config order; "role=train" or one word. */
  readonly tags: readonly string[];
}

/** A type alias, so that it is assignable to `Reported`'s index signature. */
export type Placed = {
  readonly name: string;
  readonly source: 'config' | 'kubernetes' | 'gpus' | 'model';
};

export const nodePlace = (view: NodeView): NodePlace => {
  const labels = labelsOfMachine(knownValue(view.container));
  const config = knownValue(view.config);
  // A state streamed by an older daemon has not passed the schema that requires it.
  const why = unknown(config === undefined ? whyNot(view.config) : 'not reported by that version');
  return {
    site: configured(config?.site ?? why) ?? labelled(labels, SITE_LABELS) ?? whyNone(config?.site ?? why),
    rack: configured(config?.rack ?? why) ?? labelled(labels, RACK_LABELS) ?? whyNone(config?.rack ?? why),
    kind: configured(config?.machineKind ?? why) ?? labelled(labels, KIND_LABELS) ?? hardwareKind(view),
    tags: [...new Set((config?.tags ?? []).filter(tag => tag.trim() !== ''))],
  };
};

/**
 * Places of the same nodes, read repeatedly: what a node reports of itself changes once a month, and is read
 * every second.
 */
export class NodePlaceCache {
  #places: ReadonlyMap<NodeId, NodePlace> = new Map();
  readonly #seen = new Map<NodeId, { readonly of: readonly unknown[]; readonly place: NodePlace }>();

  /** The same map while no node's place has changed. */
  read(views: readonly NodeView[]): ReadonlyMap<NodeId, NodePlace> {
    let hasChanged = views.length !== this.#places.size;
    for (const view of views) {
      const of = declaredBy(view);
      const seen = this.#seen.get(view.nodeId);
      const isSame = seen?.of.length === of.length && seen.of.every((part, index) => part === of[index]);
      if (!isSame) this.#seen.set(view.nodeId, { of, place: nodePlace(view) });
      hasChanged ||= !isSame || !this.#places.has(view.nodeId);
    }
    if (!hasChanged) return this.#places;
    const present = new Set(views.map(({ nodeId }) => nodeId));
    for (const node of this.#seen.keys()) if (!present.has(node)) this.#seen.delete(node);
    this.#places = new Map([...this.#seen].map(([node, { place }]) => [node, place]));
    return this.#places;
  }
}

/** Everything that `nodePlace` reads. */
const declaredBy = ({ container, config, identity, gpus }: NodeView): readonly unknown[] => [
  knownValue(container),
  knownValue(config) ?? whyNot(config),
  knownValue(identity) ?? whyNot(identity),
  ...gpus.map(({ inventory }) => knownValue(inventory)),
];

/** A node's place without its complete view: for code that reads a thousand nodes every second. */
export const groupPlaceOf = (
  { nodeConfigs, nodeContainers }: Pick<State, 'nodeConfigs' | 'nodeContainers'>,
  node: NodeId,
): { readonly site: string | undefined; readonly rack: string | undefined } => {
  const config = nodeConfigs[node]?.value;
  const labels = labelsOfMachine(nodeContainers[node]?.value);
  return {
    site: (configured(config?.site ?? NOT_READ) ?? labelled(labels, SITE_LABELS))?.name,
    rack: (configured(config?.rack ?? NOT_READ) ?? labelled(labels, RACK_LABELS))?.name,
  };
};

const configured = (value: string | Unknown): Placed | undefined =>
  isKnown(value) && value.trim() !== '' ? { name: value, source: 'config' } : undefined;

/** None if the node is not a pod, or may not read them. */
const labelsOfMachine = (container: NodeContainer | undefined): MachineLabels => {
  const pod = container?.pod;
  if (pod === undefined || pod.kind === 'none' || isUnknown(pod.labels)) return new Map();
  return new Map(pod.labels.map(({ label, value }) => [label, value]));
};

const labelled = (labels: MachineLabels, names: readonly string[]): Placed | undefined => {
  for (const label of names) {
    const name = labels.get(label);
    if (name !== undefined && name !== '') return { name, source: 'kubernetes' };
  }
  return undefined;
};

const whyNone = (value: string | Unknown): Unknown =>
  isUnknown(value) ? value : unknown('the name is empty');

/**
 * Machines with GPUs are named after them, all others after their model: "8 × NVIDIA H200", "Mac Studio".
 */
const hardwareKind = (view: NodeView): Reported<Placed> => {
  const cards = gpusOf(view).filter(({ device }) => !device.memoryIsUnified);
  if (cards.length > 0) {
    const counts = new Map<string, number>();
    for (const { device } of cards) counts.set(device.name, (counts.get(device.name) ?? 0) + 1);
    const parts = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, n]) => `${n} × ${name}`);
    return { name: parts.join(' + '), source: 'gpus' };
  }
  const identity = knownValue(view.identity);
  if (identity === undefined) return unknown(whyNot(view.identity));
  const name = [identity.model, identity.chip].find(isKnown);
  if (name !== undefined) return { name, source: 'model' };
  return isUnknown(identity.model) ? identity.model : unknown('no model');
};

const NOT_READ = unknown('not read yet');

type MachineLabels = ReadonlyMap<string, string>;

/**
 * Labels that a person set for this purpose, else those in common use:
 * https://kubernetes.io/docs/reference/labels-annotations-taints/ has none for racks; NVIDIA's topograph
 * names the first switch, its feature discovery the card.
 */
const SITE_LABELS = [
  'plimsoll/site',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
] as const;
const RACK_LABELS = [
  'plimsoll/rack',
  'topology.kubernetes.io/rack',
  'topology.kubernetes.io/block',
  'rack',
  'fabric.topograph.run/tier-0',
  'network.topology.nvidia.com/leaf',
  'network.topology.nvidia.com/block',
] as const;
const KIND_LABELS = [
  'plimsoll/kind',
  'node.kubernetes.io/instance-type',
  'nvidia.com/gpu.product',
  'amd.com/gpu.product-name',
] as const;
