// The client's part of a report, from a snapshot.

import { type ArrivalStamps, isByKernel } from '../core/run/arrival-stamps.ts';
import type { LatenessFigures, ReportClient } from '../core/run/report.ts';
import type { CounterKey } from '../core/run/run-counters.ts';
import type { RunPattern } from '../core/run/run-pattern.ts';
import { isSeriesKey, seriesRow } from '../core/run/run-series.ts';
import type { MetricLookup, SeriesMetric } from '../core/run/snapshot.ts';
import { type Reported, type Unknown, unknown } from '../core/unknown.ts';
import { clientVerdict } from './client-verdict.ts';

/** Series and counters that describe the client, which samples.jsonl does not contain. */
export const isOfClient = (name: string): boolean =>
  name.startsWith('client.') ||
  name.startsWith('connections') ||
  (isSeriesKey(name) && seriesRow(name).level === 'client');

interface ClientContext {
  readonly pattern: RunPattern;
  readonly stamps: Reported<ArrivalStamps>;
  readonly droppedEvents: number;
}

export const reportClient = (
  metrics: MetricLookup,
  { pattern, stamps, droppedEvents }: ClientContext,
): ReportClient => {
  const ofReads = (name: 'readLatenessNsMax' | 'beatLatenessNs'): LatenessFigures | Unknown =>
    isByKernel(stamps) ? unknown(NO_READS) : lateness(metrics.series(name), NOT_OBSERVED);
  const observedNs = metrics.counter('client.observedNs');
  const ifObserved = <T>(value: T): T | Unknown => (observedNs > 0 ? value : unknown(NOT_OBSERVED));
  const figures = {
    sendLatenessNs: lateness(metrics.series('sendLatenessNs'), 'no request was sent'),
    readLatenessNs: ofReads('readLatenessNsMax'),
    beatLatenessNs: ofReads('beatLatenessNs'),
    throttledShare: shareOf(metrics, 'client.throttledNs', 'client.throttleObservedNs'),
    pressureShare: shareOf(metrics, 'client.pressureNs', 'client.pressureObservedNs'),
    stolenShare: shareOf(metrics, 'client.stolenNs', 'client.stealObservedNs'),
    eventLoopUtilization: ifObserved(metrics.counter('client.eventLoopUtilization')),
    cpuShare: ifObserved(metrics.counter('client.cpuShare')),
    gcPauseNs: ifObserved({
      total: metrics.counter('client.gcPauseNsTotal'),
      max: metrics.counter('client.gcPauseNsMax'),
    }),
  };
  const { completed } = metrics.counts('measured');
  const verdict = clientVerdict({
    ...figures,
    pattern,
    stamps,
    observedNs,
    starvedNs: metrics.counter('client.starvedNs'),
    parsePausedNs: metrics.counter('client.parsePausedNs'),
    measuredNsP50:
      median(metrics.series('ttftNs')) ??
      median(metrics.series('latencyNs')) ??
      unknown('no request completed'),
    lostRecords: droppedEvents + metrics.counter('recordsUndecodable') + metrics.counter('recordsRefused'),
    inconsistentSamples: metrics.counter('samplesInconsistent'),
    samplesFailedByClient: metrics.counter('errors.client'),
    hasFigures:
      completed > 0 || (metrics.counts('all').failed === 0 && metrics.counter('cancelledAfterGrace') === 0),
    sent: metrics.series('sendLatenessNs')?.count ?? 0,
    waitedShare: waitedShare(metrics),
  });
  return {
    ...verdict,
    ...figures,
    eventLoopDelayNs: lateness(metrics.series('eventLoopDelayNsMax'), NOT_OBSERVED),
    connections: {
      opened: metrics.counter('connectionsOpened'),
      reused: metrics.counter('connectionsReused'),
      closed: metrics.counter('connectionsClosed'),
      stale: metrics.counter('connectionsStale'),
    },
  };
};

/** A user either waits for a reply, for a connection, or for this client. */
const waitedShare = (metrics: MetricLookup): number | Unknown => {
  const [lateNs, connectNs, busyNs] = (['sendLatenessNs', 'connectNs', 'latencyNs'] as const).map(name =>
    Number(metrics.series(name)?.total ?? 0),
  );
  const waitedNs = Math.max(0, (lateNs ?? 0) - (connectNs ?? 0));
  const ofNs = waitedNs + (busyNs ?? 0);
  return ofNs > 0 ? waitedNs / ofNs : unknown('no request completed');
};

const shareOf = (metrics: MetricLookup, sum: CounterKey, observed: CounterKey): number | Unknown => {
  const observedNs = metrics.counter(observed);
  // A group with several processors counts each of them.
  return observedNs > 0 ? Math.min(1, metrics.counter(sum) / observedNs) : unknown(NOT_REPORTED_BY_SYSTEM);
};

const lateness = (series: SeriesMetric | undefined, reason: string): LatenessFigures | Unknown => {
  const p50 = series?.percentiles['50'];
  const p99 = series?.percentiles['99'];
  if (series === undefined || series.max === null || p50 === undefined || p99 === undefined)
    return unknown(reason);
  return { p50, p99, max: series.max };
};

const median = (series: SeriesMetric | undefined): number | undefined => series?.percentiles['50'];

const NOT_REPORTED_BY_SYSTEM = 'not reported by the system';
const NO_READS = "not needed: timestamps are the kernel's";
const NOT_OBSERVED = 'the client left no measurements of itself';
