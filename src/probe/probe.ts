// What the parts of probing say to each other: engines measure, the reconciler decides when, and neither knows the other.
// Everything that measures runs in a child process that is killed at its deadline; how it ended comes back as data.

import type { LinkProfile } from '../core/link/link-profile.ts';
import type { GpuVendor } from '../core/node/gpu.ts';
import type { GpuProfile } from '../core/node/gpu-profile.ts';

/** What an engine measures of a connection; whose it is and when the next is due belongs to the reconciler. */
export type LinkMeasurement = Omit<
  LinkProfile,
  'sink' | 'connectionKey' | 'measuredAgeMs' | 'intervalMs' | 'failure'
>;

export type DeviceMeasurement = Omit<GpuProfile, 'measuredAgeMs' | 'intervalMs' | 'failure'>;

export type ProbeOutcome<T> =
  | { readonly kind: 'measured'; readonly measurement: T }
  /** `bytesUsed`: what it cost all the same, payload bytes of both directions; 0 for devices. */
  | { readonly kind: 'failed'; readonly reason: string; readonly bytesUsed: number };

/** A device that can be measured. "cpu" stands for the processor of a machine without a GPU. */
export interface ProbeDevice {
  readonly deviceId: string;
  readonly deviceName: string;
  readonly vendor: GpuVendor | 'cpu';
}

/** Measures one device; never rejects but for an abort. */
export type ProbeDeviceNow = (
  device: ProbeDevice,
  signal: AbortSignal,
) => Promise<ProbeOutcome<DeviceMeasurement>>;
