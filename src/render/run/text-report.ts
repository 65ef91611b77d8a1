// A report as text: the part that fits on a screen first, with reasons for distrust at its top, then everything.

import { maximumOf } from '../../core/extremes.ts';
import { formatMeasuredNanoseconds, nanosecondsTicks } from '../../core/figure/duration.ts';
import { figureText, formatBytes, formatCount } from '../../core/figure/figure.ts';
import { contaminationLines } from '../../core/run/contamination.ts';
import type { Report, ReportSeries } from '../../core/run/report.ts';
import { RUN_RATES } from '../../core/run/run-rates.ts';
import { isSeriesKey, SERIES_KEYS, seriesOf, seriesRow } from '../../core/run/run-series.ts';
import { zeroCount } from '../../core/statistics/log-buckets.ts';
import { inColumns, paddedStart, textWidth, wrapped } from '../../core/text/columns.ts';
import { capitalized, showable } from '../../core/text/single-line.ts';
import { knownOr } from '../../core/unknown.ts';
import { sectionLines } from '../section.ts';
import { asciiOf } from '../text/ascii.ts';
import { failureSection } from './failure-rows.ts';
import { objectiveSentence } from './objective-labels.ts';
import { dashLegend, dashText, TOO_FEW } from './percentile-text.ts';
import { whyNoRow } from './report-summary.ts';
import { runSections } from './run-sections.ts';
import { shortReport } from './short-report.ts';
import { settingRows } from './text-requests.ts';

interface TextReportOptions {
  /** false: only ASCII. */
  readonly isUnicode: boolean;
  /** After the first screen, everything that the report contains. */
  readonly isFull: boolean;
  /** Of the terminal; by default the first screen has 80, and what follows it whole lines. */
  readonly columns?: number;
}

export const renderReport = (
  report: Report,
  { isUnicode, isFull, columns }: TextReportOptions,
): readonly string[] => {
  const full = isFull ? ['', '', ...everything(report)] : [];
  const lines = [
    ...shortReport(report, columns ?? SCREEN_COLUMNS),
    ...(columns === undefined ? full : full.flatMap(line => wrapped(line, columns))),
  ];
  return lines.map(line => {
    // Names of models and targets come from outside, and must not send control sequences to a terminal.
    const text = showable(line, '?');
    return isUnicode ? text : asciiOf(text);
  });
};

const everything = (report: Report): readonly string[] => [
  ...failures(report),
  'How it was run',
  ...inColumns(settingRows(report)),
  ...objectives(report),
  '',
  ...seriesTable(report),
  ...seriesBlocks(report),
  ...runSections(report).flatMap(sectionLines),
  ...list('Contamination of figures', contaminationLines(report)),
  ...list('Notices', report.notices),
  '',
  ...DEFINITIONS,
];

const failures = (report: Report): readonly string[] => {
  const section = failureSection(report);
  return section === undefined ? [] : [...sectionLines(section).slice(1), ''];
};

const objectives = (report: Report): readonly string[] =>
  knownOr(report.objectiveAnswers, []).map(answer => `  objective ${objectiveSentence(answer)}`);

const list = (title: string, remarks: readonly string[]): readonly string[] =>
  remarks.length === 0 ? [] : sectionLines({ key: title, title, remarks });

const definition = (label: string, help: string): string => `${capitalized(label)}: ${help}`;

const DEFINITIONS: readonly string[] = [
  'Times start when the request is written; stamps are taken where bytes arrive, before parsing.',
  ...seriesOf('headline').map(key => definition(seriesRow(key).label, seriesRow(key).help)),
  definition(RUN_RATES.windowNs.label, RUN_RATES.windowNs.help),
  'Failed requests are in no series and no rate; "failures as ∞" counts each as longer than any other. "99% confident" is the',
  'early-stopping estimate: with 99% confidence the true percentile is no higher.',
  'All definitions: docs/metrics.md.',
];

// The series of a report as lines: a table of all, and for the times a block each with every percentile and a histogram.
const seriesTable = (report: Report): readonly string[] => {
  const rows = inOrder(report.series)
    .filter(([, { count, max }]) => count > 0 && max !== 0)
    .map(([name, one]) => {
      const { percentiles } = one;
      const cells = [
        one.mean,
        percentiles['50'],
        percentiles['90'],
        percentiles['95'],
        percentiles['99'],
        percentiles['99.9'],
        one.max,
      ];
      return [name, formatCount(one.count), ...cells.map(value => shown(one, value))];
    });
  if (rows.length === 0) return [`  ${whyNoRow(report)}`];
  const head = ['', 'n', 'mean', 'p50', 'p90', 'p95', 'p99', 'p99.9', 'max'];
  const isShort = rows.flat().includes(NOT_REPORTED);
  return [
    ...inColumns([head, ...rows], { hasFigures: true }),
    ...(isShort ? [`  ${dashLegend(['none'])}`] : []),
  ];
};

/** For the series by which people compare endpoints. */
const seriesBlocks = ({ series }: Report): readonly string[] =>
  seriesOf('headline', 'detail').flatMap(key => {
    const one = series[key];
    return one === undefined || one.max === null || one.max === 0
      ? []
      : ['', ...seriesBlock(seriesRow(key).label, one)];
  });

/** In the table's order; series that only another version has come last, by name. */
const inOrder = (series: Report['series']): readonly (readonly [string, ReportSeries])[] => [
  ...SERIES_KEYS.flatMap(key => {
    const one = series[key];
    return one === undefined ? [] : [[seriesRow(key).label, one] as const];
  }),
  ...Object.entries(series).filter(([name]) => !isSeriesKey(name)),
];

const seriesBlock = (title: string, one: ReportSeries): readonly string[] => {
  const spread = `min ${shown(one, one.min)}, mean ${shown(one, one.mean)}, std dev ${shown(one, one.stdDev)}, max ${shown(one, one.max)}`;
  const header = ['percentile', one.isExact ? 'exact' : 'within 0.1%'];
  if (one.estimates !== undefined) header.push('99% confident');
  if (one.failureAdjusted !== undefined) header.push('failures as ∞');
  const rows = Object.keys(one.percentiles)
    .toSorted((a, b) => Number(a) - Number(b))
    .map(p => {
      const row = [`p${p}`, shown(one, one.percentiles[p])];
      if (one.estimates !== undefined) row.push(estimateText(one, p));
      if (one.failureAdjusted !== undefined) row.push(adjustedText(one, p));
      return row;
    });
  return [
    `${title}: n ${formatCount(one.count)}, ${spread}`,
    ...inColumns([header, ...rows], { hasFigures: true }),
    ...zeros(one),
    ...histogram(one),
  ];
};

const estimateText = (one: ReportSeries, p: string): string => {
  const estimate = one.estimates?.[p];
  if (estimate === undefined) return '';
  return estimate === null ? TOO_FEW : shown(one, estimate);
};

const adjustedText = (one: ReportSeries, p: string): string => {
  const value = one.failureAdjusted?.[p];
  if (value === undefined) return '';
  return value === null ? 'failed' : shown(one, value);
};

/** Next to the buckets: in their first one they could not be distinguished from short times. */
const zeros = (one: ReportSeries): readonly string[] => {
  const count = zeroCount(one);
  return count === 0 ? [] : [`  0, not in the bars: ${formatCount(count)} of ${formatCount(one.count)}`];
};

/** Without the empty buckets at either end; a bucket that is not empty shows something. */
const histogram = (one: ReportSeries): readonly string[] => {
  const counts = one.histogram.map(([, , count]) => count);
  const first = counts.findIndex(count => count > 0);
  const last = counts.findLastIndex(count => count > 0);
  const most = maximumOf([1, ...counts]);
  const kept = one.histogram.slice(first, last + 1);
  const lows = kept.map(([low]) => low);
  const usual = lows.map(low => shown(one, low));
  const areApart = new Set(usual).size === usual.length;
  const edges = one.unit !== 'ns' || areApart ? usual : nanosecondsTicks(lows);
  const width = maximumOf([0, ...edges.map(textWidth)]);
  return kept.map(([, , count], index) => {
    const bar = barOf(count / most);
    return `  ${paddedStart(edges[index] ?? '', width)} │${bar}${count > 0 ? ` ${formatCount(count)}` : ''}`;
  });
};

/** In eighths of a character. */
const barOf = (share: number): string => {
  if (share === 0) return '';
  const eighths = Math.max(1, Math.round(share * BAR_COLUMNS * 8));
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '');
};

const shown = ({ unit }: ReportSeries, value: number | null | undefined): string => {
  if (value === null || value === undefined) return NOT_REPORTED;
  switch (unit) {
    case 'ns':
      return figureText(formatMeasuredNanoseconds(value));
    case 'bytes':
      return figureText(formatBytes(value));
    case 'tokens':
      return Number.isInteger(value) ? formatCount(value) : value.toFixed(1);
    case 'ratio':
      return value.toFixed(2);
    default:
      return unit satisfies never;
  }
};

const SCREEN_COLUMNS = 80;
const NOT_REPORTED: string = dashText('none');
const BAR_COLUMNS = 40;
const EIGHTHS: readonly string[] = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
