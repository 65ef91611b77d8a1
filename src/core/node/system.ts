// Load, temperature and power of a whole machine. GPU devices report their own (gpu-load.ts).

import type { Reported } from '../unknown.ts';

export interface NodeSystem {
  /** Busy share of all processors over the last interval, 0..1. */
  readonly cpuUse: Reported<number>;
  readonly cpuTemperatureCelsius: Reported<number>;
  readonly cpuPowerWatts: Reported<number>;
  /** At the wall or the battery, where the machine can tell. */
  readonly systemPowerWatts: Reported<number>;
  /** Runnable tasks, mean of the last minute. */
  readonly loadAverage1: Reported<number>;
  readonly uptimeSeconds: Reported<number>;
  /** Processors grouped as the chip groups them (efficiency and performance cores); empty where all are alike. */
  readonly cpuClusters: readonly CpuCluster[];
}

export interface CpuCluster {
  readonly name: string;
  /** 0..1 */
  readonly use: Reported<number>;
  readonly clockMhz: Reported<number>;
}
