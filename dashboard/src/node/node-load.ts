// How loaded a node is, as the drawings take it: the level of each of its holds, and the use of its GPUs.

import {
  gpuMemoryUse,
  gpusOf,
  hostMemoryUse,
  modelMemoryUse,
  ownMemoryGpus,
  usedShare,
} from '../../../src/core/node/memory-use.ts';
import type { NodeView } from '../../../src/core/node/node-view.ts';
import { gpuUse } from '../../../src/core/node/node-vitals.ts';
import type { DrawnLoad } from '../drawing/load.ts';

/** Mean of the GPUs that report it, of figures that are of now. */
export const currentGpuUse = (view: NodeView): number | undefined =>
  gpusOf(view).some(gpu => gpu.isLoadStale) ? undefined : gpuUse(view);

export const machineLoad = (view: NodeView): DrawnLoad => ({
  level: usedShare(modelMemoryUse(view)),
  hostLevel: usedShare(hostMemoryUse(view)),
  bays: ownMemoryGpus(view).map(gpu => ({
    level: usedShare(gpuMemoryUse(gpu)),
    isMeasured: gpu.probe?.kind === 'running',
  })),
  use: gpuUse(view),
  isMeasured:
    view.cpu.probe?.kind === 'running' ||
    gpusOf(view).some(gpu => gpu.device.memoryIsUnified && gpu.probe?.kind === 'running'),
});
