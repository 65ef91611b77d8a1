// What the parts of probing say to each other: engines measure, the reconciler decides when, and neither knows the other.
// Everything that measures runs in a child process that is killed at its deadline; how it ended comes back as data.

import type { LinkProfile } from '../core/link/link-profile.ts';
import type { GpuVendor } from '../core/node/gpu.ts';
import type { GpuProfile } from '../core/node/gpu-profile.ts';
import type { ProbeErrorCode } from './socket/probe-error.ts';

/** What an engine measures of a connection; whose it is and when the next is due belongs to the reconciler. */
export type LinkMeasurement = Omit<
  LinkProfile,
  'sink' | 'connectionKey' | 'measuredAgeMs' | 'intervalMs' | 'failure'
>;

export type DeviceMeasurement = Omit<GpuProfile, 'measuredAgeMs' | 'intervalMs' | 'failure'>;

export type ProbeOutcome<T> = { readonly kind: 'measured'; readonly measurement: T } | FailedProbe;

export interface FailedProbe {
  readonly kind: 'failed';
  readonly reason: string;
  /** A ProbeFailureCode, or the system's ("ENOENT"); missing where nobody could tell more than the reason. */
  readonly code?: string;
  /** What it cost all the same, payload bytes of both directions; 0 for devices. */
  readonly bytesUsed: number;
}

/** Stable: it stands in the profile's `failure`, and programs compare it. */
export type ProbeFailureCode =
  | ProbeErrorCode
  /** It took longer than a probe may, and was ended. */
  | 'deadline'
  /** Nothing on this machine measures such a connection. */
  | 'no-engine'
  /** The sink answers in a way that this version does not know. */
  | 'not-understood'
  /** The sink would take part, but cannot. */
  | 'sink-failed';

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
