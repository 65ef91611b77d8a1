// The nodes as rows: the text of each column, its sort key, and which rows a filter leaves.

import {
  type Figure,
  figureText,
  formatCelsius,
  formatPercent,
  formatWatts,
  UNKNOWN_FIGURE,
} from '../../../src/core/figure/figure.ts';
import type { NodeId } from '../../../src/core/ids.ts';
import { gpusOf, modelMemoryUse, usedShare } from '../../../src/core/node/memory-use.ts';
import { type NodeView, presenceLabel } from '../../../src/core/node/node-view.ts';
import { nodeVitals } from '../../../src/core/node/node-vitals.ts';
import { knownValue } from '../../../src/core/node/reading-view.ts';
import type { Warning } from '../../../src/core/warnings/warning.ts';
import { type MachineKind, machineKind } from '../drawing/machine-kind.ts';
import { ageText } from '../figure/age.ts';
import { nodeSums } from './node-sums.ts';
import { nodeText } from './node-text.ts';

export interface NodeRow {
  readonly view: NodeView;
  readonly name: string;
  readonly state: { readonly tone: '' | 'good' | 'caution' | 'danger'; readonly text: string };
  readonly kind: MachineKind;
  readonly model: string;
  readonly tags: readonly string[];
  readonly memory: string;
  readonly hostMemory: string;
  readonly gpuUse: string;
  readonly celsius: string;
  readonly watts: string;
  readonly compute: SumCell;
  readonly bandwidth: SumCell;
  readonly linkCount: number;
  readonly age: string;
  readonly warningCount: number;
  readonly hasSerious: boolean;
  /** Its figures are those of before: paler. */
  readonly isOld: boolean;
  readonly sorts: Readonly<Record<NodeSortKey, number | string | undefined>>;
}

interface SumCell {
  readonly value: Figure;
  /** "1 of 2 GPUs", "lower bound", or why there is no figure. */
  readonly remark: string;
}

export const NODE_SORT_KEYS = [
  'name',
  'state',
  'machine',
  'memory',
  'gpu',
  'temperature',
  'power',
  'compute',
  'bandwidth',
  'links',
  'lastSeen',
  'warnings',
] as const;
export type NodeSortKey = (typeof NODE_SORT_KEYS)[number];

export interface NodeSort {
  readonly key: NodeSortKey;
  readonly isDescending: boolean;
}

export const BY_NAME: NodeSort = { key: 'name', isDescending: false };

/** Another column begins with what one looks for in it: the fullest, the hottest, the most warnings. */
export const turnedNodeSort = (sort: NodeSort, key: NodeSortKey): NodeSort =>
  sort.key === key
    ? { key, isDescending: !sort.isDescending }
    : { key, isDescending: key !== 'name' && key !== 'machine' };

interface NodeRowSources {
  readonly linkCounts: ReadonlyMap<NodeId, number>;
  readonly warnings: ReadonlyMap<string, readonly Warning[]>;
  /** How far the picture lags behind now, where the page is cut off. */
  readonly lagMs: number | undefined;
}

export const nodeRow = (view: NodeView, { linkCounts, warnings, lagMs }: NodeRowSources): NodeRow => {
  const text = nodeText(view, lagMs);
  const { gpu, cpu, watts } = nodeVitals(view);
  const celsius = gpu.celsius ?? cpu.celsius;
  const [compute, bandwidth] = nodeSums(view);
  const isOffline = view.presence === 'offline';
  const use = modelMemoryUse(view);
  const mine = warnings.get(view.nodeId) ?? [];
  const kind = machineKind(
    knownValue(view.identity),
    gpusOf(view).map(({ device }) => device),
  );
  const linkCount = linkCounts.get(view.nodeId) ?? 0;
  const figure = (value: number | undefined, format: (value: number) => Figure): string =>
    value === undefined || isOffline ? UNKNOWN_FIGURE.figure : figureText(format(value));
  return {
    view,
    name: text.name,
    state: stateOf(view, lagMs),
    kind,
    model: text.model,
    tags: tagsOf(view),
    memory: text.memory,
    hostMemory: text.hostMemory,
    gpuUse: figure(gpu.use, formatPercent),
    celsius: figure(celsius, formatCelsius),
    watts: figure(watts, formatWatts),
    compute: { value: compute?.value ?? UNKNOWN_FIGURE, remark: compute?.remark ?? '' },
    bandwidth: { value: bandwidth?.value ?? UNKNOWN_FIGURE, remark: bandwidth?.remark ?? '' },
    linkCount,
    age: Number.isFinite(view.silentMs) ? ageText(view.silentMs + (lagMs ?? 0)) : 'never',
    warningCount: mine.filter(({ level }) => level !== 'note').length,
    hasSerious: mine.some(({ level }) => level === 'danger'),
    isOld: view.presence !== 'live',
    sorts: {
      name: view.name.toLowerCase(),
      state: PRESENCES.indexOf(view.presence),
      machine: text.model.toLowerCase(),
      memory: isOffline ? undefined : usedShare(use),
      gpu: isOffline ? undefined : gpu.use,
      temperature: isOffline ? undefined : celsius,
      power: isOffline ? undefined : watts,
      compute: compute?.raw,
      bandwidth: bandwidth?.raw,
      links: linkCount,
      lastSeen: view.silentMs,
      warnings: mine.length,
    },
  };
};

/** Unknown values come last in either direction; equal ones are sorted by name, so none swap without reason. */
export const sortedNodeRows = (
  rows: readonly NodeRow[],
  { key, isDescending }: NodeSort,
): readonly NodeRow[] =>
  rows.toSorted((a, b) => {
    // Default order: problems on top.
    const isDefault = key === BY_NAME.key && isDescending === BY_NAME.isDescending;
    const need = isDefault ? Number(b.warningCount > 0) - Number(a.warningCount > 0) : 0;
    if (need !== 0) return need;
    const [x, y] = [a.sorts[key], b.sorts[key]];
    if (x === undefined || y === undefined) return x === y ? byName(a, b) : x === undefined ? 1 : -1;
    if (x === y) return byName(a, b);
    return x < y === isDescending ? 1 : -1;
  });

export const warningsByNode = (warnings: readonly Warning[]): ReadonlyMap<string, readonly Warning[]> => {
  const byNode = new Map<string, Warning[]>();
  for (const warning of warnings) {
    for (const node of warning.nodes) byNode.set(node, [...(byNode.get(node) ?? []), warning]);
  }
  return byNode;
};

/** Its name already shows that it is simulated. */
const tagsOf = (view: NodeView): readonly string[] => {
  const tags = knownValue(view.config)?.tags ?? [];
  return knownValue(view.identity)?.isSimulated === true ? tags.filter(tag => tag !== 'simulated') : tags;
};

const stateOf = (view: NodeView, lagMs: number | undefined): NodeRow['state'] => {
  const text = presenceLabel(view);
  if (view.presence === 'offline') return { tone: 'danger', text };
  if (view.presence === 'stale') return { tone: 'caution', text };
  return lagMs === undefined ? { tone: 'good', text } : { tone: 'caution', text: 'as last seen' };
};

const byName = (a: NodeRow, b: NodeRow): number =>
  a.view.name < b.view.name ? -1 : a.view.name > b.view.name ? 1 : a.view.nodeId < b.view.nodeId ? -1 : 1;

const PRESENCES = ['live', 'stale', 'offline'];
