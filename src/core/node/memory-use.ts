// How full the memories of a node are, of the host and of GPUs that have their own, and how full they may be.

import { knownOr } from '../unknown.ts';
import { memoryUsedBytes } from './memory.ts';
import type { GpuView, NodeView } from './node-view.ts';
import { heldValue } from './reading-view.ts';

/** The load line: past this share a longer context or a larger batch may not fit. */
export const SAFE_LOAD = 0.85;

export interface MemoryUse {
  readonly usedBytes: number;
  readonly totalBytes: number;
}

export const usedShare = (use: MemoryUse | undefined): number | undefined =>
  use === undefined || use.totalBytes <= 0 ? undefined : use.usedBytes / use.totalBytes;

export const hostMemoryUse = (view: NodeView): MemoryUse | undefined => {
  const memory = heldValue(view.memory);
  const usedBytes = memory === undefined ? undefined : knownOr(memoryUsedBytes(memory), undefined);
  return memory === undefined || usedBytes === undefined
    ? undefined
    : { usedBytes, totalBytes: memory.totalBytes };
};

/** Most machines have GPUs of one vendor, and a page of a thousand asks each of them many times a second. */
export const gpusOf = ({ gpus }: Pick<NodeView, 'gpus'>): readonly GpuView[] =>
  gpus.length === 0 ? [] : gpus.length === 1 ? (gpus[0]?.devices ?? []) : gpus.flatMap(of => of.devices);

export const ownMemoryGpus = (view: NodeView): readonly GpuView[] => {
  const all = gpusOf(view);
  return all.every(hasOwnMemory) ? all : all.filter(hasOwnMemory);
};

const hasOwnMemory = ({ device }: GpuView): boolean => !device.memoryIsUnified;

export const gpuMemoryUse = (gpu: GpuView): MemoryUse | undefined => {
  const totalBytes = knownOr(gpu.device.memoryTotalBytes, undefined);
  const usedBytes = gpu.load === undefined ? undefined : knownOr(gpu.load.memoryUsedBytes, undefined);
  return totalBytes === undefined || usedBytes === undefined ? undefined : { usedBytes, totalBytes };
};

/** The memory that models live in: of the GPUs where they have their own, else of the host. */
export const modelMemoryUse = (view: NodeView): MemoryUse | undefined =>
  ownMemoryGpus(view).length === 0 ? hostMemoryUse(view) : gpuMemoryUseOf(view);

/** Of the GPUs that have memory of their own, together; undefined where there are none, or none tells it. */
export const gpuMemoryUseOf = (view: NodeView): MemoryUse | undefined =>
  memoryUseSum(ownMemoryGpus(view).map(gpuMemoryUse));

/** Of those that are known; undefined where none is. */
export const memoryUseSum = (all: readonly (MemoryUse | undefined)[]): MemoryUse | undefined => {
  const uses = all.filter(use => use !== undefined);
  if (uses.length === 0) return undefined;
  return {
    usedBytes: uses.reduce((sum, use) => sum + use.usedBytes, 0),
    totalBytes: uses.reduce((sum, use) => sum + use.totalBytes, 0),
  };
};
