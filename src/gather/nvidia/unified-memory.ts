// NVIDIA chips whose GPU shares the processor's memory (GB10, Jetson): they have no memory figures of their own, and
// their PCIe link figures are placeholders.

import { isNotOffered } from './nvidia-cell.ts';

/** `memoryTotal` is the cell as printed. A total that could not be read because of an error says nothing. */
export const sharesHostMemory = (device: {
  readonly name: string;
  readonly memoryTotal: string | undefined;
  readonly isPartitioned: boolean;
}): boolean =>
  UNIFIED_NAME.test(device.name) ||
  (device.memoryTotal !== undefined && isNotOffered(device.memoryTotal) && !device.isPartitioned);

export const UNIFIED_MEMORY = 'unified memory';
export const NO_PCIE_LINK = 'on the chip, no PCIe link';

const UNIFIED_NAME = /\b(GB10|N1X?|Thor|Orin|Xavier|Tegra|Jetson)\b/i;
