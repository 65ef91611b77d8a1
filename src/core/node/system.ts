// Load, temperature and power of a whole machine. GPU devices report their own (gpu-load.ts).

import { figure, type Infer, list, openObject, reported, share, text } from '../schema.ts';

const cpuClusterSchema = openObject({
  name: text,
  /** 0..1 */
  use: reported(share),
  clockMhz: reported(figure),
});

export type CpuCluster = Infer<typeof cpuClusterSchema>;

export const nodeSystemSchema = openObject({
  /** Busy share of all processors over the last interval, 0..1. */
  cpuUse: reported(share),
  cpuTemperatureCelsius: reported(figure),
  cpuPowerWatts: reported(figure),
  /** Measured at the wall or the battery, if the machine reports it. */
  systemPowerWatts: reported(figure),
  /** Runnable tasks, mean of the last minute. */
  loadAverage1: reported(figure),
  uptimeSeconds: reported(figure),
  /** Processors grouped as on the chip (efficiency and performance cores); empty if all are equal. */
  cpuClusters: list(cpuClusterSchema),
});

export type NodeSystem = Infer<typeof nodeSystemSchema>;
