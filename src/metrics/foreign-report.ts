// The report of an imported run. It contains nothing about our own client, which took no part: figures that only our
// client could know are unknown with that reason, whether the others are counted from its requests or are those of
// its tool.

import { type ForeignOrigin, foreignLabel, unreportedLine } from '../core/run/foreign-run.ts';
import type { Report, ReportClient, ReportSeries } from '../core/run/report.ts';
import { type Reported, type Unknown, unknown } from '../core/unknown.ts';

/** For a report that was counted from the requests; any other stays as it is. */
export const asForeign = (report: Report): Report => {
  const { foreign } = report.run;
  if (foreign === undefined) return report;
  const reason = unknown(`${foreignLabel(foreign)} does not report it`);
  return {
    ...report,
    // A report that was read back has them already.
    notices: [...new Set([...noticesOf(foreign), ...report.notices])],
    series: Object.fromEntries(Object.entries(report.series).filter(([key]) => !isUnreported(key, foreign))),
    client: clientOf(foreign, reason),
    contamination: reason,
    server: reason,
    littlesLaw: reason,
    machine: reason,
  };
};

export interface ForeignSummary {
  readonly completed: number;
  readonly failed: number;
  readonly windowNs: number;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly series: Readonly<Partial<Record<'ttftNs' | 'tpotNs' | 'chunkGapNs' | 'latencyNs', SummarySeries>>>;
}

export interface SummarySeries {
  readonly meanNs: number;
  readonly stdDevNs: number;
  /** Percentile as text ("99.9") to nanoseconds. */
  readonly percentiles: Readonly<Record<string, number>>;
}

/** Adds the figures of a file that has only totals. @param empty the report of the same run without any figure */
export const withSummary = (empty: Report, summary: ForeignSummary): Report => {
  const { completed, failed, windowNs, inputTokens, outputTokens } = summary;
  const unreported = unknown('only reported for all requests together');
  const counts = { issued: completed + failed, completed, failed, cancelled: 0, unresolved: 0 };
  const perSecond = (count: number | undefined): Reported<number> =>
    count === undefined || windowNs === 0 ? unknown('not contained in the file') : count / (windowNs / 1e9);
  const tpot = summary.series.tpotNs;
  const perUser = (percentile: string): Reported<number> => {
    const ns = tpot?.percentiles[percentile];
    return ns === undefined || ns === 0 ? unknown('not contained in the file') : 1e9 / ns;
  };
  return {
    ...empty,
    counts,
    errors: failed === 0 ? {} : { 'error-frame': failed },
    windowNs,
    requestsPerSecond: perSecond(completed),
    outputTokensPerSecond: perSecond(outputTokens),
    inputTokensPerSecond: perSecond(inputTokens),
    totalTokensPerSecond: perSecond(
      inputTokens === undefined || outputTokens === undefined ? undefined : inputTokens + outputTokens,
    ),
    perUserTokensPerSecond: { p50: perUser('50'), p90: perUser('90') },
    steadyStateWindowNs: unreported,
    steadyStateRequestsPerSecond: unreported,
    steadyStateOutputTokensPerSecond: unreported,
    series: Object.fromEntries(
      Object.entries(summary.series).map(([key, series]) => [key, seriesOf(series, completed)]),
    ),
  };
};

/** The number of its values is that of its requests: the file contains no more. */
const seriesOf = ({ meanNs, stdDevNs, percentiles }: SummarySeries, count: number): ReportSeries => ({
  unit: 'ns',
  count,
  total: String(Math.round(meanNs * count)),
  min: null,
  max: null,
  mean: meanNs,
  stdDev: stdDevNs,
  percentiles,
  histogram: [],
  isExact: false,
});

const noticesOf = ({ unreported }: ForeignOrigin): readonly string[] =>
  unreported.length === 0 ? [] : [`not reported: ${unreportedLine(unreported)}`];

const isUnreported = (key: string, { unreported }: ForeignOrigin): boolean =>
  OF_OUR_CLIENT.has(key) || (OF_CHUNKS.has(key) && unreported.some(({ what }) => what === 'chunks'));

const clientOf = (foreign: ForeignOrigin, reason: Unknown): ReportClient => ({
  verdict: 'unknown',
  reasons: [`measured by ${foreignLabel(foreign)}, which reports nothing about its own lateness`],
  sendLatenessNs: reason,
  readLatenessNs: reason,
  eventLoopDelayNs: reason,
  beatLatenessNs: reason,
  throttledShare: reason,
  pressureShare: reason,
  stolenShare: reason,
  eventLoopUtilization: reason,
  cpuShare: reason,
  starved: false,
  gcPauseNs: reason,
  connections: { opened: 0, reused: 0, closed: 0, stale: 0 },
});

const OF_OUR_CLIENT: ReadonlySet<string> = new Set([
  'sendLatenessNs',
  'readLatenessNsMax',
  'eventLoopDelayNsMax',
  'beatLatenessNs',
  'heldBackNs',
  'connectNs',
]);
const OF_CHUNKS: ReadonlySet<string> = new Set(['chunkGapNs', 'tokensPerChunk']);
