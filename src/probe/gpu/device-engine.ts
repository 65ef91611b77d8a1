// The port of everything that measures a device. An engine measures in a child process; if it cannot, it
// returns the reason, and another one is tried.

import type { Env } from '../../process/child.ts';
import type { DeviceMeasurement, ProbeDevice, ProbeOutcome } from '../probe.ts';

export interface DeviceEngine {
  /** As profiles name it: "cuda". */
  readonly name: string;
  /** Whether it supports such a device at all. */
  suits(device: ProbeDevice): boolean;
  /** Rejects only on an abort. */
  measure(device: ProbeDevice, signal: AbortSignal): Promise<ProbeOutcome<DeviceMeasurement>>;
}

export interface EngineOptions {
  readonly env: Env;
  /** process.execPath */
  readonly nodePath: string;
}
