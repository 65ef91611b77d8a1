// The figures with a history that a card shows: name, newest value, series, scale.

import type { Figure } from '../../../src/core/figure/figure.ts';
import { FIGURE_UNITS, type FigureRow } from '../../../src/core/figure/figure-row.ts';
import { GPU_FIGURES, type GpuSubject } from '../../../src/core/node/gpu-figures.ts';
import { NODE_FIGURES } from '../../../src/core/node/node-figures.ts';
import type { NodeView } from '../../../src/core/node/node-view.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
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

export const hostRows = (view: NodeView): readonly DeviceRow[] => rowsOf(NODE_FIGURES, view, '');

export const gpuRows = (subject: GpuSubject): readonly DeviceRow[] =>
  rowsOf(GPU_FIGURES, subject, `gpu ${subject.gpu.device.deviceId} `);

const rowsOf = <Subject>(
  rows: readonly FigureRow<Subject>[],
  subject: Subject,
  prefix: string,
): readonly DeviceRow[] =>
  rows.flatMap(({ label, shortLabel = label, unit, of, history, high, isRare = false }) => {
    const value = of(subject);
    if (history === undefined || high === undefined || shortLabel === undefined) return [];
    if (typeof value === 'boolean') return [];
    if (isRare && (value === undefined || isUnknown(value))) return [];
    const { format } = FIGURE_UNITS[unit];
    return [
      {
        name: shortLabel,
        now: reportedFigure(value, format),
        series: `${prefix}${history}`,
        high: typeof high === 'number' ? high : high(subject),
        format,
      },
    ];
  });
