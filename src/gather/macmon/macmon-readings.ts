// From a line of macmon, and what the system itself reports, to the readings.

import type { Reading } from '../../core/node/reading.ts';
import { knownOr, type Reported, unknown } from '../../core/unknown.ts';
import type { MachineHost } from '../machine-host.ts';
import type { MemoryGauge } from '../sysctl/memory-gauge.ts';
import type { MacmonProcessor, MacmonSample } from './parse-macmon.ts';

export const macmonMemory = (sample: MacmonSample, host: MachineHost, gauge: MemoryGauge): Reading =>
  macosMemory({
    totalBytes: knownOr(sample.memoryTotalBytes, host.memoryTotalBytes()),
    usedBytes: sample.memoryUsedBytes,
    swapTotalBytes: firstKnown(sample.swapTotalBytes, gauge.swap.totalBytes),
    swapUsedBytes: firstKnown(sample.swapUsedBytes, gauge.swap.usedBytes),
    gauge,
  });

export const macmonSystem = (
  sample: MacmonSample,
  host: MachineHost,
  processorUse: Reported<number>,
): Reading => ({
  kind: 'system',
  value: {
    cpuUse: firstKnown(sample.cpuUse, processorUse),
    cpuTemperatureCelsius: sample.cpuTemperatureCelsius,
    cpuPowerWatts: sample.cpuPowerWatts,
    systemPowerWatts: sample.systemPowerWatts,
    loadAverage1: host.loadAverage1(),
    uptimeSeconds: host.uptimeSeconds(),
    // macmon's own names: on M5 the chip has no efficiency cores, and which pair macmon then means is not documented.
    cpuClusters: [
      { name: 'E-cores', ...sample.efficiencyCores },
      { name: 'P-cores', ...sample.performanceCores },
    ].filter(isStated),
  },
});

export const macmonGpuLoads = (sample: MacmonSample): Reading => ({
  kind: 'gpuLoads',
  value: {
    vendor: 'apple',
    devices: [
      {
        deviceId: APPLE_GPU_ID,
        use: sample.gpu.use,
        memoryUsedBytes: unknown('unified memory'),
        memoryReservedUsedBytes: 0,
        temperatureCelsius: sample.gpuTemperatureCelsius,
        powerWatts: sample.gpuPowerWatts,
        clockMhz: sample.gpu.clockMhz,
        pcieNow: unknown('part of the chip'),
        throttleReasons: unknown('macmon does not report it'),
        processes: unknown('macmon does not report it'),
      },
    ],
  },
});

/** An Apple chip has one GPU, without an address or serial number. */
export const APPLE_GPU_ID = 'apple-0';

/** Memory of a Mac, whichever source reported its usage. */
export const macosMemory = (memory: {
  readonly totalBytes: number;
  readonly usedBytes: Reported<number>;
  readonly swapTotalBytes: Reported<number>;
  readonly swapUsedBytes: Reported<number>;
  readonly gauge: MemoryGauge;
}): Reading => ({
  kind: 'memory',
  value: {
    totalBytes: memory.totalBytes,
    availableBytes:
      typeof memory.usedBytes === 'number'
        ? Math.max(0, memory.totalBytes - memory.usedBytes)
        : memory.usedBytes,
    swapTotalBytes: memory.swapTotalBytes,
    swapUsedBytes: memory.swapUsedBytes,
    pressure: {
      level: memory.gauge.pressure,
      stalledShare: unknown('macOS does not measure it'),
    },
    container: { kind: 'none' },
    gpuNodeBytes: 0,
  },
});

const firstKnown = (first: Reported<number>, second: Reported<number>): Reported<number> =>
  typeof first === 'number' ? first : second;

const isStated = (cluster: MacmonProcessor): boolean =>
  typeof cluster.use === 'number' || typeof cluster.clockMhz === 'number';
