// How loaded a node is: memory and GPU use as the drawings, the words and the warnings all take them.

import type { GpuView, NodeView } from '../../../src/core/selectors.ts';
import { knownOr } from '../../../src/core/unknown.ts';
import type { MachineLoad } from '../drawing/load.ts';
import { held } from './held.ts';

export interface MemoryUse {
  readonly usedBytes: number;
  readonly totalBytes: number;
}

export const share = (use: MemoryUse | undefined): number | undefined =>
  use === undefined || use.totalBytes <= 0 ? undefined : use.usedBytes / use.totalBytes;

export const hostMemoryUse = (view: NodeView): MemoryUse | undefined => {
  const memory = held(view.memory);
  const availableBytes = memory === undefined ? undefined : knownOr(memory.availableBytes, undefined);
  if (memory === undefined || availableBytes === undefined) return undefined;
  return { usedBytes: memory.totalBytes - availableBytes, totalBytes: memory.totalBytes };
};

export const gpusOf = (view: NodeView): readonly GpuView[] => view.gpus.flatMap(vendor => vendor.devices);

export const ownMemoryGpus = (view: NodeView): readonly GpuView[] =>
  gpusOf(view).filter(gpu => !gpu.device.memoryIsUnified);

export const gpuMemoryUse = (gpu: GpuView): MemoryUse | undefined => {
  const totalBytes = knownOr(gpu.device.memoryTotalBytes, undefined);
  const usedBytes = gpu.load === undefined ? undefined : knownOr(gpu.load.memoryUsedBytes, undefined);
  return totalBytes === undefined || usedBytes === undefined ? undefined : { usedBytes, totalBytes };
};

/** The memory that models live in: of the GPUs where they have their own, else of the host. */
export const modelMemoryUse = (view: NodeView): MemoryUse | undefined => {
  const gpus = ownMemoryGpus(view);
  if (gpus.length === 0) return hostMemoryUse(view);
  const uses = gpus.map(gpuMemoryUse).filter(use => use !== undefined);
  if (uses.length === 0) return undefined;
  return {
    usedBytes: uses.reduce((sum, use) => sum + use.usedBytes, 0),
    totalBytes: uses.reduce((sum, use) => sum + use.totalBytes, 0),
  };
};

/** Mean of the GPUs that tell their use; undefined where none does. */
export const gpuUse = (view: NodeView): number | undefined =>
  mean(gpusOf(view).map(gpu => (gpu.load === undefined ? undefined : knownOr(gpu.load.use, undefined))));

/** The same, of the figures that are of now. */
export const currentGpuUse = (view: NodeView): number | undefined =>
  gpusOf(view).some(gpu => gpu.isLoadStale) ? undefined : gpuUse(view);

export const machineLoad = (view: NodeView): MachineLoad => ({
  level: share(modelMemoryUse(view)),
  hostLevel: share(hostMemoryUse(view)),
  bays: ownMemoryGpus(view).map(gpu => ({
    level: share(gpuMemoryUse(gpu)),
    isMeasured: gpu.probe?.kind === 'running',
  })),
  use: gpuUse(view),
  isMeasured:
    view.cpu.probe?.kind === 'running' ||
    gpusOf(view).some(gpu => gpu.device.memoryIsUnified && gpu.probe?.kind === 'running'),
});

const mean = (values: readonly (number | undefined)[]): number | undefined => {
  const known = values.filter(value => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0) / known.length;
};
