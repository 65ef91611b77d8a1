// How the time of requests was spent by the server's own count, next to this client's measurement: the mean
// of each of its histograms over the run, from sums and counts, so that it is exact for any buckets. A server
// counts the requests of all its clients.

import { formatMeasuredNanoseconds } from '../../core/figure/duration.ts';
import { figureText, formatCount, formatFinePercent } from '../../core/figure/figure.ts';
import type { Report } from '../../core/run/report.ts';
import type { SeriesKey } from '../../core/run/run-series.ts';
import type { ServerFigureKey } from '../../core/run/server-reading.ts';
import type { ServerEvidence } from '../../core/run/server-tally.ts';
import { isKnown, type Reported, unknown } from '../../core/unknown.ts';

interface ServerTimeRow {
  readonly label: string;
  readonly seconds: ServerFigureKey;
  readonly count: ServerFigureKey;
  /** The matching series of this client; undefined: only the server measures it. */
  readonly client: SeriesKey | undefined;
}

/** In the order in which a request passes them, after its total time to first token. */
const SERVER_TIMES: readonly ServerTimeRow[] = [
  { label: 'time to first token', seconds: 'firstTokenSeconds', count: 'firstTokenCount', client: 'ttftNs' },
  { label: 'in the queue', seconds: 'queueSeconds', count: 'queueCount', client: undefined },
  { label: 'prefill', seconds: 'prefillSeconds', count: 'prefillCount', client: undefined },
  { label: 'decode', seconds: 'decodeSeconds', count: 'decodeCount', client: undefined },
  { label: 'latency', seconds: 'wholeSeconds', count: 'wholeCount', client: 'latencyNs' },
];

interface ServerTime {
  readonly label: string;
  /** Mean over the requests that the server counted. */
  readonly meanNs: number;
  readonly requests: number;
  /** Mean of the measured requests. */
  readonly clientMeanNs: Reported<number>;
}

const serverTimes = ({ server, series }: Pick<Report, 'server' | 'series'>): readonly ServerTime[] => {
  if (!isKnown(server)) return [];
  return SERVER_TIMES.flatMap(row => {
    const meanNs = meanOf(server, row);
    if (meanNs === undefined) return [];
    const measured = row.client === undefined ? undefined : series[row.client];
    return [
      {
        label: row.label,
        meanNs,
        requests: server.figures[row.count]?.rose ?? 0,
        clientMeanNs:
          measured === undefined || measured.mean === null || measured.count === 0
            ? unknown('only the server measures it')
            : measured.mean,
      },
    ];
  });
};

const meanOf = ({ figures }: ServerEvidence, { seconds, count }: ServerTimeRow): number | undefined => {
  const [sum, requests] = [figures[seconds]?.rose, figures[count]?.rose];
  return sum === undefined || requests === undefined || requests <= 0 ? undefined : (sum / requests) * 1e9;
};

export const SERVER_TIME_COLUMNS: readonly string[] = [
  'mean of',
  'server',
  'client',
  'requests at the server',
];

export const serverTimeRows = (report: Pick<Report, 'server' | 'series'>): readonly (readonly string[])[] =>
  serverTimes(report).map(({ label, meanNs, requests, clientMeanNs }) => [
    label,
    timeText(meanNs),
    isKnown(clientMeanNs) ? timeText(clientMeanNs) : '',
    formatCount(requests),
  ]);

/**
 * How much of the prompts the server found in its cache, from its own metrics; undefined if it does not
 * report that. Replies of many servers report no cached tokens, which matter most in a run of sessions.
 */
export const serverPrefixSentence = ({ server }: Pick<Report, 'server'>): string | undefined => {
  const { prefixQueried, prefixHit } = isKnown(server) ? server.figures : {};
  if (prefixQueried === undefined || prefixHit === undefined || prefixQueried.rose === 0) return undefined;
  return `by the server: ${figureText(formatFinePercent(prefixHit.rose / prefixQueried.rose))} of the prompt tokens of all its clients came from its prefix cache (${formatCount(prefixHit.rose)} of ${formatCount(prefixQueried.rose)})`;
};

/** "by the server: mean time to first token 6.0 s, of it 5.75 s in the queue, 0.2 s prefill"; undefined: it reports none of it. */
export const serverTimeSentence = (report: Pick<Report, 'server' | 'series'>): string | undefined => {
  const times = new Map(serverTimes(report).map(time => [time.label, time]));
  const [first, queue, prefill] = ['time to first token', 'in the queue', 'prefill'].map(label =>
    times.get(label),
  );
  if (queue === undefined) return undefined;
  const parts = [
    `${timeText(queue.meanNs)} in the queue`,
    ...(prefill === undefined ? [] : [`${timeText(prefill.meanNs)} prefill`]),
  ].join(', ');
  if (first === undefined) return `by the server: mean ${parts}`;
  const client = isKnown(first.clientMeanNs) ? ` (client: ${timeText(first.clientMeanNs)})` : '';
  return `by the server: mean time to first token ${timeText(first.meanNs)}${client}, of it ${parts}`;
};

const timeText = (ns: number): string => figureText(formatMeasuredNanoseconds(Math.round(ns)));
