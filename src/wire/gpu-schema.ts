// Validates what a node reports about its GPUs and their load.

import * as v from 'valibot';
import { failedGpuSchema } from '../core/node/failed-gpu.ts';
import {
  GPU_VENDORS,
  type GpuDevice,
  type GpuLoad,
  type GpuVendor,
  type NodeGpuLoads,
  type NodeGpus,
} from '../core/node/gpu.ts';
import {
  bytes,
  count,
  figure,
  list,
  openObject,
  reported,
  type Schema,
  share,
  text,
} from '../core/schema.ts';

export const gpuVendorSchema: Schema<GpuVendor> = v.picklist(GPU_VENDORS);

const pcieLink = openObject({ generation: count, width: count });

export const gpuDeviceSchema: Schema<GpuDevice> = openObject({
  deviceId: text,
  index: count,
  name: text,
  memoryTotalBytes: reported(bytes),
  memoryIsUnified: v.boolean(),
  memoryReservedBytes: reported(bytes),
  driver: reported(text),
  runtime: reported(text),
  architecture: reported(text),
  coreCount: reported(count),
  pcieMax: reported(pcieLink),
  powerLimitWatts: reported(figure),
  powerLimitDefaultWatts: reported(figure),
  partitions: list(text),
  pciAddress: reported(text),
});

export const gpuLoadSchema: Schema<GpuLoad> = openObject({
  deviceId: text,
  use: reported(share),
  memoryUsedBytes: reported(bytes),
  memoryReservedUsedBytes: reported(bytes),
  temperatureCelsius: reported(figure),
  powerWatts: reported(figure),
  clockMhz: reported(figure),
  pcieNow: reported(pcieLink),
  throttleReasons: reported(list(text)),
  encoderUse: reported(share),
  decoderUse: reported(share),
  processes: reported(list(openObject({ pid: count, name: reported(text), memoryBytes: reported(bytes) }))),
});

export const gpusSchema: Schema<NodeGpus> = openObject({
  vendor: gpuVendorSchema,
  devices: list(gpuDeviceSchema),
  failed: reported(list(failedGpuSchema)),
});
export const gpuLoadsSchema: Schema<NodeGpuLoads> = openObject({
  vendor: gpuVendorSchema,
  devices: list(gpuLoadSchema),
});
