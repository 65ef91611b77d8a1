// Every kind of machine that can be simulated.

import { MAC_MINI, MAC_STUDIO, MACBOOK } from './apple-hardware.ts';
import type { Hardware, HardwareName } from './hardware.ts';
import { CPU_VM, DGX_SPARK, GPU_SERVER, RADEON_BOX, WORKSTATION } from './linux-hardware.ts';

export const HARDWARE: Readonly<Record<HardwareName, Hardware>> = {
  'mac-studio': MAC_STUDIO,
  'mac-mini': MAC_MINI,
  macbook: MACBOOK,
  'dgx-spark': DGX_SPARK,
  workstation: WORKSTATION,
  'radeon-box': RADEON_BOX,
  'gpu-server': GPU_SERVER,
  'cpu-vm': CPU_VM,
};
