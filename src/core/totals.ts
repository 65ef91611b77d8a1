// Sums over the cluster. A sum says what it covers: parts that are unknown are counted apart, never as zero.

import { gpusOf, hostMemoryUse, ownMemoryGpus } from './node/memory-use.ts';
import type { NodeView } from './node/node-view.ts';
import { nodeView } from './node/node-view.ts';
import { nodeIds } from './node/presence-view.ts';
import { heldValue } from './node/reading-view.ts';
import type { State } from './state.ts';

export interface Total {
  /** In the unit of the total's name; 0 where nothing is known yet. */
  readonly sum: number;
  readonly knownCount: number;
  readonly count: number;
  readonly isLowerBound: boolean;
}

export interface ClusterTotals {
  readonly nodeCount: number;
  readonly gpuCount: number;
  /** Host memories plus the GPUs' own, bytes. */
  readonly memoryTotalBytes: Total;
  readonly memoryUsedBytes: Total;
  readonly gpuFlopsPerSecond: Total;
  readonly gpuMemoryBytesPerSecond: Total;
}

/** Over the nodes that are not offline. GPUs only for compute and bandwidth: a CPU profile is never summed with them. */
export const clusterTotals = (state: State, nowMs: number): ClusterTotals =>
  totalsOf(nodeIds(state).map(id => nodeView(state, id, nowMs)));

/** The same of views that are there already. */
export const totalsOf = (all: readonly NodeView[]): ClusterTotals => {
  const views = all.filter(view => view.presence !== 'offline');
  const gpus = views.flatMap(gpusOf);
  const profiles = gpus.map(gpu => gpu.profile?.value);
  const isLowerBound = profiles.some(profile => profile?.isLowerBound === true);
  return {
    nodeCount: views.length,
    gpuCount: gpus.length,
    memoryTotalBytes: totalOf(views.flatMap(memoryTotals), false),
    memoryUsedBytes: totalOf(views.flatMap(memoryUses), false),
    gpuFlopsPerSecond: totalOf(
      profiles.map(profile => figure(profile?.fp16FlopsPerSecond)),
      isLowerBound,
    ),
    gpuMemoryBytesPerSecond: totalOf(
      profiles.map(profile => figure(profile?.memoryReadBytesPerSecond)),
      isLowerBound,
    ),
  };
};

/** Bytes of the host, then of each GPU that has memory of its own. */
const memoryTotals = (view: NodeView): (number | undefined)[] => [
  heldValue(view.memory)?.totalBytes,
  ...ownMemoryGpus(view).map(gpu => figure(gpu.device.memoryTotalBytes)),
];

const memoryUses = (view: NodeView): (number | undefined)[] => [
  hostMemoryUse(view)?.usedBytes,
  ...ownMemoryGpus(view).map(gpu => figure(gpu.load?.memoryUsedBytes)),
];

const figure = (value: number | { readonly kind: 'unknown' } | undefined): number | undefined =>
  typeof value === 'number' ? value : undefined;

/** The sum of what is known of these. */
export const totalOf = (figures: readonly (number | undefined)[], isLowerBound: boolean): Total => {
  const known = figures.filter(value => value !== undefined);
  return {
    sum: known.reduce((sum, value) => sum + value, 0),
    knownCount: known.length,
    count: figures.length,
    isLowerBound,
  };
};
