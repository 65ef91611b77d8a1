// The metrics in which two sides are compared, one row each: the name that rules and options use, where a
// report contains it, and by how much it must differ to matter.

import { counted, ofCount } from '../figure/figure.ts';
import { type FigureVerdict, figureVerdict, figureVerdictText } from '../run/figure-verdict.ts';
import type { Report } from '../run/report.ts';
import { isOpenLoop, type RunPattern } from '../run/run-pattern.ts';
import { type RateKey, rateRow } from '../run/run-rates.ts';
import {
  COMPARED_SERIES,
  HEADLINE_PERCENTILES,
  RUN_SERIES,
  type SeriesKey,
  seriesRow,
} from '../run/run-series.ts';
import type { BetterDirection } from '../run/series-row.ts';
import { type Reported, type Unknown, unknown } from '../unknown.ts';

interface ComparisonMetricRow {
  /** "ttft.p90" */
  readonly name: string;
  /** "TTFT p90" */
  readonly label: string;
  readonly unit: 'ns' | 'req/s' | 'tok/s';
  readonly kind: 'rate' | 'latency';
  /** Repeated runs without it do not state why. */
  readonly isDetail: boolean;
  /** If the schedule of a run decides how much is sent, a higher rate is no merit. */
  readonly better: (pattern: RunPattern) => BetterDirection;
  /** The value of one unit: a segment or a run. */
  readonly of: (report: Report) => Reported<number>;
  /** The share of the figure that the client may have caused; undefined if unknown, or if it is a rate. */
  readonly clientPart: (report: Report) => FigureVerdict | undefined;
}

/** The description of a metric in a document. `margins`: by its name. */
export const requestedMetric = (
  { name, label, unit, kind, better }: ComparisonMetricRow,
  pattern: RunPattern,
  margins: Readonly<Record<string, number>> = {},
): RequestedMetric => ({
  name,
  label,
  unit,
  better: better(pattern),
  marginShare: margins[name] ?? DEFAULT_MARGIN_SHARE[kind],
});

export interface RequestedMetric {
  readonly name: string;
  readonly label: string;
  readonly unit: ComparisonMetricRow['unit'];
  readonly better: BetterDirection;
  readonly marginShare: number;
}

const DEFAULT_MARGIN_SHARE: Readonly<Record<ComparisonMetricRow['kind'], number>> = {
  rate: 0.02,
  latency: 0.05,
};

/** The primary metric that is declared before the measurement, unless another one is given. */
export const defaultPrimary = (run: {
  readonly pattern: RunPattern;
  readonly isStreaming: boolean;
}): string => {
  if (!isOpenLoop(run.pattern)) return 'output.rate';
  return run.isStreaming ? 'ttft.p90' : 'latency.p90';
};

const rate = (
  name: string,
  key: Exclude<RateKey, 'perUserTokensPerSecond' | 'windowNs' | 'steadyStateWindowNs'>,
  unit: 'req/s' | 'tok/s',
): ComparisonMetricRow => ({
  name,
  label: rateRow(key).shortLabel,
  unit,
  kind: 'rate',
  isDetail: false,
  better: pattern => (rateRow(key).isScheduled && isOpenLoop(pattern) ? 'none' : rateRow(key).better),
  of: report => report[key] ?? unknown('the run had no objectives for requests'),
  clientPart: () => undefined,
});

const percentiles = (key: SeriesKey, name: string): readonly ComparisonMetricRow[] =>
  HEADLINE_PERCENTILES.map(percentile => ({
    name: `${name}.p${percentile}`,
    label: `${seriesRow(key).shortLabel} p${percentile}`,
    unit: 'ns',
    kind: 'latency',
    isDetail: seriesRow(key).level !== 'headline',
    better: () => 'lower',
    of: report => percentileOf(report, key, percentile),
    clientPart: ({ series }) => {
      const one = series[key];
      return one === undefined ? undefined : figureVerdict(key, percentile, one);
    },
  }));

/**
 * Failures count as longer than any request; none if there are too few requests for its early-stopping
 * estimate, or if the client may have caused most of it.
 */
const percentileOf = (report: Report, key: SeriesKey, percentile: string): Reported<number> => {
  const series = report.series[key];
  const isOfSessions = seriesRow(key).per === 'completed session';
  if (series === undefined || series.count === 0)
    return unknown(isOfSessions ? 'no session was completed' : `no request has a ${seriesRow(key).label}`);
  const missing = isOfSessions ? missingSessions(report) : undefined;
  if (missing !== undefined) return missing;
  const estimate = series.estimates?.[percentile];
  if (estimate === null)
    return unknown(
      `${counted(series.count, isOfSessions ? 'session' : 'request')} ${ofCount(series.count, 'is', 'are')} too few for a p${percentile}`,
    );
  const client = figureVerdict(key, percentile, series);
  if (client?.kind === 'not-usable') return unknown(figureVerdictText(client));
  const figure = series.failureAdjusted?.[percentile] ?? series.percentiles[percentile];
  if (series.failureAdjusted?.[percentile] === null)
    return unknown(`p${percentile} is among the requests that failed`);
  return figure === undefined ? unknown(`the report has no p${percentile}`) : figure;
};

/** The sessions that the end of a run cut off are its longest, and how long one that failed would have taken is unknown. */
const missingSessions = ({ sessions }: Report): Unknown | undefined => {
  const { cut = 0, failed = 0 } = sessions?.sessions ?? {};
  if (cut > 0)
    return unknown(
      `the end of the run cut off ${counted(cut, 'session')}, and the others are too short a sample; with --sessions N none is cut`,
    );
  return failed > 0 ? unknown(`${counted(failed, 'session')} failed before the end`) : undefined;
};

/** In the order in which they are shown. */
export const COMPARISON_METRICS: readonly ComparisonMetricRow[] = [
  rate('requests.rate', 'requestsPerSecond', 'req/s'),
  rate('output.rate', 'outputTokensPerSecond', 'tok/s'),
  rate('goodput.rate', 'goodput', 'req/s'),
  ...COMPARED_SERIES.flatMap(key => percentiles(key, RUN_SERIES[key].compared)),
  ...percentiles('sessionNs', RUN_SERIES.sessionNs.objective),
];
