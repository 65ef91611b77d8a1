// A percentile as people write it: a dash if there are too few samples for it, with its interval if there are few.

import { figureText, UNKNOWN_FIGURE } from '../../core/figure/figure.ts';
import type { ReportSeries } from '../../core/run/report.ts';
import type { TailInterval } from '../../core/statistics/early-stopping.ts';
import { formatRunFigure } from './format-run-figure.ts';

/** A percentile, if there are enough samples for it. */
type VouchedPercentile =
  | { readonly kind: 'value'; readonly value: number }
  /** From few requests: correct within its interval. */
  | ({ readonly kind: 'interval'; readonly value: number } & TailInterval)
  | { readonly kind: 'too-few' }
  | { readonly kind: 'none' };

/** None for a tail with too few samples, although the series has a value at that rank. */
export const vouchedPercentile = (
  series: ReportSeries | undefined,
  percentile: string,
): VouchedPercentile => {
  const value = series?.percentiles[percentile];
  if (value === undefined) return { kind: 'none' };
  if (Number(percentile) <= 50 || series?.estimates?.[percentile] !== null) return { kind: 'value', value };
  const interval = series.intervals?.[percentile];
  return interval === undefined ? { kind: 'too-few' } : { kind: 'interval', value, ...interval };
};

/** "–" if there is none, with "too few" if that is the reason. */
export const percentileText = (series: ReportSeries | undefined, percentile: string): string => {
  const vouched = vouchedPercentile(series, percentile);
  if (series === undefined || (vouched.kind !== 'value' && vouched.kind !== 'interval'))
    return UNKNOWN_FIGURE.figure;
  const figure = formatRunFigure(series.unit, vouched.value);
  return vouched.kind === 'value'
    ? figureText(figure)
    : `${figureText(figure)} ${narrowInterval(series.unit, vouched, figure.unit)}`.trimEnd();
};

/** "(0.92–2.24)" after a figure of the same unit, for columns of a table. */
export const narrowInterval = (
  unit: ReportSeries['unit'],
  { low, high }: TailInterval,
  shownUnit: string,
): string => {
  const ends = [low, ...(high === null ? [] : [high])].map(end => {
    const figure = formatRunFigure(unit, end);
    return figure.unit === shownUnit ? figure.figure : figureText(figure);
  });
  const [from = '', to] = ends;
  if (to === undefined) return `(≥ ${from})`;
  return from === to ? '' : `(${from}–${to})`;
};

/** "(0.92 to 2.24 s)", "(≥ 0.92 s)" if even the greatest value is no limit; '' if both ends are equal. */
export const intervalText = (unit: ReportSeries['unit'], { low, high }: TailInterval): string => {
  const from = formatRunFigure(unit, low);
  if (high === null) return `(≥ ${figureText(from)})`;
  const to = formatRunFigure(unit, high);
  if (figureText(from) === figureText(to)) return '';
  return `(${from.unit === to.unit ? from.figure : figureText(from)} to ${figureText(to)})`;
};

/** The columns of every table of percentiles, next to the mean and the maximum. */
export const TABLE_PERCENTILES = ['50', '90', '95', '99'] as const;

export const TOO_FEW = 'too few';

/** One line below a table explains those that occur. */
const DASHES = { few: 'too few requests', none: 'no value reported' } as const;

type DashWord = keyof typeof DASHES;

export const DASH_WORDS: readonly DashWord[] = ['few', 'none'];

/** "– few" */
export const dashText = (word: DashWord): string => `${UNKNOWN_FIGURE.figure} ${word}`;

/** "few: too few requests; none: no value reported". */
export const dashLegend = (words: readonly DashWord[]): string =>
  DASH_WORDS.filter(word => words.includes(word))
    .map(word => `${word}: ${DASHES[word]}`)
    .join('; ');

/** Note below a table with such intervals. */
export const INTERVAL_NOTE = '(a–b): 95 % interval, for independent requests';
