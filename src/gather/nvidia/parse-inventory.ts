// `nvidia-smi -q -x` → the devices of this machine. Elements moved between drivers (power_readings became
// gpu_power_readings in 525), so each figure is looked up in every place it has had.

import type { GpuDevice, NodeGpus, PcieLink } from '../../core/node/gpu.ts';
import { isUnknown, type Reported, unknown } from '../../core/unknown.ts';
import { answered, type ToolAnswer, unanswered } from '../tool-output.ts';
import { cellCount, cellMebibytes, cellNumber, cellText, isNotOffered } from './nvidia-cell.ts';
import { childOf, childrenOf, descendant, parseTagTree, type Tag } from './tag-tree.ts';

/** No result if it is incomplete: better no new reading than one that lacks a device. */
export const parseInventory = (text: string): ToolAnswer<NodeGpus> => {
  const log = parseTagTree(text).find(tag => tag.name === 'nvidia_smi_log');
  if (log === undefined) return unanswered('nvidia-smi printed no device list');
  if (!log.isClosed) return unanswered("nvidia-smi's device list was cut off");
  const driver = cellText(childOf(log, 'driver_version')?.text);
  const cuda = cellText(childOf(log, 'cuda_version')?.text);
  const runtime = isUnknown(cuda) ? cuda : `CUDA ${cuda}`;
  const byId = new Map<string, GpuDevice>();
  for (const gpu of childrenOf(log, 'gpu')) {
    const device = deviceOf(gpu, { index: byId.size, driver, runtime });
    if (device !== undefined && !byId.has(device.deviceId)) byId.set(device.deviceId, device);
  }
  const attached = cellCount(childOf(log, 'attached_gpus')?.text);
  if (!isUnknown(attached) && attached !== byId.size) {
    return unanswered(`nvidia-smi counts ${attached} devices and lists ${byId.size}`);
  }
  return answered({ vendor: 'nvidia', devices: [...byId.values()] });
};

interface Common {
  readonly index: number;
  readonly driver: Reported<string>;
  readonly runtime: Reported<string>;
}

const deviceOf = (gpu: Tag, common: Common): GpuDevice | undefined => {
  const deviceId = nvidiaDeviceId(gpu);
  if (deviceId === undefined) return undefined;
  const nameCell = cellText(childOf(gpu, 'product_name')?.text);
  const name = isUnknown(nameCell) ? 'NVIDIA GPU' : nameCell;
  const partitions = partitionsOf(gpu);
  const memoryTotal = descendant(gpu, 'fb_memory_usage', 'total')?.text;
  const isPartitioned = descendant(gpu, 'mig_mode', 'current_mig')?.text === 'Enabled';
  const isUnified = sharesHostMemory({ name, memoryTotal, isPartitioned });
  return {
    deviceId,
    index: common.index,
    name,
    memoryTotalBytes: isUnified ? unknown(UNIFIED_MEMORY) : cellMebibytes(memoryTotal),
    memoryIsUnified: isUnified,
    driver: common.driver,
    runtime: common.runtime,
    architecture: cellText(childOf(gpu, 'product_architecture')?.text),
    coreCount: unknown('nvidia-smi does not report it'),
    pcieMax: isUnified ? unknown(NO_PCIE_LINK) : pcieMaxOf(gpu),
    powerLimitWatts: powerLimitOf(gpu),
    partitions,
  };
};

/** The UUID; its PCI address if even that could not be read. */
export const nvidiaDeviceId = (gpu: Tag): string | undefined => {
  const uuid = cellText(childOf(gpu, 'uuid')?.text);
  if (!isUnknown(uuid)) return uuid;
  return /id="([^"]{1,40})"/.exec(gpu.attributes)?.[1]?.toLowerCase();
};

const pcieMaxOf = (gpu: Tag): Reported<PcieLink> => {
  const info = descendant(gpu, 'pci', 'pci_gpu_link_info');
  const generation = cellCount(descendant(info, 'pcie_gen', 'max_link_gen')?.text);
  const width = cellCount(descendant(info, 'link_widths', 'max_link_width')?.text);
  if (isUnknown(generation)) return generation;
  return isUnknown(width) ? width : { generation, width };
};

const powerLimitOf = (gpu: Tag): Reported<number> => {
  let limit: Reported<number> = cellNumber(undefined);
  for (const [readings, element] of POWER_LIMITS) {
    const text = descendant(gpu, readings, element)?.text;
    if (text === undefined) continue;
    limit = cellNumber(text);
    if (!isUnknown(limit)) return limit;
  }
  return limit;
};

/** MIG devices are parts of this device: named here, never counted as devices. */
const partitionsOf = (gpu: Tag): readonly string[] =>
  childrenOf(childOf(gpu, 'mig_devices'), 'mig_device').map((device, position) => {
    const index = cellCount(childOf(device, 'index')?.text);
    const memory = cellText(descendant(device, 'fb_memory_usage', 'total')?.text);
    const cores = cellText(descendant(device, 'device_attributes', 'shared', 'multiprocessor_count')?.text);
    const facts = [...(isUnknown(cores) ? [] : [`${cores} SMs`]), ...(isUnknown(memory) ? [] : [memory])];
    const name = `MIG ${isUnknown(index) ? position : index}`;
    return facts.length === 0 ? name : `${name} (${facts.join(', ')})`;
  });

/**
 * Chips whose GPU shares the processor's memory (GB10, Jetson): they have no memory figures of their own, and their PCIe
 * link figures are placeholders. `memoryTotal` is the cell as printed; a total that could not be read because of an
 * error says nothing.
 */
export const sharesHostMemory = (device: {
  readonly name: string;
  readonly memoryTotal: string | undefined;
  readonly isPartitioned: boolean;
}): boolean =>
  UNIFIED_NAME.test(device.name) ||
  (device.memoryTotal !== undefined && isNotOffered(device.memoryTotal) && !device.isPartitioned);

export const UNIFIED_MEMORY = 'unified memory';

export const NO_PCIE_LINK = 'on the chip, no PCIe link';

const POWER_LIMITS: readonly (readonly [readings: string, element: string])[] = [
  ['gpu_power_readings', 'current_power_limit'],
  ['gpu_power_readings', 'power_limit'],
  ['power_readings', 'current_power_limit'],
  ['power_readings', 'power_limit'],
  ['power_readings', 'enforced_power_limit'],
];
const UNIFIED_NAME = /\b(GB10|N1X?|Thor|Orin|Xavier|Tegra|Jetson)\b/i;
