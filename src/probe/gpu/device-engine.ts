// The port of everything that measures a device. An engine runs what it measures in a child process; it says why it cannot,
// and then another one may.

import type { Env } from '../../process/child.ts';
import type { DeviceMeasurement, ProbeDevice, ProbeOutcome } from '../probe.ts';

export interface DeviceEngine {
  /** As profiles name it: "cuda". */
  readonly name: string;
  /** Whether it could measure such a device at all. */
  suits(device: ProbeDevice): boolean;
  /** Never rejects but for an abort. */
  measure(device: ProbeDevice, signal: AbortSignal): Promise<ProbeOutcome<DeviceMeasurement>>;
}

export interface EngineOptions {
  readonly env: Env;
  /** process.execPath */
  readonly nodePath: string;
}
