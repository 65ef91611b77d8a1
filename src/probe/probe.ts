// The interface between the parts of probing: engines measure, the reconciler decides when, and neither
// depends on the other. Everything that measures runs in a child process that is killed at its deadline; how
// it ended is returned as data.

import type { Clock } from '../clock/clock.ts';
import type { LinkProfile } from '../core/link/link-profile.ts';
import type { GpuVendor } from '../core/node/gpu.ts';
import type { GpuProfile } from '../core/node/gpu-profile.ts';
import type { ProbeErrorCode } from './socket/probe-error.ts';

/** What an engine measures of a connection; the reconciler adds whose it is and when the next is due. */
export type LinkMeasurement = Omit<
  LinkProfile,
  'sink' | 'connectionKey' | 'extrasAgeMs' | 'measuredAgeMs' | 'intervalMs' | 'failure'
>;

export type DeviceMeasurement = Omit<GpuProfile, 'measuredAgeMs' | 'intervalMs' | 'failure'>;

export type ProbeOutcome<T> = { readonly kind: 'measured'; readonly measurement: T } | FailedProbe;

export interface FailedProbe {
  readonly kind: 'failed';
  readonly reason: string;
  /** A ProbeFailureCode, or the system's ("ENOENT"); missing if only the reason is known. */
  readonly code?: string;
  /** What it cost even so, payload bytes of both directions; 0 for devices. */
  readonly bytesUsed: number;
}

/** Stable: it is part of the profile's `failure`, and programs compare it. */
export type ProbeFailureCode =
  | ProbeErrorCode
  /** It took longer than a probe may, and was stopped. */
  | 'deadline'
  /** Nothing on this machine measures such a connection. */
  | 'no-engine'
  /** This version does not understand the sink's reply. */
  | 'not-understood'
  /** The sink is willing, but cannot. */
  | 'sink-failed';

/** A device that can be measured. "cpu" means the processor of a machine without a GPU. */
export interface ProbeDevice {
  readonly deviceId: string;
  readonly deviceName: string;
  readonly vendor: GpuVendor | 'cpu';
}

/** Measures one device; rejects only on an abort. */
export type ProbeDeviceNow = (
  device: ProbeDevice,
  signal: AbortSignal,
) => Promise<ProbeOutcome<DeviceMeasurement>>;

// A probe with a deadline: its signal aborts then, and its locks are released when it has really ended, which its
// engine guarantees within a second of the abort by killing its child.
type Timed<T> = { readonly kind: 'done'; readonly value: T } | { readonly kind: 'late' };

/**
 * Runs the work to its end, however late that is.
 * @throws what the work throws, unless its time ran out; the outer signal's reason when it aborts.
 */
export const withDeadline = async <T>(
  clock: Clock,
  durationMs: number,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<Timed<T>> => {
  const late = new AbortController();
  const timer = new AbortController();
  const sleeping = clock.sleep(durationMs, timer.signal).then(
    () => late.abort(new DOMException('the probe took too long', 'TimeoutError')),
    () => undefined, // it ended before
  );
  try {
    const value = await work(AbortSignal.any([outer, late.signal]));
    outer.throwIfAborted();
    return { kind: 'done', value };
  } catch (error) {
    outer.throwIfAborted();
    if (late.signal.aborted) return { kind: 'late' };
    throw error;
  } finally {
    timer.abort();
    await sleeping;
  }
};
