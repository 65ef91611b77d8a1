// Notices that a reader needs in addition to the figures, one sentence each.

import { formatMeasuredNanoseconds } from '../core/figure/duration.ts';
import { counted, figureText, formatCount, formatThreeDigits, ofCount } from '../core/figure/figure.ts';
import { doubtCounts, doubtText } from '../core/run/doubted-figures.ts';
import type { Report, RunConfig } from '../core/run/report.ts';
import { RECORD_PROBLEMS } from '../core/run/run-counters.ts';
import type { MetricLookup, SeriesMetric } from '../core/run/snapshot.ts';
import { isUnknown } from '../core/unknown.ts';

export const reportNotices = (metrics: MetricLookup, isOver: boolean): readonly string[] => [
  ...staleNotices(metrics),
  ...aheadNotices(metrics),
  ...backoffNotices(metrics),
  ...(isOver ? unsentNotices(metrics) : []),
  ...checkNotices(metrics),
  ...cancelledNotices(metrics),
  ...graceNotices(metrics),
  ...unfinishedNotices(metrics),
  ...withoutTextNotices(metrics),
  ...choiceNotices(metrics),
  ...problemNotices(metrics),
  ...metrics.allSeries.values().flatMap(seriesNotices),
];

/**
 * llama.cpp reports its slots in /props, whether it publishes metrics or not. More requests at a time than slots wait in its queue, and
 * their time to first token is mostly that wait.
 */
export const slotNotices = (
  { run, provenance }: Pick<RunConfig, 'run' | 'provenance'>,
  law: Report['littlesLaw'],
): readonly string[] => {
  const slots = slotsOf(provenance);
  const { pattern } = run;
  const inFlight = 'concurrency' in pattern ? pattern.concurrency : isUnknown(law) ? 0 : law.inFlight;
  if (slots === undefined || inFlight <= slots) return [];
  const most = 'concurrency' in pattern ? formatCount(inFlight) : `${formatThreeDigits(inFlight)} on average`;
  return [
    `${most} in flight on ${counted(slots, 'slot')} of the server: the others wait in its queue, and that wait is part of their time to first token (llama.cpp: --parallel N)`,
  ];
};

/** Of all servers of a run. */
const slotsOf = (provenance: RunConfig['provenance']): number | undefined => {
  if (isUnknown(provenance) || isUnknown(provenance.server)) return undefined;
  const slots = provenance.server
    .flatMap(({ facts }) => facts)
    .filter(({ name }) => name === 'total_slots')
    .map(({ value }) => Number(value))
    .filter(count => Number.isSafeInteger(count) && count > 0);
  return slots.length === 0 ? undefined : slots.reduce((sum, count) => sum + count, 0);
};

export const lawNotices = (law: Report['littlesLaw']): readonly string[] =>
  isUnknown(law) || law.holds
    ? []
    : [
        `Little's law does not hold: ${formatThreeDigits(law.inFlight)} requests were in flight as counted, and ${formatThreeDigits(law.expected)} by their rate and latency; records were lost, the window is wrong, or two clocks were used`,
      ];

/** The one exception to "nothing is retried silently" (METRICS §2). */
const staleNotices = (metrics: MetricLookup): readonly string[] => {
  const stale = metrics.counter('connectionsStale');
  return stale === 0
    ? []
    : [
        `${counted(stale, 'request')} found their reused connection closed and were sent once more on a fresh one`,
      ];
};

/**
 * For a server that needs a handshake for each request; and for more connections at a time than requests in flight.
 */
const aheadNotices = (metrics: MetricLookup): readonly string[] => {
  const ahead = metrics.counter('connectionsAhead');
  return ahead === 0
    ? []
    : [
        `the server closes connections after their reply, although it announces to keep them: ${counted(ahead, 'connection')} ${ofCount(ahead, 'was', 'were')} opened in advance, so that no request had to wait for one`,
      ];
};

/** Otherwise the load appears smaller than intended, without a reason. */
const backoffNotices = (metrics: MetricLookup): readonly string[] => {
  const backoffNs = metrics.counter('client.backoffNs');
  return backoffNs === 0
    ? []
    : [
        `users waited ${figureText(formatMeasuredNanoseconds(backoffNs))} in all before they sent again after requests that failed at once (50 ms, doubling to 1 s)`,
      ];
};

/** While the load runs, they may still be sent. */
const unsentNotices = (metrics: MetricLookup): readonly string[] => {
  const waiting = metrics.counter('client.arrivalsWaiting');
  return waiting === 0
    ? []
    : [
        `${waiting} arrivals were due and held back by --max-in-flight when the load ended; they were never sent`,
      ];
};

const checkNotices = (metrics: MetricLookup): readonly string[] => {
  const fits = metrics.counter('answers.fits');
  const notJson = metrics.counter('answers.not-json');
  const misfit = metrics.counter('answers.misfit');
  const absent = metrics.counter('answers.absent');
  const checked = fits + notJson + misfit + absent;
  return checked === 0
    ? []
    : [
        `${fits} of ${counted(checked, 'answer')} match the request: ${notJson} are not JSON, ${misfit} do not fit their schema, ${absent} have none`,
      ];
};

const cancelledNotices = (metrics: MetricLookup): readonly string[] => {
  const planned = metrics.counter('cancelledAsPlanned');
  return planned === 0
    ? []
    : [
        `${counted(planned, 'request')} ${ofCount(planned, 'was', 'were')} cancelled by --cancel-after, as planned: they are not failures, and in no series`,
      ];
};

/** Percentiles without the slowest answers look better than the server is. */
const graceNotices = (metrics: MetricLookup): readonly string[] => {
  const cut = metrics.counter('cancelledAfterGrace');
  return cut === 0
    ? []
    : [
        `${counted(cut, 'request')} ${ofCount(cut, 'was', 'were')} still in flight when the time of --grace was over, and ${ofCount(cut, 'was', 'were')} cancelled: in no series, so that the longest times are missing`,
      ];
};

/** Completed by the end marker alone, as some servers always do, and others when they abandon an answer. */
const unfinishedNotices = (metrics: MetricLookup): readonly string[] => {
  const missing = metrics.counter('finishReason.missing');
  return missing === 0
    ? []
    : [`${counted(missing, 'completed answer')} had no finish reason, so the server may have cut them off`];
};

/** The limit may fall between the bytes of one character. */
const withoutTextNotices = (metrics: MetricLookup): readonly string[] => {
  const count = metrics.counter('completedWithoutText');
  return count === 0
    ? []
    : [
        `${counted(count, 'request')} completed without text: the server counted tokens up to the limit, and their bytes were not yet text; they have no first token`,
      ];
};

const choiceNotices = (metrics: MetricLookup): readonly string[] => {
  const requests = metrics.counter('requestsWithChoices');
  const choices = metrics.counter('choicesCompleted');
  return requests === 0
    ? []
    : [
        `${counted(requests, 'request')} had ${choices % requests === 0 ? choices / requests : formatThreeDigits(choices / requests)} choices each: time per output token, gaps and speed per user are those of one choice, output tokens those of all`,
      ];
};

export const doubtNotices = (metrics: MetricLookup): readonly string[] => {
  const texts = doubtText(doubtCounts(key => metrics.counter(key)));
  return texts.length === 0
    ? []
    : [
        `the server's counts of tokens cannot be true: ${texts.join(', ')}; count the answers with the tokenizer of the model, --tokenizer DIR`,
      ];
};

const problemNotices = (metrics: MetricLookup): readonly string[] =>
  RECORD_PROBLEMS.flatMap(({ key, text }) => {
    const count = metrics.counter(key);
    if (count === 0) return [];
    return key === 'finalFileFailed' ? [text] : [`${count} ${text}`];
  });

const seriesNotices = ({ name, clampedCount, leftOutCount }: SeriesMetric): readonly string[] => [
  ...(clampedCount > 0
    ? [
        `${name}: ${counted(clampedCount, 'value')} ${ofCount(clampedCount, 'is', 'are')} outside its histogram and are counted in its last bucket`,
      ]
    : []),
  ...(leftOutCount > 0
    ? [`${name}: too many values to store; its percentiles come from the histogram, to 0.1%`]
    : []),
];
