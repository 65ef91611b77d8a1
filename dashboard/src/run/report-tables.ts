// The table of percentiles of a finished run, with the figure that as many samples can vouch for.

import { figureText, formatCount } from '../../../src/core/figure/figure.ts';
import { spoiling } from '../../../src/core/run/contamination.ts';
import type { Report, ReportSeries } from '../../../src/core/run/report.ts';
import { SERIES_KEYS, seriesRow } from '../../../src/core/run/run-series.ts';
import { formatRunFigure } from '../../../src/render/run/format-run-figure.ts';
import { TOO_FEW } from '../../../src/render/run/percentile-text.ts';

interface PercentileRow {
  readonly name: string;
  /** By what is named above the figures. */
  readonly isSpoiled: boolean;
  readonly count: string;
  /** Of `REPORT_PERCENTILES`, in order. */
  readonly values: readonly string[];
  /** The estimates under each: '' below the median, "≤ 612 ms", "too few". */
  readonly estimates: readonly string[];
  readonly max: string;
  readonly mean: string;
}

export const REPORT_PERCENTILES: readonly string[] = ['1', '25', '50', '75', '90', '95', '99', '99.9'];

export const percentileRows = ({ series, contamination }: Report): readonly PercentileRow[] =>
  SERIES_KEYS.flatMap(key => {
    const figures = series[key];
    return figures === undefined || figures.count === 0
      ? []
      : [
          {
            ...percentileRow(seriesRow(key).shortLabel, figures),
            isSpoiled: spoiling({ contamination }, key).length > 0,
          },
        ];
  });

const percentileRow = (name: string, series: ReportSeries): Omit<PercentileRow, 'isSpoiled'> => {
  const text = (value: number | null | undefined): string =>
    value === null || value === undefined ? '–' : figureText(formatRunFigure(series.unit, value));
  return {
    name,
    count: formatCount(series.count),
    values: REPORT_PERCENTILES.map(percentile => text(series.percentiles[percentile])),
    estimates: REPORT_PERCENTILES.map(percentile => {
      const estimate = series.estimates?.[percentile];
      if (estimate === undefined) return '';
      return estimate === null ? TOO_FEW : text(estimate);
    }),
    max: text(series.max),
    mean: text(series.mean),
  };
};
