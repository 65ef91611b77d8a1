// Puts the rows of one tick together. The tool prints one row a device each second with nothing in between, so a tick is
// complete when it has as many rows as the tool says it has devices, or when a device comes round again (one vanished).

import type { GpuLoad } from '../../core/node/gpu.ts';
import type { LoadRow } from './load-query.ts';

export class TickCollector {
  #loads = new Map<string, GpuLoad>();

  /** The tick that this row completes, in the tool's order. */
  add(row: LoadRow): readonly GpuLoad[] | undefined {
    let complete: readonly GpuLoad[] | undefined;
    if (this.#loads.has(row.load.deviceId) || this.#loads.size >= DEVICES_MAX) complete = this.#take();
    this.#loads.set(row.load.deviceId, row.load);
    return this.#loads.size === row.deviceCount ? this.#take() : complete;
  }

  #take(): readonly GpuLoad[] {
    const loads = [...this.#loads.values()];
    this.#loads = new Map();
    return loads;
  }
}

/** No machine has more; a tool that prints garbage might. */
const DEVICES_MAX = 256;
