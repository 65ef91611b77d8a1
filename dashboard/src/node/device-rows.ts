// The figures with a history that a card shows: name, newest value, series, scale.

import {
  type Figure,
  formatBytes,
  formatCelsius,
  formatFinePercent,
  formatMegahertz,
  formatPercent,
  formatWatts,
} from '../../../src/core/figure/figure.ts';
import type { NodeMemory } from '../../../src/core/node/memory.ts';
import type { GpuView } from '../../../src/core/node/node-view.ts';
import type { NodeSystem } from '../../../src/core/node/system.ts';
import { isKnown, knownOr } from '../../../src/core/unknown.ts';
import { type ReportedText, reportedFigure } from '../figure/reported.ts';

export interface DeviceRow {
  readonly name: string;
  readonly now: ReportedText;
  /** Name of the series in the history. */
  readonly series: string;
  /** Top of the scale, in the series' unit. */
  readonly high: number;
  readonly format: (value: number) => Figure;
}

export const hostRows = (
  memory: NodeMemory | undefined,
  system: NodeSystem | undefined,
): readonly DeviceRow[] => {
  const rows: DeviceRow[] = [
    {
      name: 'CPU',
      now: reportedFigure(system?.cpuUse, formatPercent),
      series: 'cpuUse',
      high: 1,
      format: formatPercent,
    },
    {
      name: 'Memory pressure',
      now: reportedFigure(memory?.pressure.stalledShare, formatFinePercent),
      series: 'memoryStalledShare',
      high: 0.1,
      format: formatFinePercent,
    },
    {
      name: 'Swap',
      now: reportedFigure(memory?.swapUsedBytes, formatBytes),
      series: 'swapUsedBytes',
      high: Math.max(1, knownOr(memory?.swapTotalBytes, 1) ?? 1),
      format: formatBytes,
    },
  ];
  if (system !== undefined && isKnown(system.cpuTemperatureCelsius)) {
    rows.push({
      name: 'Temperature',
      now: reportedFigure(system.cpuTemperatureCelsius, formatCelsius),
      series: 'cpuTemperatureCelsius',
      high: 90,
      format: formatCelsius,
    });
  }
  if (system !== undefined && isKnown(system.systemPowerWatts)) {
    rows.push({
      name: 'Power',
      now: reportedFigure(system.systemPowerWatts, formatWatts),
      series: 'systemPowerWatts',
      high: 100,
      format: formatWatts,
    });
  }
  return rows;
};

export const gpuRows = ({ device, load }: GpuView): readonly DeviceRow[] => [
  {
    name: 'Use',
    now: reportedFigure(load?.use, formatPercent),
    series: `gpu ${device.deviceId} use`,
    high: 1,
    format: formatPercent,
  },
  {
    name: 'Temperature',
    now: reportedFigure(load?.temperatureCelsius, formatCelsius),
    series: `gpu ${device.deviceId} temperatureCelsius`,
    high: 90,
    format: formatCelsius,
  },
  {
    name: 'Power',
    now: reportedFigure(load?.powerWatts, formatWatts),
    series: `gpu ${device.deviceId} powerWatts`,
    high: knownOr(device.powerLimitWatts, 100),
    format: formatWatts,
  },
  {
    name: 'Clock',
    now: reportedFigure(load?.clockMhz, formatMegahertz),
    series: `gpu ${device.deviceId} clockMhz`,
    high: 2_500,
    format: formatMegahertz,
  },
];
