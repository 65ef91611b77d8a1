// AMD: inventory and loads, side by side.

import type { Gatherer } from '../gatherer.ts';
import type { GpuOptions } from '../gpu-options.ts';
import { gpuSettings } from '../gpu-options.ts';
import { amdInventoryGatherer } from './amdgpu-inventory-gatherer.ts';
import { amdLoadGatherer } from './amdgpu-load-gatherer.ts';

export const amdGatherers = (options: GpuOptions): readonly Gatherer[] => {
  const settings = gpuSettings(options);
  return [amdInventoryGatherer(settings), amdLoadGatherer(settings)];
};
