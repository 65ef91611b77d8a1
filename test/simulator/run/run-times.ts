// What must be true of the times of a run: each stamp is that of the moment itself, each request is due at
// the time in the schedule, and the report's series are made of them.

import { arrivals } from '../../../src/bench/schedule/arrivals.ts';
import type { EndedSample } from '../../../src/core/run/ended-sample.ts';
import { NO_FIGURE } from '../../../src/core/run/event-record.ts';
import type { Report } from '../../../src/core/run/report.ts';
import type { SeriesKey } from '../../../src/core/run/run-series.ts';
import type { EndedRun } from './ended-run.ts';

export const wrongTimes = (run: EndedRun, samples: readonly EndedSample[]): readonly string[] => {
  const dueNs = scheduleOf(run);
  const endsNs = new Set(samples.map(({ endNs }) => endNs));
  return samples.flatMap(sample => {
    // In closed loop a request is due when its user's previous one has ended, or at once.
    const { intendedNs, sentNs, sampleId } = sample;
    const isScheduled = run.plan.rate !== undefined && sampleId >= run.plan.warmup;
    const userNs = endsNs.has(intendedNs) ? intendedNs : sentNs;
    return [
      ...atServer(run, sample),
      ...due(run, sample, isScheduled ? dueNs[sampleId - run.plan.warmup] : userNs),
    ];
  });
};

const atServer = ({ server, plan }: EndedRun, sample: EndedSample): readonly string[] => {
  const { sampleId, sentNs, firstByteNs, firstContentNs, chunkGapsNs, endNs, outcome, bytesSent } = sample;
  const written = server.written.get(sampleId);
  const served = server.served.get(sampleId);
  const broken: string[] = [];
  const stamped = (what: string, stampNs: number, trueNs: number): void => {
    const lateNs = stampNs - trueNs;
    if (Math.abs(lateNs) > STAMP_NS_MAX)
      broken.push(`sample ${sampleId}: ${what} is stamped ${lateNs} ns late`);
  };
  if (written !== undefined && outcome === 'completed') {
    stamped('its request', sentNs, written.firstNs);
    if (bytesSent !== written.bytes)
      broken.push(`sample ${sampleId} counts ${bytesSent} sent bytes of ${written.bytes}`);
  }
  if (endNs < sentNs) broken.push(`sample ${sampleId} ends before it is sent`);
  if (served?.firstReadNs === undefined || served.requests > 1) return broken;
  if (firstByteNs !== NO_FIGURE) stamped('its first byte', firstByteNs, served.firstReadNs);
  if (outcome !== 'completed') return broken;
  if (served.isWhole && endNs > served.lastReadNs + STAMP_NS_MAX)
    broken.push(`sample ${sampleId} ends behind its last byte`);
  if (!plan.isStreaming) return broken;
  let atNs = firstContentNs;
  for (const [chunk, readNs] of served.chunksReadNs.entries()) {
    if (chunk > 0) atNs += chunkGapsNs[chunk - 1] ?? Number.NaN;
    stamped(`its chunk ${chunk}`, atNs, readNs);
  }
  if (endNs < atNs) broken.push(`sample ${sampleId} ends before its last chunk`);
  return broken;
};

/** When each request of an open loop is due, since the run's zero. */
const scheduleOf = ({ plan, startNs }: EndedRun): readonly number[] => {
  if (plan.rate === undefined || startNs === undefined) return [];
  const times = arrivals({ kind: 'poisson', requestsPerSecond: plan.rate }, plan.seed);
  return Array.from({ length: plan.requests }, () => startNs + times.nextNs());
};

/** Lateness of the client never moves what was intended (coordinated omission). */
const due = (
  { plan, startNs }: EndedRun,
  { sampleId, intendedNs, sentNs, window }: EndedSample,
  shouldNs: number | undefined,
): readonly string[] => {
  const isWarmup = sampleId < plan.warmup;
  const broken: string[] = [];
  if (isWarmup !== window < 0)
    broken.push(
      `sample ${sampleId} is of ${isWarmup ? 'the warm-up' : 'the measured phase'} and reported otherwise`,
    );
  if (startNs === undefined) return broken;
  if (intendedNs !== shouldNs)
    broken.push(`sample ${sampleId} was due at ${shouldNs} ns and is reported as due at ${intendedNs}`);
  if (sentNs < intendedNs) broken.push(`sample ${sampleId} was sent before it was due`);
  return broken;
};

/** Of samples that the report has all. */
export const wrongSeries = (
  { plan }: EndedRun,
  samples: readonly EndedSample[],
  { series }: Report,
): readonly string[] => {
  const completed = samples.filter(({ window, outcome }) => window >= 0 && outcome === 'completed');
  const streamed = plan.isStreaming ? completed : [];
  const scheduled = plan.rate === undefined ? [] : completed;
  const expected: readonly (readonly [SeriesKey, readonly number[]])[] = [
    ['latencyNs', completed.map(({ endNs, sentNs }) => endNs - sentNs)],
    ['latencyFromIntendedNs', scheduled.map(({ endNs, intendedNs }) => endNs - intendedNs)],
    ['ttftNs', streamed.map(({ firstContentNs, sentNs }) => firstContentNs - sentNs)],
    ['chunkGapNs', streamed.flatMap(({ chunkGapsNs }) => chunkGapsNs)],
  ];
  return expected.flatMap(([key, values]) => {
    const [count, total] = [series[key]?.count ?? 0, Number(series[key]?.total ?? 0)];
    const sum = values.reduce((all, value) => all + value, 0);
    return count === values.length && Math.abs(total - sum) <= count
      ? []
      : [`${key}: the report has ${count} values, ${total} in all, the lines ${values.length}, ${sum}`];
  });
};

/** A few looks at the clock. */
const STAMP_NS_MAX = 1_000;
