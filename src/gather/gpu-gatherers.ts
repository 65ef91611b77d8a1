// Every GPU gatherer of a platform. Apple's figures come with macmon and are not here.

import { amdGatherers } from './amdgpu/amd-gatherers.ts';
import type { Gatherer } from './gatherer.ts';
import type { GpuOptions } from './gpu-options.ts';
import { intelGatherers } from './intel/intel-gatherers.ts';
import { nvidiaGatherers } from './nvidia/nvidia-gatherers.ts';

export interface GpuGatherersOptions extends GpuOptions {
  /** As Node names it. Windows has NVIDIA only, untested. */
  readonly platform: string;
}

export const gpuGatherers = (options: GpuGatherersOptions): readonly Gatherer[] => {
  switch (options.platform) {
    case 'linux':
      return [...nvidiaGatherers(options), ...amdGatherers(options), ...intelGatherers(options)];
    case 'win32':
      return nvidiaGatherers(options);
    default:
      return [];
  }
};
