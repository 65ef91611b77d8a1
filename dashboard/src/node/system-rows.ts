// Load, temperature and power of a machine as a table: also figures without a line on the card, and why something is unknown.

import {
  figureText,
  formatCelsius,
  formatMegahertz,
  formatPercent,
  formatWatts,
} from '../../../src/core/figure/figure.ts';
import type { CpuCluster, NodeSystem } from '../../../src/core/node/system.ts';
import { isKnown } from '../../../src/core/unknown.ts';
import { type ReportedText, reportedFigure } from '../figure/reported.ts';

interface SystemRow {
  readonly name: string;
  readonly now: ReportedText;
}

export const systemRows = (system: NodeSystem): readonly SystemRow[] => [
  { name: 'CPU', now: reportedFigure(system.cpuUse, formatPercent) },
  ...system.cpuClusters.map(cluster => ({ name: `CPU, ${cluster.name}`, now: clusterText(cluster) })),
  { name: 'CPU temperature', now: reportedFigure(system.cpuTemperatureCelsius, formatCelsius) },
  { name: 'CPU power', now: reportedFigure(system.cpuPowerWatts, formatWatts) },
  { name: 'Power of the machine', now: reportedFigure(system.systemPowerWatts, formatWatts) },
  {
    name: 'Load, 1 min',
    now: reportedFigure(system.loadAverage1, load => ({ figure: load.toFixed(2), unit: '' })),
  },
];

const clusterText = ({ use, clockMhz }: CpuCluster): ReportedText => {
  const shown = reportedFigure(use, formatPercent);
  if (shown.reason !== '' || !isKnown(clockMhz)) return shown;
  return { text: `${shown.text} · ${figureText(formatMegahertz(clockMhz))}`, reason: '' };
};
