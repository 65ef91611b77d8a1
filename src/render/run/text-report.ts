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
import { capitalized } from '../../core/text/single-line.ts';
import { knownOr } from '../../core/unknown.ts';
import { type Section, sectionBody, sectionLines, withRows } from '../section.ts';
import { shownLine, type TextOptions } from '../text/ascii.ts';
import { textBar } from '../text/bar.ts';
import { failureSection } from './failure-rows.ts';
import { objectiveSentence } from './objective-labels.ts';
import { dashLegend, dashText, TABLE_PERCENTILES, TOO_FEW } from './percentile-text.ts';
import { whyNoRow } from './report-summary.ts';
import { runSections } from './run-sections.ts';
import { shortReport } from './short-report.ts';
import { settingRows } from './text-requests.ts';

interface TextReportOptions extends Pick<TextOptions, 'isUnicode'> {
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
  return lines.map(line => shownLine(line, { isUnicode }));
};

const everything = (report: Report): readonly string[] => [
  ...failures(report),
  'How it was run',
  ...inColumns(settingRows(report)),
  ...objectives(report),
  '',
  ...seriesTable(report),
  ...[...seriesSections(report), ...runSections(report)].flatMap(sectionLines),
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
      const cells = [one.mean, ...SHOWN.map(p => one.percentiles[p]), one.max];
      return [name, formatCount(one.count), ...cells.map(value => shown(one, value))];
    });
  const isShort = rows.flat().includes(NOT_REPORTED);
  return sectionBody(
    {
      tables: withRows({ name: '', columns: ['', 'n', 'mean', ...SHOWN.map(p => `p${p}`), 'max'], rows }),
      remarks: rows.length === 0 ? [whyNoRow(report)] : isShort ? [dashLegend(['none'])] : [],
    },
    Number.POSITIVE_INFINITY,
  );
};

/** For the series by which people compare endpoints. */
const seriesSections = ({ series }: Report): readonly Section[] =>
  seriesOf('headline', 'detail').flatMap(key => {
    const one = series[key];
    return one === undefined || one.max === null || one.max === 0
      ? []
      : seriesSection(seriesRow(key).label, one);
  });

/** In the table's order; series that only another version has come last, by name. */
const inOrder = (series: Report['series']): readonly (readonly [string, ReportSeries])[] => [
  ...SERIES_KEYS.flatMap(key => {
    const one = series[key];
    return one === undefined ? [] : [[seriesRow(key).label, one] as const];
  }),
  ...Object.entries(series).filter(([name]) => !isSeriesKey(name)),
];

const seriesSection = (title: string, one: ReportSeries): Section => {
  const { estimates, failureAdjusted } = one;
  const columns = [
    [one.isExact ? 'exact' : 'within 0.1%', (p: string) => shown(one, one.percentiles[p])] as const,
    ...(estimates === undefined ? [] : [['99% confident', of(one, estimates, TOO_FEW)] as const]),
    ...(failureAdjusted === undefined
      ? []
      : [['failures as ∞', of(one, failureAdjusted, 'failed')] as const]),
  ];
  return {
    key: title,
    title,
    count: `n ${formatCount(one.count)}, min ${shown(one, one.min)}, mean ${shown(one, one.mean)}, std dev ${shown(one, one.stdDev)}, max ${shown(one, one.max)}`,
    tables: [
      {
        name: title,
        columns: ['percentile', ...columns.map(([name]) => name)],
        rows: Object.keys(one.percentiles)
          .toSorted((a, b) => Number(a) - Number(b))
          .map(p => [`p${p}`, ...columns.map(([, text]) => text(p))]),
      },
    ],
    remarks: [...zeros(one), ...histogram(one)],
  };
};

/** @param none what null means */
const of =
  (one: ReportSeries, values: Readonly<Record<string, number | null>>, none: string) =>
  (p: string): string => {
    const value = values[p];
    return value === undefined ? '' : value === null ? none : shown(one, value);
  };

/** Next to the buckets: in their first one they could not be distinguished from short times. */
const zeros = (one: ReportSeries): readonly string[] => {
  const count = zeroCount(one);
  return count === 0 ? [] : [`0, not in the bars: ${formatCount(count)} of ${formatCount(one.count)}`];
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
    const bar = textBar(count / most, BAR_COLUMNS);
    return `${paddedStart(edges[index] ?? '', width)} │${bar}${count > 0 ? ` ${formatCount(count)}` : ''}`;
  });
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
const SHOWN: readonly string[] = [...TABLE_PERCENTILES, '99.9'];
const BAR_COLUMNS = 40;
