// Load, temperature and power of a whole machine. GPU devices report their own (gpu-load.ts).

import type { Reported } from '../unknown.ts';

export interface NodeSystem {
  /** Busy share of all processors over the last interval, 0..1. */
  readonly cpuUse: Reported<number>;
  readonly cpuTemperatureCelsius: Reported<number>;
  readonly cpuPowerWatts: Reported<number>;
  /** Measured at the wall or the battery, if the machine reports it. */
  readonly systemPowerWatts: Reported<number>;
  /** Runnable tasks, mean of the last minute. */
  readonly loadAverage1: Reported<number>;
  readonly uptimeSeconds: Reported<number>;
  /** Processors grouped as on the chip (efficiency and performance cores); empty if all are equal. */
  readonly cpuClusters: readonly CpuCluster[];
}

export interface CpuCluster {
  readonly name: string;
  /** 0..1 */
  readonly use: Reported<number>;
  readonly clockMhz: Reported<number>;
}
