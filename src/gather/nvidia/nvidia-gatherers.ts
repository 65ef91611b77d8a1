// NVIDIA: inventory and loads, side by side, so that a slow answer to the one never delays the other.

import type { Gatherer } from '../gatherer.ts';
import type { GpuOptions } from '../gpu-options.ts';
import { gpuSettings } from '../gpu-options.ts';
import { DeviceWatch } from './device-watch.ts';
import { nvidiaInventoryGatherer } from './nvidia-inventory-gatherer.ts';
import { nvidiaLoadGatherer } from './nvidia-load-gatherer.ts';

export const nvidiaGatherers = (options: GpuOptions): readonly Gatherer[] => {
  const settings = gpuSettings(options);
  const watch = new DeviceWatch();
  return [nvidiaInventoryGatherer(settings, watch), nvidiaLoadGatherer(settings, watch)];
};
