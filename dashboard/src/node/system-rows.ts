// Load, temperature and power of a machine as a table: also figures without a line on the card, and why something is unknown.

import { figureText, formatMegahertz, formatPercent } from '../../../src/core/figure/figure.ts';
import { FIGURE_UNITS } from '../../../src/core/figure/figure-row.ts';
import { NODE_FIGURES } from '../../../src/core/node/node-figures.ts';
import type { NodeView } from '../../../src/core/node/node-view.ts';
import { knownValue } from '../../../src/core/node/reading-view.ts';
import type { CpuCluster } from '../../../src/core/node/system.ts';
import { isKnown } from '../../../src/core/unknown.ts';
import { type ReportedText, reportedFigure } from '../figure/reported.ts';

interface SystemRow {
  readonly name: string;
  readonly now: ReportedText;
}

/** Processors grouped as on the chip come after all of them. */
export const systemRows = (view: NodeView): readonly SystemRow[] => {
  const [all, ...rest] = NODE_FIGURES.filter(({ aging }) => aging === 'system').map(({ label, unit, of }) => {
    const value = of(view);
    return {
      name: label ?? '',
      now: reportedFigure(typeof value === 'boolean' ? undefined : value, FIGURE_UNITS[unit].format),
    };
  });
  const clusters = (knownValue(view.system)?.cpuClusters ?? []).map(cluster => ({
    name: `CPU, ${cluster.name}`,
    now: clusterText(cluster),
  }));
  return all === undefined ? clusters : [all, ...clusters, ...rest];
};

const clusterText = ({ use, clockMhz }: CpuCluster): ReportedText => {
  const shown = reportedFigure(use, formatPercent);
  if (shown.reason !== '' || !isKnown(clockMhz)) return shown;
  return { text: `${shown.text} · ${figureText(formatMegahertz(clockMhz))}`, reason: '' };
};
