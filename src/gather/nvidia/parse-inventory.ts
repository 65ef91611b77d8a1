// `nvidia-smi -q -x` → the devices of this machine, and apart from them those that cannot be used. Elements moved between drivers
// (power_readings became gpu_power_readings in 525), so each figure is looked up under every name it has had.

import { counted } from '../../core/figure/figure.ts';
import type { FailedGpu } from '../../core/node/failed-gpu.ts';
import type { GpuDevice, NodeGpus, PcieLink } from '../../core/node/gpu.ts';
import { isKnown, isUnknown, type Reported, unknown } from '../../core/unknown.ts';
import { answered, type ToolAnswer, unanswered } from '../tool-output.ts';
import {
  failureOf,
  type GpuFailure,
  type LostMessage,
  lostMessages,
  pciAddress,
  withoutLostMessages,
} from './lost-gpu.ts';
import { cellCount, cellMebibytes, cellNumber, cellText, isNotOffered } from './nvidia-cell.ts';
import { childOf, childrenOf, descendant, parseTagTree, type Tag } from './tag-tree.ts';

/** An inventory that contains the cause of each failed GPU. */
export type NvidiaInventory = NodeGpus & { readonly failed: readonly FailedGpu[] };

/**
 * No result if it is incomplete: better no new reading than one that lacks a device. `text` may contain messages on lost GPUs
 * anywhere; `aside` is what else the tool printed.
 */
export const parseInventory = (text: string, aside = ''): ToolAnswer<NvidiaInventory> => {
  const messages = lostMessages(`${text}\n${aside}`);
  const log = parseTagTree(withoutLostMessages(text)).find(tag => tag.name === 'nvidia_smi_log');
  if (log === undefined) return unanswered('nvidia-smi printed no device list');
  if (!log.isClosed) return unanswered("nvidia-smi's device list was cut off");
  // CUDA 14 prints new names and drops the old ones later.
  const driver = cellText((childOf(log, 'driver_version') ?? childOf(log, 'kmd_version'))?.text);
  const cuda = cellText((childOf(log, 'cuda_version') ?? childOf(log, 'cuda_umd_version'))?.text);
  const runtime = isUnknown(cuda) ? cuda : `CUDA ${cuda}`;
  const devices = new Map<string, GpuDevice>();
  const failed = new Map<string, FailedGpu>();
  // A GPU that could not be opened keeps its number, and the list goes on with the next.
  const taken = new Set(messages.flatMap(({ index }) => index ?? []));
  let index = 0;
  for (const gpu of childrenOf(log, 'gpu')) {
    while (taken.has(index)) index += 1;
    const device = deviceOf(gpu, { index, driver, runtime });
    if (device === undefined || devices.has(device.deviceId) || failed.has(device.deviceId)) continue;
    index += 1;
    const failure = gpuFailure(gpu);
    if (failure === undefined) devices.set(device.deviceId, device);
    else failed.set(device.deviceId, failedOf(device, failure));
  }
  const listed = [...devices.values(), ...failed.values()].map(({ pciAddress: address }) => address);
  for (const message of messages)
    if (message.address === undefined || !listed.includes(message.address)) {
      const gpu = failedByMessage(message);
      failed.set(gpu.deviceId, gpu);
    }
  const attached = cellCount(childOf(log, 'attached_gpus')?.text);
  const count = devices.size + failed.size;
  if (!isUnknown(attached) && attached < devices.size)
    return unanswered(
      `nvidia-smi lists ${counted(devices.size, 'GPU')}, more than the ${attached} that it counts`,
    );
  return answered({
    vendor: 'nvidia',
    devices: [...devices.values()],
    failed: [...failed.values(), ...unlisted(isUnknown(attached) ? 0 : attached - count, count)],
  });
};

/** What is known of GPUs that could not be opened, if the tool lists no others. */
export const failedByMessage = ({ index, address, reason }: LostMessage): FailedGpu => ({
  deviceId: address ?? `${UNLISTED}${index}`,
  name: UNNAMED,
  index: index ?? unknown(NOT_PRINTED),
  pciAddress: address ?? unknown(NOT_PRINTED),
  state: 'lost',
  reason: reason === '' ? 'nvidia-smi cannot open it' : reason,
});

const failedOf = (device: GpuDevice, { state, reason }: GpuFailure): FailedGpu => ({
  deviceId: device.deviceId,
  name: device.name,
  index: device.index,
  pciAddress: device.pciAddress ?? unknown(NOT_PRINTED),
  state,
  reason,
});

/** Those that the tool counts and does not list. */
const unlisted = (missing: number, count: number): readonly FailedGpu[] =>
  Array.from({ length: Math.min(Math.max(0, missing), UNLISTED_MAX) }, (_, at) => ({
    deviceId: `${UNLISTED}${at}`,
    name: UNNAMED,
    index: unknown(NOT_PRINTED),
    pciAddress: unknown(NOT_PRINTED),
    state: 'lost',
    reason: `nvidia-smi counts ${counted(count + missing, 'GPU')} and lists ${count}`,
  }));

const gpuFailure = (gpu: Tag): GpuFailure | undefined =>
  failureOf(
    textsIn(gpu),
    [
      descendant(gpu, 'fb_memory_usage', 'used'),
      descendant(gpu, 'utilization', 'gpu_util'),
      descendant(gpu, 'temperature', 'gpu_temp'),
    ].map(tag => tag?.text),
  );

const textsIn = (tag: Tag): readonly string[] =>
  tag.children.length === 0 ? [tag.text] : tag.children.flatMap(textsIn);

interface Common {
  readonly index: number;
  readonly driver: Reported<string>;
  readonly runtime: Reported<string>;
}

const deviceOf = (gpu: Tag, common: Common): GpuDevice | undefined => {
  const deviceId = nvidiaDeviceId(gpu);
  if (deviceId === undefined) return undefined;
  const nameCell = cellText(childOf(gpu, 'product_name')?.text);
  const name = isUnknown(nameCell) ? UNNAMED : nameCell;
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
    memoryReservedBytes: isUnified ? unknown('nvidia-smi does not report it') : 0,
    driver: common.driver,
    runtime: common.runtime,
    architecture: cellText(childOf(gpu, 'product_architecture')?.text),
    coreCount: unknown('nvidia-smi does not report it'),
    pcieMax: isUnified ? unknown(NO_PCIE_LINK) : pcieMaxOf(gpu),
    powerLimitWatts: powerLimitOf(gpu, POWER_LIMITS),
    powerLimitDefaultWatts: powerLimitOf(gpu, DEFAULT_POWER_LIMITS),
    partitions,
    pciAddress: busId(gpu) ?? unknown(NOT_PRINTED),
  };
};

/** The UUID; its PCI address if even that could not be read. */
export const nvidiaDeviceId = (gpu: Tag): string | undefined => {
  const uuid = cellText(childOf(gpu, 'uuid')?.text);
  if (!isUnknown(uuid)) return uuid;
  return busId(gpu);
};

const busId = (gpu: Tag): string | undefined => {
  const id = /id="([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f])"/i.exec(gpu.attributes)?.[1];
  return id === undefined ? undefined : pciAddress(id);
};

const pcieMaxOf = (gpu: Tag): Reported<PcieLink> => {
  const info = descendant(gpu, 'pci', 'pci_gpu_link_info');
  const generation = cellCount(descendant(info, 'pcie_gen', 'max_link_gen')?.text);
  const width = cellCount(descendant(info, 'link_widths', 'max_link_width')?.text);
  if (isUnknown(generation)) return generation;
  return isUnknown(width) ? width : { generation, width };
};

const powerLimitOf = (gpu: Tag, elements: typeof POWER_LIMITS): Reported<number> => {
  let limit: Reported<number> = cellNumber(undefined);
  for (const [readings, element] of elements) {
    const text = descendant(gpu, readings, element)?.text;
    if (text === undefined) continue;
    limit = cellNumber(text);
    if (!isUnknown(limit)) return limit;
  }
  return limit;
};

/**
 * MIG devices are parts of this device: named here, never counted as devices. Several of them (compute instances) may share the
 * memory of one GPU instance: then it is that of the instance, and printed once.
 */
const partitionsOf = (gpu: Tag): readonly string[] => {
  const devices = childrenOf(childOf(gpu, 'mig_devices'), 'mig_device');
  const instances = devices.map(device => cellCount(childOf(device, 'gpu_instance_id')?.text));
  return devices.map((device, position) => {
    const instance = instances[position];
    const isShared =
      instance !== undefined && isKnown(instance) && instances.filter(other => other === instance).length > 1;
    const isFirst = instances.indexOf(instance ?? unknown('')) === position;
    const index = cellCount(childOf(device, 'index')?.text);
    const memory = cellText(descendant(device, 'fb_memory_usage', 'total')?.text);
    const cores = cellText(descendant(device, 'device_attributes', 'shared', 'multiprocessor_count')?.text);
    const ownMemory = isUnknown(memory) ? [] : [memory];
    const facts = [
      ...(isUnknown(cores) ? [] : [`${cores} SMs`]),
      ...(isShared
        ? [`in instance ${instance}${isFirst && isKnown(memory) ? `, which has ${memory}` : ''}`]
        : ownMemory),
    ];
    const name = `MIG ${isUnknown(index) ? position : index}`;
    return facts.length === 0 ? name : `${name} (${facts.join(', ')})`;
  });
};

/**
 * Chips whose GPU shares the processor's memory (GB10, Jetson): they have no memory figures of their own, and their PCIe
 * link figures are placeholders. `memoryTotal` is the cell as printed; a total that could not be read because of an
 * error is no evidence of that.
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
const DEFAULT_POWER_LIMITS: typeof POWER_LIMITS = [
  ['gpu_power_readings', 'default_power_limit'],
  ['power_readings', 'default_power_limit'],
];
const UNNAMED = 'NVIDIA GPU';
const UNLISTED = 'unlisted-';
/** No machine has more. */
const UNLISTED_MAX = 64;
const NOT_PRINTED = 'not printed by nvidia-smi';
const UNIFIED_NAME = /\b(GB10|N1X?|Thor|Orin|Xavier|Tegra|Jetson)\b/i;
