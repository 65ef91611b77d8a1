// Sums over the cluster. A sum includes what it covers: unknown parts are counted separately, never as zero.

import { BANDWIDTH, FP16_RATE } from './node/gpu-profile.ts';
import { gpusOf, hostMemoryUse, memoryApartOf } from './node/memory-use.ts';
import { type NodeView, nodeView } from './node/node-view.ts';
import { nodeIds } from './node/presence-view.ts';
import { knownValue } from './node/reading-view.ts';
import type { State } from './state.ts';

export interface Total {
  /** In the unit of the total's name; 0 while nothing is known. */
  readonly sum: number;
  readonly knownCount: number;
  readonly count: number;
  readonly isLowerBound: boolean;
}

export interface ClusterTotals {
  readonly nodeCount: number;
  readonly gpuCount: number;
  /** Host memories plus the memory of GPUs that is not part of them, bytes. */
  readonly memoryTotalBytes: Total;
  readonly memoryUsedBytes: Total;
  readonly gpuFlopsPerSecond: Total;
  readonly gpuMemoryBytesPerSecond: Total;
}

/** Over the nodes that are not offline. GPUs only for compute and bandwidth: a CPU profile is never summed with them. */
export const clusterTotals = (state: State, nowMs: number): ClusterTotals =>
  totalsOf(nodeIds(state).map(id => nodeView(state, id, nowMs)));

/** The same from existing views. */
export const totalsOf = (all: readonly NodeView[]): ClusterTotals => {
  const views = all.filter(view => view.presence !== 'offline');
  const totals = new RunningTotal();
  const uses = new RunningTotal();
  const flops = new RunningTotal();
  const bandwidths = new RunningTotal();
  let isLowerBound = false;
  // Added up one by one: with a thousand nodes of eight GPUs, once a second, making lists of them took most
  // of the time.
  for (const view of views) {
    totals.add(knownValue(view.memory)?.totalBytes);
    uses.add(hostMemoryUse(view)?.usedBytes);
    for (const gpu of gpusOf(view)) {
      const { profile } = gpu;
      flops.add(figure(profile?.value[FP16_RATE.figure]));
      bandwidths.add(figure(profile?.value[BANDWIDTH.figure]));
      isLowerBound ||= profile?.value.isLowerBound === true;
      const apart = memoryApartOf(gpu);
      if (apart === undefined) continue;
      totals.add(apart.totalBytes);
      uses.add(apart.usedBytes);
    }
  }
  return {
    nodeCount: views.length,
    gpuCount: flops.count,
    memoryTotalBytes: totals.total(false),
    memoryUsedBytes: uses.total(false),
    gpuFlopsPerSecond: flops.total(isLowerBound),
    gpuMemoryBytesPerSecond: bandwidths.total(isLowerBound),
  };
};

class RunningTotal {
  #sum = 0;
  #knownCount = 0;
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(value: number | undefined): void {
    this.#count += 1;
    if (value === undefined) return;
    this.#knownCount += 1;
    this.#sum += value;
  }

  total(isLowerBound: boolean): Total {
    return { sum: this.#sum, knownCount: this.#knownCount, count: this.#count, isLowerBound };
  }
}

const figure = (value: number | { readonly kind: 'unknown' } | undefined): number | undefined =>
  typeof value === 'number' ? value : undefined;

/** The sum of the known ones. */
export const totalOf = (figures: readonly (number | undefined)[], isLowerBound: boolean): Total => {
  const known = figures.filter(value => value !== undefined);
  return {
    sum: known.reduce((sum, value) => sum + value, 0),
    knownCount: known.length,
    count: figures.length,
    isLowerBound,
  };
};
