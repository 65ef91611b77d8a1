// Where a model could run: the devices of the cluster with what was measured of them, in the shape that its cost is computed from.

import type { NodeId } from '../ids.ts';
import type { GpuProfile } from '../node/gpu-profile.ts';
import { modelMemoryUse } from '../node/memory-use.ts';
import type { GpuView, NodeView } from '../node/node-view.ts';
import { heldValue } from '../node/reading-view.ts';
import { isKnown, isUnknown, knownOr, type Reported, unknown } from '../unknown.ts';
import type { HeldCalibration } from './engine-calibration.ts';
import { type DeviceClass, deviceClass } from './engine-constants.ts';
import type { DeviceCeiling } from './step-time.ts';

export interface HeadroomPlace {
  /** The node, and which of its devices: "atlas", "titan RTX 4090". */
  readonly name: string;
  /** Undefined for one that only a data sheet tells of. */
  readonly nodeId: NodeId | undefined;
  /** Of the inventory of its node; "cpu" for a processor. */
  readonly deviceId: string;
  /** "Apple M3 Ultra"; of a machine without a GPU its processor. */
  readonly deviceName: string;
  readonly deviceClass: DeviceClass;
  /** What was measured of engines on its node. */
  readonly calibrations?: readonly HeldCalibration[];
  /** Unknown where nothing was measured. */
  readonly ceiling: Reported<DeviceCeiling>;
  /** Of the device, or of the host if they share it: what of that its GPU may use. */
  readonly memoryBytes: Reported<number>;
  /** Of those, what no program holds now; not there of one that only a data sheet tells of. */
  readonly memoryFreeBytes?: Reported<number>;
}

/** Each GPU of a node; its processor where it has none. */
export const headroomPlaces = (view: NodeView): readonly HeadroomPlace[] => {
  const gpus = view.gpus.flatMap(vendor => vendor.devices);
  if (gpus.length === 0) {
    const name = view.cpu.profile?.value.deviceName ?? 'processor';
    return [
      {
        name: view.name,
        nodeId: view.nodeId,
        deviceId: 'cpu',
        deviceName: name,
        deviceClass: 'other',
        ceiling: ceilingOf(view.cpu.profile?.value),
        memoryBytes: hostMemory(view),
        memoryFreeBytes: hostFree(view),
      },
    ];
  }
  // As every view numbers them, also next to one that is lost; two vendors number theirs alike.
  const isOneVendor = view.gpus.filter(({ devices }) => devices.length > 0).length === 1;
  return gpus.map((gpu, position) => ({
    name: gpus.length === 1 ? view.name : `${view.name} GPU ${isOneVendor ? gpu.device.index : position}`,
    nodeId: view.nodeId,
    deviceId: gpu.device.deviceId,
    deviceName: gpu.device.name,
    deviceClass: deviceClass(gpu.device.name),
    ceiling: ceilingOf(gpu.profile?.value),
    memoryBytes: hasOwnTotal(gpu) ? gpu.device.memoryTotalBytes : sharedMemory(view, gpu.device.name),
    memoryFreeBytes: !hasOwnTotal(gpu)
      ? sharedFree(view, gpu.device.name)
      : gpu.device.memoryIsUnified
        ? partlySharedFree(view, gpu)
        : ownFree(gpu),
  }));
};

/** The best of the kernels that read memory: a sum alone may read below what weights are read with, and so may a product. */
const ceilingOf = (profile: GpuProfile | undefined): Reported<DeviceCeiling> => {
  if (profile === undefined) return unknown('it has not been measured yet: plimsoll probe gpu');
  const read = profile.memoryReadBytesPerSecond;
  const copy = profile.memoryCopyBytesPerSecond;
  const best = Math.max(knownOr(read, 0), knownOr(copy, 0), knownOr(profile.memoryGemvBytesPerSecond, 0));
  if (best <= 0) return isUnknown(read) ? read : unknown('its memory bandwidth was measured as 0');
  return {
    bytesPerSecond: best,
    operationsPerSecond: knownOr(profile.fp16FlopsPerSecond, knownOr(profile.fp32FlopsPerSecond, undefined)),
    int8PerSecond: knownOr(profile.int8OperationsPerSecond, undefined),
    fp8PerSecond: knownOr(profile.fp8FlopsPerSecond, undefined),
    isMeasured: true,
  };
};

const sharedMemory = (view: NodeView, deviceName: string): Reported<number> => {
  const all = hostMemory(view);
  return isUnknown(all) || deviceClass(deviceName) !== 'apple' ? all : all * APPLE_GPU_SHARE;
};

/** A GPU may take no more of what is free than of the whole. */
const sharedFree = (view: NodeView, deviceName: string): Reported<number> => {
  const [most, free] = [sharedMemory(view, deviceName), hostFree(view)];
  if (isUnknown(most)) return most;
  return isUnknown(free) ? free : Math.min(most, free);
};

const ownFree = ({ device, load }: GpuView): Reported<number> => {
  if (isUnknown(device.memoryTotalBytes)) return device.memoryTotalBytes;
  if (load === undefined) return unknown('nothing tells how much of it is in use');
  const { memoryUsedBytes } = load;
  return isUnknown(memoryUsedBytes)
    ? memoryUsedBytes
    : Math.max(0, device.memoryTotalBytes - memoryUsedBytes);
};

/** Of one that shares the host's memory only if its driver reports how much of it the device can use. */
const hasOwnTotal = ({ device }: GpuView): boolean =>
  !device.memoryIsUnified || isKnown(device.memoryTotalBytes);

/** What is free of the part that is set aside, and of the host's what it may still take and no other program uses. */
const partlySharedFree = (view: NodeView, gpu: GpuView): Reported<number> => {
  const { device, load } = gpu;
  const free = ownFree(gpu);
  const reservedBytes = knownOr(device.memoryReservedBytes, undefined) ?? 0;
  if (isUnknown(free) || reservedBytes === knownOr(device.memoryTotalBytes, undefined)) return free;
  const ofHost = hostFree(view);
  if (isUnknown(ofHost)) return ofHost;
  const reservedUsedBytes = knownOr(load?.memoryReservedUsedBytes, undefined) ?? reservedBytes;
  const reservedFreeBytes = Math.min(free, Math.max(0, reservedBytes - reservedUsedBytes));
  return reservedFreeBytes + Math.min(free - reservedFreeBytes, ofHost);
};

const hostFree = (view: NodeView): Reported<number> =>
  heldValue(view.memory)?.availableBytes ?? unknown('the node does not tell how much of it is in use');

const hostMemory = (view: NodeView): Reported<number> =>
  heldValue(view.memory)?.totalBytes ??
  modelMemoryUse(view)?.totalBytes ??
  unknown('the node does not tell its memory');

/** macOS gives the GPU about three quarters of memory; `sysctl iogpu.wired_limit_mb` raises it. */
const APPLE_GPU_SHARE = 0.75;
