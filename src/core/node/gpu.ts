// GPU inventory (durable) and GPU load (live), one entry per vendor, because each vendor has its own source
// that can fail alone. Devices are joined by `deviceId`.

import * as v from 'valibot';
import {
  bytes,
  count,
  figure,
  type Infer,
  list,
  openObject,
  reported,
  reportedBySome,
  share,
  text,
} from '../schema.ts';
import { isUnknown } from '../unknown.ts';
import { failedGpuSchema } from './failed-gpu.ts';

/** As events and metrics name them. Once released, the list never grows (decision 16). */
export const GPU_VENDORS = ['nvidia', 'amd', 'apple', 'intel'] as const;

export type GpuVendor = (typeof GPU_VENDORS)[number];

export const VENDOR_NAMES: Readonly<Record<GpuVendor, string>> = {
  nvidia: 'NVIDIA',
  amd: 'AMD',
  apple: 'Apple',
  intel: 'Intel',
};

export const gpuVendorSchema = v.picklist(GPU_VENDORS);

const pcieLinkSchema = openObject({
  /** 1..7 */
  generation: count,
  /** Lanes. */
  width: count,
});

export type PcieLink = Infer<typeof pcieLinkSchema>;

export const gpuDeviceSchema = openObject({
  /** Stable over restarts and card order: NVIDIA UUID, PCI address "0000:c1:00.0", or "apple-0". */
  deviceId: text,
  index: count,
  name: text,
  /**
   * The device's own memory. If it shares the host's, all that it can use, if its driver reports that
   * (amdgpu), else unknown with the reason "unified memory".
   */
  memoryTotalBytes: reported(bytes),
  memoryIsUnified: v.boolean(),
  /**
   * For a device that shares the host's memory: the part of its total that the firmware reserved, which is
   * not in the host's total.
   */
  memoryReservedBytes: reportedBySome(bytes),
  driver: reported(text),
  /** "CUDA 12.8", "ROCm 7.0.2", "Metal 4". */
  runtime: reported(text),
  architecture: reported(text),
  coreCount: reported(count),
  pcieMax: reported(pcieLinkSchema),
  powerLimitWatts: reported(figure),
  /** The manufacturer's setting. Missing before version 0.2.0. */
  powerLimitDefaultWatts: reportedBySome(figure),
  /** MIG or compute partitions, by name; empty if the device is not partitioned. */
  partitions: list(text),
  /** "0000:34:00.0". Missing for devices that are not on PCI. */
  pciAddress: reportedBySome(text),
});

export type GpuDevice = Infer<typeof gpuDeviceSchema>;

export const gpusSchema = openObject({
  vendor: gpuVendorSchema,
  devices: list(gpuDeviceSchema),
  /** Further GPUs of the machine that cannot be used now. Not in `devices`. */
  failed: reportedBySome(list(failedGpuSchema)),
});

export type NodeGpus = Infer<typeof gpusSchema>;

const gpuProcessSchema = openObject({
  /** In the host, or in the container that the tool runs in. */
  pid: count,
  /** The program, without path and arguments: "llama-server". */
  name: reported(text),
  memoryBytes: reported(bytes),
});

export type GpuProcess = Infer<typeof gpuProcessSchema>;

export const gpuLoadSchema = openObject({
  deviceId: text,
  /** Share of the interval in which a kernel ran, 0..1. */
  use: reported(share),
  memoryUsedBytes: reported(bytes),
  /** Usage of the reserved part, for a device that shares the host's memory. */
  memoryReservedUsedBytes: reportedBySome(bytes),
  temperatureCelsius: reported(figure),
  powerWatts: reported(figure),
  clockMhz: reported(figure),
  /** Drops at idle to save power: compare with the maximum only under load. */
  pcieNow: reported(pcieLinkSchema),
  /**
   * Why the clock is throttled now, in the vendor's terms; empty if it is not. Views show
   * `withoutRatedPower`.
   */
  throttleReasons: reported(list(text)),
  /**
   * Share of the interval in which video was encoded or decoded, 0..1. Missing if the source does not report
   * it.
   */
  encoderUse: reportedBySome(share),
  decoderUse: reportedBySome(share),
  /**
   * Processes that use it, most memory first, from the newest inventory. Missing if the source does not
   * report it.
   */
  processes: reportedBySome(list(gpuProcessSchema)),
});

export type GpuLoad = Infer<typeof gpuLoadSchema>;

export const gpuLoadsSchema = openObject({ vendor: gpuVendorSchema, devices: list(gpuLoadSchema) });

export type NodeGpuLoads = Infer<typeof gpuLoadsSchema>;

/** NVIDIA's name of the power limit as a reason (nvml.h, nvmlClocksEventReasonSwPowerCap). */
export const POWER_CAP = 'SW power cap';

/**
 * The load without a throttle reason for the manufacturer's own power limit: every healthy card reaches it
 * under full load (an H200 drew 693 of its 700 W in a matrix product, with that reason). If a limit is
 * unknown, a person may have lowered it, so the reason stays.
 */
export const withoutRatedPower = (load: GpuLoad, device: GpuDevice): GpuLoad => {
  const { powerLimitWatts, powerLimitDefaultWatts } = device;
  if (powerLimitDefaultWatts === undefined || isUnknown(powerLimitDefaultWatts)) return load;
  if (isUnknown(powerLimitWatts) || powerLimitWatts < powerLimitDefaultWatts) return load;
  if (isUnknown(load.throttleReasons)) return load;
  return { ...load, throttleReasons: load.throttleReasons.filter(name => name !== POWER_CAP) };
};
