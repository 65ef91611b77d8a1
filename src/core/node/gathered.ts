// What a source reports about a reading: its value, that it still holds, or that it could not be read. Payloads of events;
// reading.ts names the readings themselves.

import { GPU_VENDORS, type GpuVendor } from './gpu.ts';

/** Payload of "<reading>.gathered". */
export interface Gathered<T> {
  /** The tool or interface that reported it: "procfs", "macmon 0.8", "nvidia-smi". */
  readonly source: string;
  /** How often the source reports, in ms. */
  readonly intervalMs: number;
  readonly value: T;
}

/** The readings of version 0.1.0. Its `reading.*` events know these alone: later readings have `status.told`. */
export const FIRST_READINGS = [
  'identity',
  'memory',
  'system',
  'gpus',
  'gpuLoads',
  'network',
  'thunderbolt',
  'rdmaDevices',
  'disk',
  'config',
] as const;

/** The vendors that `reading.*` events know, and no other (test/versions); 'none' for readings of which a node has one. */
export const FIRST_VENDORS: readonly (GpuVendor | 'none')[] = [...GPU_VENDORS, 'none'];

/** A durable reading was read again and has not changed: renews its age. Of `FIRST_READINGS` and `FIRST_VENDORS` alone. */
export interface ReadingConfirmed {
  readonly reading: string;
  readonly vendor: string;
  readonly source: string;
  readonly intervalMs: number;
}

/**
 * The source failed: the previous value stays, and ages. Or (`reading.absent`) this machine has nothing of the kind and
 * never will while it runs: the previous value is void.
 */
export interface ReadingFailed extends ReadingConfirmed {
  readonly reason: string;
  /** As of `Unknown`. */
  readonly code?: string;
}

/** The same of any reading, also of one that this version does not know. `reason` is '' where it is confirmed. */
export interface StatusTold extends ReadingFailed {
  readonly standing: 'confirmed' | 'failed' | 'absent';
}

/** What is held of the newest of these: whether the source of a reading confirms it, or why it does not. */
export type ReadingStatus =
  | (ReadingConfirmed & { readonly kind: 'confirmed' })
  | (ReadingFailed & { readonly kind: 'failed' | 'absent' });

/** Names a reading of one node: "memory", "gpus nvidia". */
export const readingKey = ({
  reading,
  vendor,
}: {
  readonly reading: string;
  readonly vendor: string;
}): string => (vendor === 'none' ? reading : `${reading} ${vendor}`);

/** Whether `reading.*` events can carry it. */
export const isFirstReading = ({ reading, vendor }: ReadingConfirmed): boolean =>
  FIRST_READINGS.some(one => one === reading) && FIRST_VENDORS.some(one => one === vendor);
