// A figure of a run as people write it, by the unit of its row: with the digits of a result, which is
// compared with others.

import { formatMeasuredNanoseconds } from '../../core/figure/duration.ts';
import { type Figure, formatBytes, formatCount, formatThreeDigits } from '../../core/figure/figure.ts';
import type { RateRow } from '../../core/run/run-rates.ts';
import type { SeriesRow } from '../../core/run/series-row.ts';

export const formatRunFigure = (unit: SeriesRow['unit'] | RateRow['unit'], value: number): Figure => {
  switch (unit) {
    case 'ns':
      return formatMeasuredNanoseconds(value);
    case 'bytes':
      return formatBytes(value);
    case 'tokens':
      return { figure: Number.isInteger(value) ? formatCount(value) : formatThreeDigits(value), unit: '' };
    case 'ratio':
      return { figure: formatThreeDigits(value), unit: '' };
    case 'req/s':
    case 'tok/s':
    case 'doc/s':
      return { figure: formatThreeDigits(value), unit };
    default:
      return unit satisfies never;
  }
};
