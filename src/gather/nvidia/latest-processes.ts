// The processes on each device as the inventory last reported them, for the loads that come every second: reading them each time
// would cost an initialisation of the driver.

import type { GpuProcess } from '../../core/node/gpu.ts';
import { type Reported, unknown } from '../../core/unknown.ts';
import type { ProcessesByDevice } from './parse-processes.ts';

export class LatestProcesses {
  readonly #freshMs: number;
  #byDevice: ProcessesByDevice = new Map();
  #lastMessageAtMs = Number.NEGATIVE_INFINITY;

  /** @param freshMs after so long without news they are unknown. */
  constructor(freshMs: number) {
    this.#freshMs = freshMs;
  }

  receive(byDevice: ProcessesByDevice, nowMs: number): void {
    this.#byDevice = byDevice;
    this.#lastMessageAtMs = nowMs;
  }

  of(deviceId: string, nowMs: number): Reported<readonly GpuProcess[]> {
    if (nowMs - this.#lastMessageAtMs > this.#freshMs) return unknown('not read lately');
    return this.#byDevice.get(deviceId) ?? unknown('the device was not listed');
  }
}
