// GPU inventory (durable) and GPU load (live), one entry per vendor, because each vendor has its own source
// that can fail alone. Devices are joined by `deviceId`.

import { isUnknown, type Reported } from '../unknown.ts';
import type { FailedGpu } from './failed-gpu.ts';

/** As events and metrics name them. Once released, the list never grows (decision 16). */
export const GPU_VENDORS = ['nvidia', 'amd', 'apple', 'intel'] as const;

export type GpuVendor = (typeof GPU_VENDORS)[number];

export const VENDOR_NAMES: Readonly<Record<GpuVendor, string>> = {
  nvidia: 'NVIDIA',
  amd: 'AMD',
  apple: 'Apple',
  intel: 'Intel',
};

export interface NodeGpus {
  readonly vendor: GpuVendor;
  readonly devices: readonly GpuDevice[];
  /** Further GPUs of the machine that cannot be used now. Not in `devices`. */
  readonly failed?: Reported<readonly FailedGpu[]>;
}

export interface GpuDevice {
  /** Stable over restarts and card order: NVIDIA UUID, PCI address "0000:c1:00.0", or "apple-0". */
  readonly deviceId: string;
  readonly index: number;
  readonly name: string;
  /**
   * The device's own memory. If it shares the host's, all that it can use, if its driver reports that
   * (amdgpu), else unknown with the reason "unified memory".
   */
  readonly memoryTotalBytes: Reported<number>;
  readonly memoryIsUnified: boolean;
  /**
   * For a device that shares the host's memory: the part of its total that the firmware reserved, which is
   * not in the host's total.
   */
  readonly memoryReservedBytes?: Reported<number>;
  readonly driver: Reported<string>;
  /** "CUDA 12.8", "ROCm 7.0.2", "Metal 4". */
  readonly runtime: Reported<string>;
  readonly architecture: Reported<string>;
  readonly coreCount: Reported<number>;
  readonly pcieMax: Reported<PcieLink>;
  readonly powerLimitWatts: Reported<number>;
  /** The manufacturer's setting. Missing before version 0.2.0. */
  readonly powerLimitDefaultWatts?: Reported<number>;
  /** MIG or compute partitions, by name; empty if the device is not partitioned. */
  readonly partitions: readonly string[];
  /** "0000:34:00.0". Missing for devices that are not on PCI. */
  readonly pciAddress?: Reported<string>;
}

/** A type alias, so that it is assignable to `Reported`'s index signature. */
export type PcieLink = {
  /** 1..7 */
  readonly generation: number;
  /** Lanes. */
  readonly width: number;
};

export interface NodeGpuLoads {
  readonly vendor: GpuVendor;
  readonly devices: readonly GpuLoad[];
}

export interface GpuLoad {
  readonly deviceId: string;
  /** Share of the interval in which a kernel ran, 0..1. */
  readonly use: Reported<number>;
  readonly memoryUsedBytes: Reported<number>;
  /** Usage of the reserved part, for a device that shares the host's memory. */
  readonly memoryReservedUsedBytes?: Reported<number>;
  readonly temperatureCelsius: Reported<number>;
  readonly powerWatts: Reported<number>;
  readonly clockMhz: Reported<number>;
  /** Drops at idle to save power: compare with the maximum only under load. */
  readonly pcieNow: Reported<PcieLink>;
  /**
   * Why the clock is throttled now, in the vendor's terms; empty if it is not. Views show
   * `withoutRatedPower`.
   */
  readonly throttleReasons: Reported<readonly string[]>;
  /**
   * Share of the interval in which video was encoded or decoded, 0..1. Missing if the source does not report
   * it.
   */
  readonly encoderUse?: Reported<number>;
  readonly decoderUse?: Reported<number>;
  /**
   * Processes that use it, most memory first, from the newest inventory. Missing if the source does not
   * report it.
   */
  readonly processes?: Reported<readonly GpuProcess[]>;
}

export type GpuProcess = {
  /** In the host, or in the container that the tool runs in. */
  readonly pid: number;
  /** The program, without path and arguments: "llama-server". */
  readonly name: Reported<string>;
  readonly memoryBytes: Reported<number>;
};

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
