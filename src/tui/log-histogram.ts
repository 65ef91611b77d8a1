// A log-spaced histogram as three lines of a terminal: bars of eighths, and the ends of the range beneath.

import { maximumOf } from '../core/extremes.ts';
import { formatCount } from '../core/figure/figure.ts';
import type { SeriesMetric } from '../core/run/snapshot.ts';
import { textWidth } from '../core/text/columns.ts';
import { type Line, part } from './part.ts';
import { liveFigureText } from './watched-run.ts';

/** Empty while nothing was observed. */
export const renderLogHistogram = (
  { histogram, unit }: SeriesMetric,
  label: string,
  columns: number,
): readonly Line[] => {
  const first = histogram[0];
  const last = histogram.at(-1);
  if (first === undefined || last === undefined) return [];
  const most = maximumOf(histogram.map(([, , count]) => count));
  const wide = Math.max(1, Math.min(2, Math.floor((columns - INDENT.length) / histogram.length)));
  const rows = [...Array(ROWS).keys()].reverse().map((row): Line => {
    const bars = histogram.map(([, , count]) => barAt(row, most === 0 ? 0 : count / most).repeat(wide));
    return [part(INDENT), part(bars.join(''), 'water')];
  });
  const low = liveFigureText(unit, first[0]);
  const high = liveFigureText(unit, last[1]);
  const width = histogram.length * wide;
  const gap = ' '.repeat(Math.max(1, width - textWidth(low) - textWidth(high)));
  return [
    [part(`${INDENT}${label}, logarithmic, ${formatCount(most)} in the tallest bar`, 'dim')],
    ...rows,
    [part(`${INDENT}${low}${gap}${high}`, 'dim')],
  ];
};

/** The part of a bar of height 0..1 in a row; anything above 0 shows at least a trace. */
const barAt = (row: number, height: number): string => {
  const eighths = height === 0 ? 0 : Math.max(1, Math.round(height * ROWS * 8));
  return EIGHTHS[Math.min(8, Math.max(0, eighths - row * 8))] ?? ' ';
};

const EIGHTHS = ' ▁▂▃▄▅▆▇█';
const ROWS = 3;
const INDENT = '  ';
