// Whether each figure of a run can be used: its error bound next to its value, worst first. The same rule
// applies live and at the end, in every form of a report.

import { measuredTimeText } from '../figure/duration.ts';
import { earlyStoppingRank } from '../statistics/early-stopping.ts';
import { isUnknown, type Reported } from '../unknown.ts';
import { type ErrorBound, type RunBounds, type SeriesErrorBound, widestOf } from './event-record.ts';
import type { RateBounds } from './rate-bounds.ts';
import { type SeriesKey, seriesOf, seriesRow } from './run-series.ts';

export interface FigureVerdict {
  readonly series: SeriesKey;
  /** "50", or "mean". */
  readonly percentile: string;
  readonly valueNs: number;
  readonly bound: ErrorBound;
  /**
   * good: two digits of it are correct. adds: the client contributes a visible part. not-usable: most of it
   * may be the client's.
   */
  readonly kind: 'good' | 'adds' | 'not-usable';
}

interface BoundedSeries {
  readonly count: number;
  readonly percentiles: Readonly<Record<string, number>>;
  readonly errorBound?: SeriesErrorBound;
}

/** For the percentiles that people read, if there are enough samples for them; worst first. */
export const figureVerdicts = (
  series: Readonly<Record<string, BoundedSeries | undefined>>,
): readonly FigureVerdict[] =>
  seriesOf('headline', 'detail')
    .flatMap(key => {
      const one = series[key];
      return one === undefined
        ? []
        : READ_PERCENTILES.filter(p => p === '50' || earlyStoppingRank(one.count, Number(p)) > 0).flatMap(
            p => figureVerdict(key, p, one) ?? [],
          );
    })
    .toSorted((a, b) => boundShare(b) - boundShare(a));

/** For one figure; undefined if it or its bound is not known. */
export const figureVerdict = (
  key: SeriesKey,
  percentile: string,
  { percentiles, errorBound }: Omit<BoundedSeries, 'count'>,
): FigureVerdict | undefined => {
  const valueNs = percentiles[percentile];
  const bound = errorBound?.percentiles[percentile];
  if (valueNs === undefined || bound === undefined) return undefined;
  const share = boundShare({ bound, valueNs });
  const kind = share <= GOOD_PART_MAX ? 'good' : share <= USABLE_PART_MAX ? 'adds' : 'not-usable';
  return { series: key, percentile, valueNs, bound, kind };
};

/** Share of the figure that the client may have caused: 0.05 is a twentieth. */
export const boundShare = ({ bound, valueNs }: Pick<FigureVerdict, 'bound' | 'valueNs'>): number =>
  widestOf(bound) / Math.max(1, valueNs);

/** "chunk gap p99 12 ms: the client adds up to 3.1 ms" */
export const figureVerdictText = (verdict: FigureVerdict): string => {
  const { valueNs, bound, kind } = verdict;
  return `${figureName(verdict)} ${measuredTimeText(valueNs)}: ${VERDICT_LABELS[kind]}${measuredTimeText(widestOf(bound))}`;
};

/** Why none of these figures has an error bound; undefined if one has, or if nothing was measured. */
export const unboundedReason = (
  series: Readonly<Record<string, BoundedSeries | undefined>>,
  bounds: Reported<RateBounds | RunBounds>,
): string | undefined => {
  const all = seriesOf('headline', 'detail').flatMap(key => series[key] ?? []);
  if (all.every(({ count }) => count === 0) || all.some(({ errorBound }) => errorBound !== undefined))
    return undefined;
  return isUnknown(bounds) ? bounds.reason : 'interrupted before exact percentiles were computed';
};

/** "no error bounds: …" */
export const unboundedText = (reason: string): string => `no error bounds: ${reason}`;

/** "TTFT p99" */
export const figureName = ({ series, percentile }: FigureVerdict): string =>
  `${seriesRow(series).shortLabel} ${percentile === 'mean' ? percentile : `p${percentile}`}`;

/** For a cell next to its figure: "±0.4 ms". */
export const boundText = (bound: ErrorBound | undefined): string =>
  bound === undefined ? '' : `±${measuredTimeText(widestOf(bound))}`;

export const READ_PERCENTILES: readonly string[] = ['50', '90', '99'];
const VERDICT_LABELS: Readonly<Record<FigureVerdict['kind'], string>> = {
  good: 'good to ±',
  adds: 'the client adds up to ',
  'not-usable': 'not usable, the client may be off by ',
};
/** Two digits of the figure remain correct. */
const GOOD_PART_MAX = 0.05;
/** Above it, the client may have caused more of it than the server. */
const USABLE_PART_MAX = 0.5;
