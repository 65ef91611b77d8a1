// Where a model could run: the devices of the cluster with their measurements, in the form that the cost is
// computed from.

import * as v from 'valibot';
import { maximumOf } from '../extremes.ts';
import type { NodeId } from '../ids.ts';
import { BANDWIDTH, DEVICE_MEASURES, FP16_RATE, FP32_RATE, type GpuProfile } from '../node/gpu-profile.ts';
import { modelMemoryUse } from '../node/memory-use.ts';
import type { GpuView, NodeView } from '../node/node-view.ts';
import { knownValue } from '../node/reading-view.ts';
import type { Infer } from '../schema.ts';
import { isKnown, isUnknown, knownOr, type Reported, unknown } from '../unknown.ts';
import { CACHE_TYPES } from './cache-bytes.ts';
import type { StoredCalibration } from './engine-calibration.ts';
import { type DeviceClass, deviceClass } from './engine-constants.ts';
import type { DeviceCeiling } from './step-time.ts';

export interface HeadroomDevice {
  /** The node, and which of its devices: "atlas", "titan RTX 4090". */
  readonly name: string;
  /** Undefined for a device that is only known from a data sheet. */
  readonly nodeId: NodeId | undefined;
  /** As in the inventory of its node; "cpu" for a processor. */
  readonly deviceId: string;
  /** "Apple M3 Ultra"; on a machine without a GPU, its processor. */
  readonly deviceName: string;
  readonly deviceClass: DeviceClass;
  /** Measurements of engines on its node. */
  readonly calibrations?: readonly StoredCalibration[];
  /** Unknown if nothing was measured. */
  readonly ceiling: Reported<DeviceCeiling>;
  /** Memory of the device; if it shares the host's memory, the part that its GPU may use. */
  readonly memoryBytes: Reported<number>;
  /** The part that no program uses now; missing for a device that is only known from a data sheet. */
  readonly memoryFreeBytes?: Reported<number>;
}

/** Each GPU of a node; its processor if it has none. */
export const headroomDevices = (view: NodeView): readonly HeadroomDevice[] => {
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
  // As every view numbers them, also next to a lost one; GPUs of two vendors may have equal numbers.
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

/**
 * The best of the kernels that read memory: a sum alone may read slower than engines read weights, and so may
 * a product.
 */
const ceilingOf = (profile: GpuProfile | undefined): Reported<DeviceCeiling> => {
  if (profile === undefined) return unknown('it has not been measured yet: plimsoll probe gpu');
  const read = profile[BANDWIDTH.figure];
  const best = maximumOf(
    DEVICE_MEASURES.map(({ unit, figure }) => (unit === BANDWIDTH.unit ? knownOr(profile[figure], 0) : 0)),
  );
  if (best <= 0) return isUnknown(read) ? read : unknown('its memory bandwidth was measured as 0');
  return {
    bytesPerSecond: best,
    operationsPerSecond: knownOr(profile[FP16_RATE.figure], knownOr(profile[FP32_RATE.figure], undefined)),
    int8PerSecond: knownOr(profile.int8OperationsPerSecond, undefined),
    fp8PerSecond: knownOr(profile.fp8FlopsPerSecond, undefined),
    isMeasured: true,
  };
};

const sharedMemory = (view: NodeView, deviceName: string): Reported<number> => {
  const all = hostMemory(view);
  return isUnknown(all) || deviceClass(deviceName) !== 'apple' ? all : all * APPLE_GPU_SHARE;
};

/** A GPU may use no more of the free memory than of the total. */
const sharedFree = (view: NodeView, deviceName: string): Reported<number> => {
  const [most, free] = [sharedMemory(view, deviceName), hostFree(view)];
  if (isUnknown(most)) return most;
  return isUnknown(free) ? free : Math.min(most, free);
};

const ownFree = ({ device, load }: GpuView): Reported<number> => {
  if (isUnknown(device.memoryTotalBytes)) return device.memoryTotalBytes;
  if (load === undefined) return unknown('its usage is not reported');
  const { memoryUsedBytes } = load;
  return isUnknown(memoryUsedBytes)
    ? memoryUsedBytes
    : Math.max(0, device.memoryTotalBytes - memoryUsedBytes);
};

/** For one that shares the host's memory, only if its driver reports how much of it the device can use. */
const hasOwnTotal = ({ device }: GpuView): boolean =>
  !device.memoryIsUnified || isKnown(device.memoryTotalBytes);

/**
 * The free part of the reserved memory, and the part of the host's that it may still take and no other
 * program uses.
 */
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
  knownValue(view.memory)?.availableBytes ?? unknown('memory usage is not reported by the node');

const hostMemory = (view: NodeView): Reported<number> =>
  knownValue(view.memory)?.totalBytes ??
  modelMemoryUse(view)?.totalBytes ??
  unknown('memory is not reported by the node');

/** macOS gives the GPU about three quarters of memory; `sysctl iogpu.wired_limit_mb` raises it. */
const APPLE_GPU_SHARE = 0.75;

// The parameters of a question about a model: engine, length of the context, number of sequences.
const upTo = (most: number): v.GenericSchema<number> =>
  v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(most));

export const headroomQuestionSchema = v.object({
  engine: v.optional(v.picklist(['llama.cpp', 'mlx', 'vllm', 'sglang', 'other']), 'other'),
  /** Tokens in the cache of each sequence; prefill is for a prompt of that length. */
  contextTokens: v.optional(upTo(100_000_000), 4_096),
  /** Tokens that each request generates, if requests follow each other. */
  outputTokens: v.optional(upTo(100_000_000), 256),
  /** Sequences at once. */
  batch: v.optional(upTo(100_000), 1),
  cacheType: v.optional(v.picklist(['f16', 'bf16', 'f32', 'fp8', 'q8_0', 'q4_0']), 'f16'),
});

export type HeadroomQuestion = Infer<typeof headroomQuestionSchema>;

/** What must be in memory for it: a cache of that length for each sequence. */
export const storedBy = ({
  batch,
  contextTokens,
  cacheType,
}: HeadroomQuestion): {
  readonly slots: number;
  readonly contextTokens: number;
  readonly cacheBytesPerElement: number;
} => ({ slots: batch, contextTokens, cacheBytesPerElement: CACHE_TYPES[cacheType] });
