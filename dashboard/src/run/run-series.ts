// A run over time as the daemon returns it, and the accessible names of its charts.

import { maximumOf, minimumOf } from '../../../src/core/extremes.ts';
import { formatClock, measuredTimeText } from '../../../src/core/figure/duration.ts';
import { counted, formatThreeDigits } from '../../../src/core/figure/figure.ts';
import type { Outage } from '../../../src/core/run/outage.ts';
import { seriesRow } from '../../../src/core/run/run-series.ts';
import { capitalized } from '../../../src/core/text/single-line.ts';
import type { RunSeriesAnswer, SeriesColumn, TimeSeries } from '../../../src/wire/api/run-answers.ts';

export interface RunSeries extends TimeSeries {
  readonly isLive: boolean;
  /** What is not in it; '' where all is. */
  readonly notice: string;
  /** When the server was down, by the figures of the run. */
  readonly outages?: readonly Outage[];
}

export const runSeriesOf = ({ series, isLive, notice }: RunSeriesAnswer): RunSeries => ({
  ...series,
  isLive,
  notice,
});

/** End of each point since the run's zero, s: what ended in it is known by then. */
export const secondsOf = ({ requestsPerSecond, stepMs }: RunSeries): readonly number[] =>
  requestsPerSecond.map((_, index) => ((index + 1) * stepMs) / 1_000);

export const measuredName = ({ measured }: Pick<RunSeries, 'measured'>): string =>
  capitalized(seriesRow(measured).label);

/** "Time to first token over time: the median is between 160 ms and 262 ms, p99 at most 640 ms, at 1:34". */
export const bandSentence = (series: RunSeries): string => {
  const medians = known(series.percentilesNs['50']);
  if (medians.length === 0) return `${measuredName(series)} over time: ${lowered(noDataText(series.isLive))}`;
  const p99 = series.percentilesNs['99'];
  const worst = p99.reduce<number>(
    (best, value, index) => ((value ?? -1) > (p99[best] ?? -1) ? index : best),
    0,
  );
  const at = formatClock((worst + 1) * series.stepMs);
  return `${measuredName(series)} over time: the median lies between ${measuredTimeText(minimumOf(medians))} and ${measuredTimeText(maximumOf(medians))}, p99 at most ${measuredTimeText(p99[worst] ?? 0)}, at ${at}`;
};

export const outputSentence = (series: RunSeries): string => {
  const tokens = known(series.outputTokensPerSecond);
  const inFlight = known(series.inFlight);
  if (tokens.length === 0) return `Output over time: ${lowered(noDataText(series.isLive))}`;
  const mean = tokens.reduce((sum, value) => sum + value, 0) / tokens.length;
  const peak = inFlight.length === 0 ? '' : `, at most ${counted(maximumOf(inFlight), 'request')} in flight`;
  return `Output over time: ${formatThreeDigits(mean)} tokens a second on average, at most ${formatThreeDigits(maximumOf(tokens))}${peak}`;
};

/** In place of a picture. */
export const noDataText = (isLive: boolean): string =>
  isLive ? 'Nothing has completed yet' : 'Nothing completed';

const lowered = (text: string): string => `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;

/** Of a table twin: what is read without scrolling inside a panel. */
export const LISTED_ROWS_MAX = 24;

/** Rows of the table twin: at most so many, evenly over the time, the newest last. */
export const listedIndexes = ({ requestsPerSecond }: RunSeries, rowsMax: number): readonly number[] => {
  const { length } = requestsPerSecond;
  const every = Math.max(1, Math.ceil(length / rowsMax));
  return requestsPerSecond.map((_, index) => index).filter(index => (length - 1 - index) % every === 0);
};

const known = (column: SeriesColumn): readonly number[] => column.filter(value => value !== null);
