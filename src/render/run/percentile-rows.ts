// The percentiles of the series of a run: what so many requests can vouch for, and how far the client may be off.

import { figureText, formatCount, UNKNOWN_FIGURE } from '../../core/figure/figure.ts';
import { SPOILED_MARK, spoiling } from '../../core/run/contamination.ts';
import { boundText, unboundedReason, unboundedText } from '../../core/run/figure-verdict.ts';
import type { Report, ReportSeries } from '../../core/run/report.ts';
import { type SeriesKey, seriesRow } from '../../core/run/run-series.ts';
import { zeroCount } from '../../core/statistics/log-buckets.ts';
import { capitalized } from '../../core/text/single-line.ts';
import { type Section, type SectionCell, withRows } from '../section.ts';
import { formatRunFigure } from './format-run-figure.ts';
import { intervalText, TOO_FEW, vouchedPercentile } from './percentile-text.ts';
import { whyNoRow } from './report-summary.ts';

/** @param keys the series, in this order; those without a value are left out */
export const percentileSection = (report: Report, title: string, keys: readonly SeriesKey[]): Section => {
  const { series, rateBounds } = report;
  const rows = keys.flatMap(key => {
    const one = series[key];
    return one === undefined || one.count === 0 ? [] : [seriesCells(report, key, one)];
  });
  const reason = unboundedReason(series, rateBounds);
  const gaps = keys.includes('chunkGapNs') ? series.chunkGapNs : undefined;
  const merged = gaps === undefined ? 0 : zeroCount(gaps);
  return {
    key: title,
    title,
    tables: withRows({
      name: title,
      columns: ['series', ...SHOWN.map(each => `p${each}`), 'p99 at most', 'max', 'mean ± sd', 'n'],
      rows,
      leaving: [SHOWN.flatMap((each, at) => (ON_PAPER.includes(each) ? [] : [at + 1]))],
    }),
    remarks: [
      ...(rows.length === 0 ? [`${capitalized(whyNoRow(report))}.`] : []),
      ...(keys.includes('latencyNs') && reason !== undefined
        ? [`${capitalized(unboundedText(reason))}.`]
        : []),
      ...(merged === 0
        ? []
        : [
            `${formatCount(merged)} of ${formatCount(gaps?.count ?? 0)} gaps between chunks are 0: those chunks arrived together.`,
          ]),
    ],
  };
};

export const PERCENTILES_NOTE =
  'over completed requests. “At most”: with 99 % confidence, p99 is no higher (MLPerf early stopping)';

const seriesCells = (report: Report, key: SeriesKey, one: ReportSeries): readonly SectionCell[] => {
  const shown = (value: number | null | undefined): SectionCell & object =>
    value === null || value === undefined ? UNKNOWN_FIGURE : formatRunFigure(one.unit, value);
  const { mean, stdDev } = one;
  return [
    `${capitalized(seriesRow(key).label)}${spoiling(report, key).length > 0 ? SPOILED_MARK : ''}`,
    ...SHOWN.map(each => percentileCell(one, each)),
    shown(one.estimates?.['99']),
    shown(one.max),
    {
      ...(mean === null ? UNKNOWN_FIGURE : formatRunFigure(one.unit, mean)),
      note: stdDev === null ? '' : `± ${figureText(formatRunFigure(one.unit, stdDev))}`,
    },
    formatCount(one.count),
  ];
};

const percentileCell = (one: ReportSeries, percentile: string): SectionCell => {
  const vouched = vouchedPercentile(one, percentile);
  if (vouched.kind === 'none') return UNKNOWN_FIGURE;
  if (vouched.kind === 'too-few') return { ...UNKNOWN_FIGURE, note: TOO_FEW };
  return {
    ...formatRunFigure(one.unit, vouched.value),
    note:
      vouched.kind === 'interval'
        ? intervalText(one.unit, vouched)
        : boundText(one.errorBound?.percentiles[percentile]),
  };
};

const SHOWN: readonly string[] = ['1', '25', '50', '75', '90', '95', '99', '99.9'];
const ON_PAPER: readonly string[] = ['50', '90', '99'];
