// The percentiles of the series of a run: what so many requests can vouch for, and how far the client may be off. A figure
// that is missing has a dash and the reason in one word.

import { type Figure, figureText, formatCount, UNKNOWN_FIGURE } from '../../core/figure/figure.ts';
import { SPOILED_MARK, spoiling } from '../../core/run/contamination.ts';
import { boundText, unboundedReason, unboundedText } from '../../core/run/figure-verdict.ts';
import type { Report, ReportSeries } from '../../core/run/report.ts';
import { type SeriesKey, seriesOf, seriesRow } from '../../core/run/run-series.ts';
import { zeroCount } from '../../core/statistics/log-buckets.ts';
import { capitalized } from '../../core/text/single-line.ts';
import { type Section, type SectionCell, sectionCellText, withRows } from '../section.ts';
import { formatRunFigure } from './format-run-figure.ts';
import {
  DASH_WORDS,
  dashLegend,
  dashText,
  INTERVAL_NOTE,
  intervalText,
  narrowInterval,
  TABLE_PERCENTILES,
  vouchedPercentile,
} from './percentile-text.ts';
import { whyNoRow } from './report-summary.ts';

/** @param keys the series, in this order; those without a value are left out */
export const percentileSection = (report: Report, title: string, keys: readonly SeriesKey[]): Section => {
  const { series, rateBounds } = report;
  const rows = rowsOf(report, keys, wholeCells);
  const reason = unboundedReason(series, rateBounds);
  const gaps = keys.includes('chunkGapNs') ? series.chunkGapNs : undefined;
  const merged = gaps === undefined ? 0 : zeroCount(gaps);
  return {
    key: title,
    title,
    tables: withRows({
      name: title,
      columns: ['series', 'mean ± sd', ...SHOWN.map(each => `p${each}`), 'p99 at most', 'max', 'n'],
      rows,
      leaving: [SHOWN.flatMap((each, at) => (ON_PAPER.includes(each) ? [] : [at + 2]))],
    }),
    remarks: [
      ...legendOf(rows),
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

/**
 * For a screen of 80 columns: short names, and intervals in one column, the lowest in which the first series needs one.
 */
export const shortPercentiles = (report: Report): Pick<Section, 'tables' | 'remarks'> => {
  const keys = seriesOf('headline', 'detail').filter(key => report.series[key]?.max !== 0);
  const [first] = keys.flatMap(key => report.series[key] ?? []).filter(({ count }) => count > 0);
  const ranged = TABLE_PERCENTILES.find(each => vouchedPercentile(first, each).kind === 'interval');
  const rows = rowsOf(report, keys, shortCells(ranged));
  const columns = ['', 'mean', ...TABLE_PERCENTILES.map(each => `p${each}`), 'p99 ≤', 'max', 'n'];
  const leaving = ['p99 ≤', 'n', 'p90', 'p95'].map(name => [columns.indexOf(name)]);
  return {
    tables: withRows({ name: 'Percentiles', columns, rows, leaving }),
    remarks: rows.length === 0 ? [whyNoRow(report)] : legendOf(rows),
  };
};

type CellsOf = (one: ReportSeries) => readonly SectionCell[];

const rowsOf = (
  report: Report,
  keys: readonly SeriesKey[],
  { name, cells }: { readonly name: (key: SeriesKey) => string; readonly cells: CellsOf },
): readonly (readonly SectionCell[])[] =>
  keys.flatMap(key => {
    const one = report.series[key];
    if (one === undefined || one.count === 0) return [];
    const mark = spoiling(report, key).length > 0 ? SPOILED_MARK : '';
    return [[`${name(key)}${mark}`, ...cells(one), formatCount(one.count)]];
  });

const wholeCells: Parameters<typeof rowsOf>[2] = {
  name: key => capitalized(seriesRow(key).label),
  cells: one => {
    const { unit, stdDev } = one;
    const mean = valueCell(one, one.mean);
    return [
      stdDev === null ? mean : { ...mean, note: `± ${figureText(formatRunFigure(unit, stdDev))}` },
      ...SHOWN.map(each => wholePercentile(one, each)),
      estimateCell(one),
      valueCell(one, one.max),
    ];
  },
};

const shortCells = (ranged: string | undefined): Parameters<typeof rowsOf>[2] => ({
  name: key => seriesRow(key).shortLabel,
  cells: one => [
    valueCell(one, one.mean),
    ...TABLE_PERCENTILES.map(each => shortPercentile(one, each, each === ranged)),
    estimateCell(one),
    valueCell(one, one.max),
  ],
});

const wholePercentile = (one: ReportSeries, percentile: string): SectionCell => {
  const vouched = vouchedPercentile(one, percentile);
  if (vouched.kind === 'none') return NONE;
  if (vouched.kind === 'too-few') return FEW;
  return {
    ...formatRunFigure(one.unit, vouched.value),
    note:
      vouched.kind === 'interval'
        ? intervalText(one.unit, vouched)
        : boundText(one.errorBound?.percentiles[percentile]),
  };
};

const shortPercentile = (one: ReportSeries, percentile: string, hasRoom: boolean): SectionCell => {
  const vouched = vouchedPercentile(one, percentile);
  if (vouched.kind === 'none') return NONE;
  if (vouched.kind === 'too-few' || (vouched.kind === 'interval' && !hasRoom)) return FEW;
  const figure = formatRunFigure(one.unit, vouched.value);
  return {
    ...figure,
    note: vouched.kind === 'interval' ? narrowInterval(one.unit, vouched, figure.unit) : '',
  };
};

/** With 99 % confidence p99 is no higher. */
const estimateCell = (one: ReportSeries): SectionCell =>
  one.estimates?.['99'] === null ? FEW : valueCell(one, one.estimates?.['99']);

const valueCell = ({ unit }: ReportSeries, value: number | null | undefined): Figure =>
  value === null || value === undefined ? NONE : formatRunFigure(unit, value);

const legendOf = (rows: readonly (readonly SectionCell[])[]): readonly string[] => {
  const texts = rows.flat().map(sectionCellText);
  const words = dashLegend(DASH_WORDS.filter(word => texts.includes(dashText(word))));
  const hasInterval = texts.some(text => / \((?:≥|[\d.])/u.test(text));
  const parts = [...(words === '' ? [] : [words]), ...(hasInterval ? [INTERVAL_NOTE] : [])];
  return parts.length === 0 ? [] : [parts.join('; ')];
};

const FEW = { ...UNKNOWN_FIGURE, note: 'few' } as const;
const NONE = { ...UNKNOWN_FIGURE, note: 'none' } as const;
const SHOWN: readonly string[] = ['1', '25', '50', '75', '90', '95', '99', '99.9'];
const ON_PAPER: readonly string[] = TABLE_PERCENTILES;
