// The tables of a finished run's report: percentiles with the figure that as many samples can vouch for, counts, and what
// each name means (METRICS, shortened).

import { formatMeasuredNanoseconds } from '../../../src/core/figure/duration.ts';
import { figureText, formatBytes, formatCount } from '../../../src/core/figure/figure.ts';
import type { Report, ReportSeries } from '../../../src/core/run/report.ts';

export interface SeriesRow {
  readonly name: string;
  readonly count: string;
  /** Of `SHOWN_PERCENTILES`, in order. */
  readonly values: readonly string[];
  /** What the estimates say under each: '' below the median, "≤ 612 ms", "n too small". */
  readonly estimates: readonly string[];
  readonly max: string;
  readonly mean: string;
}

export const SHOWN_PERCENTILES: readonly string[] = ['1', '25', '50', '75', '90', '95', '99', '99.9'];

export const seriesRows = ({ series }: Report): readonly SeriesRow[] =>
  SERIES_NAMES.flatMap(([key, name]) => {
    const held = series[key];
    return held === undefined || held.count === 0 ? [] : [seriesRow(name, held)];
  });

const seriesRow = (name: string, series: ReportSeries): SeriesRow => {
  const text = (value: number | null | undefined): string =>
    value === null || value === undefined ? '–' : valueText(series.unit, value);
  return {
    name,
    count: formatCount(series.count),
    values: SHOWN_PERCENTILES.map(percentile => text(series.percentiles[percentile])),
    estimates: SHOWN_PERCENTILES.map(percentile => {
      const estimate = series.estimates?.[percentile];
      if (estimate === undefined) return '';
      return estimate === null ? 'n too small' : text(estimate);
    }),
    max: text(series.max),
    mean: text(series.mean),
  };
};

export interface CountRow {
  readonly name: string;
  readonly measured: string;
  readonly warmup: string;
}

export const countRows = ({ counts, warmup }: Report): readonly CountRow[] =>
  (['issued', 'completed', 'failed', 'cancelled', 'unresolved'] as const).map(name => ({
    name,
    measured: formatCount(counts[name]),
    warmup: formatCount(warmup[name]),
  }));

/** Facts beside the counts, each a name and a text. */
export const reportFacts = (report: Report): readonly (readonly [string, string])[] => [
  ...Object.entries(report.finishReasons).map(
    ([reason, count]) => [`finish: ${reason}`, formatCount(count)] as const,
  ),
  ['sent', figureText(formatBytes(report.bytes.sent))],
  ['received', figureText(formatBytes(report.bytes.received))],
  ['connections opened', formatCount(report.client.connections.opened)],
  ['connections reused', formatCount(report.client.connections.reused)],
  ['sent again on a fresh connection', formatCount(report.client.connections.stale)],
  ['dropped events', formatCount(report.droppedEvents)],
  ...(report.objectives ?? []).map(
    ({ name, limitNs, metSamples, samples }) =>
      [
        `${name} within ${figureText(formatMeasuredNanoseconds(limitNs))}`,
        `${formatCount(metSamples)} of ${formatCount(samples)}`,
      ] as const,
  ),
  [
    'load generator',
    `${report.environment.cpu}, ${report.environment.cores} cores, ${report.environment.os}`,
  ],
];

const valueText = (unit: ReportSeries['unit'], value: number): string => {
  switch (unit) {
    case 'ns':
      return figureText(formatMeasuredNanoseconds(value));
    case 'bytes':
      return figureText(formatBytes(value));
    case 'tokens':
      return formatCount(Math.round(value));
    case 'ratio':
      return value.toFixed(2);
    default:
      return unit satisfies never;
  }
};

const SERIES_NAMES: readonly (readonly [string, string])[] = [
  ['ttftNs', 'TTFT'],
  ['ttftFromIntendedNs', 'TTFT from intended'],
  ['firstAnswerNs', 'first answer'],
  ['tpotNs', 'TPOT'],
  ['chunkGapNs', 'chunk gap'],
  ['latencyNs', 'latency'],
  ['latencyFromIntendedNs', 'latency from intended'],
  ['firstByteNs', 'first byte'],
  ['connectNs', 'connect'],
  ['sendLatenessNs', 'send lateness'],
  ['inputTokens', 'input tokens'],
  ['outputTokens', 'output tokens'],
  ['tokensPerChunk', 'tokens a chunk'],
];

export const DEFINITIONS: readonly (readonly [string, string])[] = [
  [
    'Window',
    'From the first request sent to the last end of a completed one, in the measured phase. Rates are per second of it.',
  ],
  ['TTFT', 'First content (text, reasoning or tool call) minus sent. An empty first chunk is not content.'],
  [
    'TPOT',
    'Last content minus first content, by output tokens minus one; only where there are two tokens or more.',
  ],
  ['Latency', 'End of the stream minus sent. “From intended” counts from when the schedule wanted it sent.'],
  ['Failed samples', 'Are in no latency and in no rate. Nothing is retried silently.'],
  [
    'Percentiles',
    'Exact, of all values, rounded down in rank. Under each tail stands the value that holds with 99 % confidence (MLPerf early stopping), or “n too small”.',
  ],
];
