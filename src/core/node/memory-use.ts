// Usage of the memories of a node, of the host and of GPUs that have their own, and the limit for it.

import { knownOr } from '../unknown.ts';
import type { GpuDevice } from './gpu.ts';
import { memoryUsedBytes } from './memory.ts';
import type { GpuView, NodeView } from './node-view.ts';
import { knownValue } from './reading-view.ts';

/** The load line: above this share a longer context or a larger batch may not fit. */
export const SAFE_LOAD = 0.85;

export interface MemoryUse {
  readonly usedBytes: number;
  readonly totalBytes: number;
}

export const usedShare = (use: MemoryUse | undefined): number | undefined =>
  use === undefined || use.totalBytes <= 0 ? undefined : use.usedBytes / use.totalBytes;

export const hostMemoryUse = (view: NodeView): MemoryUse | undefined => {
  const memory = knownValue(view.memory);
  const usedBytes = memory === undefined ? undefined : knownOr(memoryUsedBytes(memory), undefined);
  return memory === undefined || usedBytes === undefined
    ? undefined
    : { usedBytes, totalBytes: memory.totalBytes };
};

/**
 * Most machines have GPUs of one vendor, and a page of a thousand nodes calls this for each of them many
 * times a second.
 */
export const gpusOf = ({ gpus }: Pick<NodeView, 'gpus'>): readonly GpuView[] =>
  gpus.length === 0 ? [] : gpus.length === 1 ? (gpus[0]?.devices ?? []) : gpus.flatMap(of => of.devices);

/**
 * GPUs with memory apart from the host's: cards, and processors whose graphics use only what the firmware
 * reserved for them.
 */
export const ownMemoryGpus = (view: NodeView): readonly GpuView[] => {
  const all = gpusOf(view);
  return all.every(hasOwnMemory) ? all : all.filter(hasOwnMemory);
};

export const hasOwnMemory = ({ device }: Pick<GpuView, 'device'>): boolean =>
  !device.memoryIsUnified || isReservedOnly(device);

const isReservedOnly = ({ memoryTotalBytes, memoryReservedBytes }: GpuDevice): boolean => {
  const reservedBytes = knownOr(memoryReservedBytes, 0) ?? 0;
  return reservedBytes > 0 && reservedBytes === knownOr(memoryTotalBytes, undefined);
};

/**
 * The part of a GPU's memory that is not in the host's total: for a card all of it. Undefined if it is all
 * the host's.
 */
export const memoryApartOf = ({
  device,
  load,
}: GpuView):
  | { readonly totalBytes: number | undefined; readonly usedBytes: number | undefined }
  | undefined => {
  if (!device.memoryIsUnified)
    return {
      totalBytes: knownOr(device.memoryTotalBytes, undefined),
      usedBytes: load === undefined ? undefined : knownOr(load.memoryUsedBytes, undefined),
    };
  const totalBytes = knownOr(device.memoryReservedBytes, undefined) ?? 0;
  if (totalBytes === 0) return undefined;
  return { totalBytes, usedBytes: knownOr(load?.memoryReservedUsedBytes, undefined) };
};

export const gpuMemoryUse = (gpu: GpuView): MemoryUse | undefined => {
  const totalBytes = knownOr(gpu.device.memoryTotalBytes, undefined);
  const usedBytes = gpu.load === undefined ? undefined : knownOr(gpu.load.memoryUsedBytes, undefined);
  return totalBytes === undefined || usedBytes === undefined ? undefined : { usedBytes, totalBytes };
};

/**
 * The memory that models are stored in: of the GPUs if they have their own, else of the host, with what is
 * reserved for its GPUs.
 */
export const modelMemoryUse = (view: NodeView): MemoryUse | undefined =>
  ownMemoryGpus(view).length > 0
    ? gpuMemoryUseOf(view)
    : hostMemoryUse(view) === undefined
      ? undefined
      : allMemoryUse(view);

/** Host and GPU memory together, without counting anything twice. */
export const allMemoryUse = (view: NodeView): MemoryUse | undefined =>
  memoryUseSum([
    hostMemoryUse(view),
    ...gpusOf(view).map(gpu => {
      const { totalBytes, usedBytes } = memoryApartOf(gpu) ?? {};
      return totalBytes === undefined || usedBytes === undefined ? undefined : { totalBytes, usedBytes };
    }),
  ]);

/** Sum over the GPUs with memory of their own; undefined if there are none, or none reports it. */
export const gpuMemoryUseOf = (view: NodeView): MemoryUse | undefined =>
  memoryUseSum(ownMemoryGpus(view).map(gpuMemoryUse));

/** Sum of the known ones; undefined if there are none. */
export const memoryUseSum = (all: readonly (MemoryUse | undefined)[]): MemoryUse | undefined => {
  const uses = all.filter(use => use !== undefined);
  if (uses.length === 0) return undefined;
  return {
    usedBytes: uses.reduce((sum, use) => sum + use.usedBytes, 0),
    totalBytes: uses.reduce((sum, use) => sum + use.totalBytes, 0),
  };
};
