// The GPUs of one machine as a table, one row each: what they do now, and what they were measured at.

import {
  type Figure,
  figureText,
  formatBytesOf,
  formatBytesPerSecond,
  formatCelsius,
  formatFlopsPerSecond,
  formatPercent,
  formatWatts,
  UNKNOWN_FIGURE,
} from '../core/figure/figure.ts';
import type { GpuView } from '../core/node/node-view.ts';
import { isKnown, knownOr, type Reported } from '../core/unknown.ts';
import { type Line, part } from './part.ts';
import { type Column, layoutTable } from './table.ts';

/** Empty where there is none. */
export const gpuTable = (gpus: readonly GpuView[], columns: number): readonly Line[] =>
  gpus.length === 0 ? [] : layoutTable(COLUMNS, gpus.map(cellsOf), columns);

const cellsOf = ({ device, load, isLoadStale, profile }: GpuView): readonly Line[] => {
  const now = (value: Reported<number> | undefined, format: (known: number) => Figure): Line =>
    value !== undefined && isKnown(value)
      ? [part(figureText(format(value)), isLoadStale ? 'caution' : 'plain')]
      : UNKNOWN;
  const measured = (value: Reported<number> | undefined, format: (known: number) => Figure): Line =>
    value !== undefined && isKnown(value)
      ? [part(`${profile?.value.isLowerBound === true ? '≥ ' : ''}${figureText(format(value))}`)]
      : UNKNOWN;
  const total = knownOr(device.memoryTotalBytes, undefined);
  return [
    [part(`${device.index}`, 'strong')],
    [part(device.name)],
    now(load?.use, formatPercent),
    device.memoryIsUnified && total === undefined
      ? [part('unified', 'dim')]
      : now(load?.memoryUsedBytes, used => formatBytesOf(used, total ?? used)),
    now(load?.temperatureCelsius, formatCelsius),
    now(load?.powerWatts, formatWatts),
    measured(profile?.value.fp16FlopsPerSecond, formatFlopsPerSecond),
    measured(profile?.value.memoryReadBytesPerSecond, formatBytesPerSecond),
    [part(knownOr(load?.throttleReasons ?? [], []).join(', '), 'caution')],
  ];
};

const UNKNOWN: Line = [part(UNKNOWN_FIGURE.figure, 'dim')];
const COLUMNS: readonly Column[] = [
  { title: 'GPU', isNumber: true, widthMax: 4, rank: 0 },
  { title: 'Name', isNumber: false, widthMax: 28, rank: 4 },
  { title: 'Use', isNumber: true, widthMax: 6, rank: 0 },
  { title: 'Memory', isNumber: true, widthMax: 18, rank: 1 },
  { title: 'Temp', isNumber: true, widthMax: 6, rank: 0 },
  { title: 'Power', isNumber: true, widthMax: 8, rank: 2 },
  { title: 'FP16', isNumber: true, widthMax: 14, rank: 3 },
  { title: 'Mem. read', isNumber: true, widthMax: 12, rank: 3 },
  { title: 'Throttled', isNumber: false, widthMax: 30, rank: 5 },
];
