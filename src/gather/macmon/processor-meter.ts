// Busy share of all processors between two looks at the system's counters.

import { type Reported, unknown } from '../../core/unknown.ts';
import type { ProcessorTimes } from '../macos-host.ts';

export class ProcessorMeter {
  readonly #times: () => ProcessorTimes;
  #before: ProcessorTimes;

  constructor(times: () => ProcessorTimes) {
    this.#times = times;
    this.#before = times();
  }

  /** 0..1 since the last call; unknown when no time has passed or the counters stepped back. */
  use(): Reported<number> {
    const now = this.#times();
    const totalMs = now.totalMs - this.#before.totalMs;
    const busyMs = now.busyMs - this.#before.busyMs;
    this.#before = now;
    if (totalMs <= 0 || busyMs < 0) return unknown('not measured yet');
    return Math.min(1, busyMs / totalMs);
  }
}
