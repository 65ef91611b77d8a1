// A result of any tool as far as it can be explained: what its tool printed, and its requests if they are stored.

import { type ComparableFacts, factsOfReport } from '../comparison/comparability.ts';
import { counted } from '../figure/figure.ts';
import { type EndedSample, OUTSIDE_WINDOWS } from '../run/ended-sample.ts';
import { widestOf } from '../run/event-record.ts';
import { foreignLabel } from '../run/foreign-run.ts';
import type { Report, ReportSeries } from '../run/report.ts';
import { isKnown, type Unknown, unknown } from '../unknown.ts';
import {
  EXPLAINED_RATE_KEYS,
  type FigureKey,
  type PrintedFigures,
  percentileOf,
  TIME_FAMILIES,
  TIME_FAMILY_KEYS,
  TIME_STATISTICS,
  type TimeStatistic,
} from './explained-figures.ts';
import type { ResultTool } from './tool-rules.ts';

export interface ExplainedResult {
  readonly tool: ResultTool;
  /** "AIPerf 0.13.0" */
  readonly label: string;
  /** As the person gave it. */
  readonly source: string;
  readonly facts: ComparableFacts;
  /** Without credentials; a tool may not report it. */
  readonly target: string | Unknown;
  readonly printed: PrintedFigures;
  /** All that ended, those of a warm-up too. */
  readonly requests: readonly EndedSample[] | Unknown;
  /** The time of each chunk is stored, not only of the first and the last. */
  readonly hasChunks: boolean;
  /** By how much the client itself states that it may be off, ns. */
  readonly bounds: PrintedFigures;
}

/** A run of ours, or one that was imported. */
export const explainedRun = (
  report: Report,
  { requests, source }: Pick<ExplainedResult, 'requests' | 'source'>,
): ExplainedResult => {
  const { run, plimsoll } = report;
  const { foreign } = run;
  const isChunked = foreign?.unreported.every(({ what }) => what !== UNREPORTED_CHUNKS) ?? true;
  return {
    tool: foreign?.tool ?? 'plimsoll',
    label: foreign === undefined ? `Plimsoll ${plimsoll.version}` : foreignLabel(foreign),
    source,
    facts: factsOfReport(report),
    target: run.target === NOT_REPORTED_TARGET ? unknown('not reported') : run.target,
    // Of an import with requests the report has our figures, and the tool's own are not stored.
    printed: foreign?.hasRequests === true ? {} : printedOf(report),
    requests: foreign?.hasRequests === false ? unknown('its file has no single requests') : requests,
    hasChunks: isChunked,
    bounds: boundsOf(report),
  };
};

const printedOf = (report: Report): PrintedFigures => ({
  ...timesOf(report, (series, statistic) => {
    const percentile = percentileOf(statistic);
    return (percentile === undefined ? series.mean : series.percentiles[percentile]) ?? undefined;
  }),
  ...Object.fromEntries(
    EXPLAINED_RATE_KEYS.flatMap((key): readonly (readonly [FigureKey, number])[] => {
      const rate = report[key];
      return isKnown(rate) ? [[key, rate]] : [];
    }),
  ),
});

const boundsOf = (report: Report): PrintedFigures =>
  timesOf(report, ({ errorBound }, statistic) => {
    const percentile = percentileOf(statistic);
    const bound = percentile === undefined ? errorBound?.mean : errorBound?.percentiles[percentile];
    return bound === undefined ? undefined : widestOf(bound);
  });

const timesOf = (
  report: Report,
  of: (series: ReportSeries, statistic: TimeStatistic) => number | undefined,
): PrintedFigures =>
  Object.fromEntries(
    TIME_FAMILY_KEYS.flatMap(family => {
      const series = report.series[TIME_FAMILIES[family].series];
      return TIME_STATISTICS.flatMap((statistic): readonly (readonly [FigureKey, number])[] => {
        const value = series === undefined ? undefined : of(series, statistic);
        return value === undefined ? [] : [[`${family}.${statistic}`, value]];
      });
    }),
  );

/** How many requests it sent before those that it measured; unknown without its requests. */
export const warmupCount = ({ requests }: ExplainedResult): number | Unknown =>
  isKnown(requests) ? requests.filter(({ window }) => window === OUTSIDE_WINDOWS).length : requests;

/** Of the measured requests that completed, those whose prompt the server took from its cache, at least in part. */
export const cacheHits = (
  completed: readonly EndedSample[],
): { readonly hits: number; readonly of: number } | Unknown => {
  const reported = completed.filter(({ remark }) => (remark?.cachedTokens ?? -1) >= 0);
  return completed.length === 0 || reported.length < completed.length
    ? unknown(`cached tokens are reported for ${reported.length} of ${counted(completed.length, 'request')}`)
    : { hits: reported.filter(isCacheHit).length, of: completed.length };
};

export const isCacheHit = ({ remark }: EndedSample): boolean => (remark?.cachedTokens ?? 0) > 0;

/** What an imported file does not contain, by the name of its entry. */
export const UNREPORTED_CHUNKS = 'chunks';
/** Written where a tool does not name its server. */
export const NOT_REPORTED_TARGET = 'not reported';
