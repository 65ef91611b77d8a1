// Load, temperature and power of a whole machine. GPU devices report their own (gpu-load.ts).

import { figure, type Infer, list, openObject, reported, share, text } from '../schema.ts';
import type { Reported } from '../unknown.ts';

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
  cpuClusters: list(openObject({ name: text, use: reported(share), clockMhz: reported(figure) })),
});

export type NodeSystem = Infer<typeof nodeSystemSchema>;

export interface CpuCluster {
  readonly name: string;
  /** 0..1 */
  readonly use: Reported<number>;
  readonly clockMhz: Reported<number>;
}
