// What must be true of a run that has ended, however much went wrong in it.

import type { EndedSample } from '../../../src/core/run/ended-sample.ts';
import { NO_FIGURE } from '../../../src/core/run/event-record.ts';
import type { SampleCounts } from '../../../src/core/run/outcome.ts';
import type { Report } from '../../../src/core/run/report.ts';
import { decodeSampleLine, type SampleFileLine } from '../../../src/wire/sample-line.ts';
import type { EndedRun } from './ended-run.ts';
import { isHarmless } from './run-faults.ts';
import { wrongSeries, wrongTimes } from './run-times.ts';

export const brokenInRun = (run: EndedRun): readonly string[] => {
  if (!run.hasEnded) return ['the run did not end'];
  const lines = decodedIn(run.lines);
  const samples = lines.flatMap(line => (line.kind === 'sample' ? [line.sample] : []));
  const { report } = run;
  if (report === undefined) return ['there is no report'];
  return [
    ...endLine(run, lines),
    ...outcomes(run, samples),
    ...atServer(run, samples),
    ...wrongTimes(run, samples),
    ...accounts(run, samples, report),
    ...reported(run, samples, report),
    ...falseAlarms(run, samples, report),
    ...oldViews(run),
  ];
};

/** Whole lines; the last one may have been cut by a disk that was full. */
const decodedIn = (lines: string): readonly SampleFileLine[] =>
  lines.split('\n').flatMap(line => (line === '' ? [] : [decodeSampleLine(line)]));

/** A process that ended normally has written a last line with the number of requests. */
const endLine = (
  { session, isKilled, isDiskFull }: EndedRun,
  lines: readonly SampleFileLine[],
): readonly string[] => {
  const unreadable = lines.flatMap(line => (line.kind === 'unreadable' ? [line.reason] : []));
  if (unreadable.length > 0 && !isDiskFull)
    return unreadable.map(reason => `a line is unreadable: ${reason}`);
  if (isKilled || isDiskFull || session === undefined || session.load.kind === 'incomplete') return [];
  const last = lines.at(-1);
  if (last?.kind !== 'end') return ['samples.jsonl has no last line'];
  const { issued, trackedIssued } = last.end;
  const tracked = session.issued - session.warmupIssued;
  return issued === session.issued && trackedIssued === tracked
    ? []
    : [`the last line contains ${issued} and ${trackedIssued} requests of ${session.issued} and ${tracked}`];
};

/** Every sample has exactly one outcome. */
const outcomes = (
  { session, isDiskFull, hasLostThread, plan, server, isKilled }: EndedRun,
  samples: readonly EndedSample[],
): readonly string[] => {
  const broken: string[] = [];
  const seen = new Set<number>();
  for (const { sampleId } of samples) {
    if (seen.has(sampleId)) broken.push(`sample ${sampleId} has two outcomes`);
    seen.add(sampleId);
  }
  const dropped = session?.load.droppedEvents ?? 0;
  if (isKilled || isDiskFull || dropped > 0) return broken;
  const lostParser = hasLostThread && isPartLost(plan, 'parse');
  if (lostParser) return broken;
  const hadHung = hasLostThread && plan.faults.some(({ kind }) => kind === 'thread-hangs');
  for (const [sampleId] of server.served)
    if (!seen.has(sampleId) && !hadHung)
      broken.push(`sample ${sampleId} reached the server and has no outcome`);
  if (session !== undefined && !hasLostThread && session.issued !== samples.length)
    broken.push(`${session.issued} samples were issued and ${samples.length} have an outcome`);
  return broken;
};

/** A sample's line agrees with what the server did. */
const atServer = ({ server, plan }: EndedRun, samples: readonly EndedSample[]): readonly string[] =>
  samples.flatMap(sample => {
    const { sampleId, outcome, outputTokens, chunkCount, bytesReceived, failure } = sample;
    const served = server.served.get(sampleId);
    const what = `sample ${sampleId} (${outcome} ${failure?.kind ?? ''})`;
    if (outcome === 'completed') {
      if (served === undefined) return [`${what} never reached the server`];
      if (!served.isAnswered) return [`${what}, and its answer never came to its end`];
      // Of a stream that was cut behind its finish reason the usage may be missing.
      if (outputTokens !== served.tokens && (served.isWhole || outputTokens !== NO_FIGURE))
        return [`${what} has ${outputTokens} tokens of ${served.tokens} that were sent`];
      if (plan.isStreaming && chunkCount !== served.tokens)
        return [`${what} has ${chunkCount} chunks of ${served.tokens} that were sent`];
      if (bytesReceived !== served.bytesRead)
        return [`${what} counts ${bytesReceived} bytes of ${served.bytesRead}`];
      return [];
    }
    if (served?.isWhole === true && failure?.kind !== 'client' && outcome !== 'cancelled')
      return [`${what}, and its reply came whole`];
    if (served?.isWhole === true && outcome === 'cancelled') return [`${what}, and its reply came whole`];
    return [];
  });

/** The report is the fold of what was published, nothing twice and nothing left out. */
const accounts = (run: EndedRun, samples: readonly EndedSample[], report: Report): readonly string[] => {
  const { isKilled, isBlind, isDiskFull, session, lostRecords, hasLostThread } = run;
  const broken: string[] = [];
  const sums = [report.counts, report.warmup];
  for (const { issued, completed, failed, cancelled, unresolved } of sums)
    if (completed + failed + cancelled + unresolved !== issued || unresolved < 0)
      broken.push(`the report does not add up: ${JSON.stringify(sums)}`);
  if (Object.keys(report.recordProblems).some(key => !EXPECTED_PROBLEMS.includes(key)))
    if (lostRecords === 0 && (session?.load.droppedEvents ?? 0) === 0)
      broken.push(`records that do not fit: ${JSON.stringify(report.recordProblems)}`);
  const isFromSamples = isKilled || isBlind;
  const isWhole = lostRecords === 0 && (session?.load.droppedEvents ?? 0) === 0 && !isDiskFull;
  if (!isWhole || (hasLostThread && !isFromSamples)) {
    return broken;
  }
  const known = countsOf(samples.filter(({ window }) => window >= 0));
  const warm = countsOf(samples.filter(({ window }) => window < 0));
  for (const [name, reported, expected] of [
    ['measured', report.counts, known],
    ['warm-up', report.warmup, warm],
  ] as const) {
    for (const key of ['completed', 'failed', 'cancelled'] as const)
      if (reported[key] !== expected[key])
        broken.push(
          `${name}: the report contains ${reported[key]} ${key} (${report.source}), the lines ${expected[key]}`,
        );
  }
  const tokens = samples
    .filter(({ window, outcome }) => window >= 0 && outcome === 'completed')
    .reduce((sum, { outputTokens }) => sum + Math.max(0, outputTokens), 0);
  const reportedTokens = Number(report.series['outputTokens']?.total ?? 0);
  if (reportedTokens !== tokens)
    broken.push(`the report contains ${reportedTokens} tokens, the lines ${tokens}`);
  const errors = Object.values(report.errors).reduce((sum, count) => sum + count, 0);
  if (errors !== known.failed) broken.push(`${errors} errors reported of ${known.failed} failed requests`);
  return [...broken, ...wrongSeries(run, samples, report)];
};

/** No figure of a run that lost something is shown without a notice. */
const reported = (
  { plan, lostRecords, shownLostRecords, session, isKilled, isStopped, isBlind, isDiskFull }: EndedRun,
  samples: readonly EndedSample[],
  report: Report,
): readonly string[] => {
  const broken: string[] = [];
  const isFromSamples = report.source === 'samples-file';
  const seenLost = report.recordProblems['droppedEvents'] ?? 0;
  if (report.source === 'complete-message' && report.state === 'complete' && seenLost !== shownLostRecords)
    broken.push(`the aggregator saw ${seenLost} lost records of ${shownLostRecords}`);
  if (lostRecords > 0 && !isFromSamples && report.complete)
    broken.push(`${lostRecords} records were lost and the report is complete`);
  // A process that dies after the final snapshot of a session that had ended has published everything.
  const hasFinal = report.source === 'final-snapshot-file';
  if ((isKilled || isBlind) && !hasFinal && report.complete)
    broken.push('a run that broke off has a complete report');
  if (isStopped && !isKilled && !isBlind && !report.interrupted)
    broken.push('a run that was stopped is reported as one that was not');
  if (isDiskFull && !isKilled && !isBlind && report.complete && samples.length < (session?.issued ?? 0))
    broken.push('the disk was full and the report is complete');
  const dropped = session?.load.droppedEvents ?? 0;
  const failedByClient = samples.filter(({ failure }) => failure?.kind === 'client').length;
  if (
    session !== undefined &&
    session.load.arenaFullCount > 0 &&
    failedByClient === 0 &&
    dropped === 0 &&
    !isDiskFull &&
    !isPartLost(plan, 'parse')
  )
    broken.push('a ring was full and no request failed because of the client');
  if (
    !isFromSamples &&
    (dropped > 0 || measuredByClient(samples) > 0) &&
    report.client.verdict === 'trustworthy'
  )
    broken.push('the client lost replies and is trusted');
  return broken;
};

/**
 * A run to which nothing happened but what runs are there to measure is complete, and nothing reports
 * otherwise.
 */
const falseAlarms = (
  { plan, session }: EndedRun,
  samples: readonly EndedSample[],
  report: Report,
): readonly string[] => {
  if (!plan.faults.every(isHarmless) || plan.ringBytes < RING_BYTES_ENOUGH) return [];
  const broken = [...(session?.load.reasons ?? []), ...report.runProblems];
  if (!report.complete) broken.push(`the report is not complete: ${report.incompleteReason}`);
  if (report.interrupted) broken.push('the run is reported as interrupted');
  if (report.client.verdict !== 'trustworthy' && measuredByClient(samples) === 0)
    broken.push(...report.client.reasons);
  const issued = report.counts.issued + report.warmup.issued;
  if (issued !== plan.requests + plan.warmup)
    broken.push(`${issued} requests of ${plan.requests + plan.warmup}`);
  return broken.map(what => `nothing was wrong, and yet: ${what}`);
};

/** Who watches a run sees it live. */
const oldViews = ({ openedNs, snapshotsNs, isBlind, plan }: EndedRun): readonly string[] => {
  if (isBlind || plan.faults.some(({ kind }) => kind === 'final-message-lost')) return [];
  return snapshotsNs.flatMap((atNs, index) => {
    const waitedMs = (atNs - (snapshotsNs[index - 1] ?? openedNs)) / 1e6;
    return waitedMs > SNAPSHOT_MS_MAX ? [`for ${waitedMs.toFixed(0)} ms no snapshot came`] : [];
  });
};

const measuredByClient = (samples: readonly EndedSample[]): number =>
  samples.filter(({ window, failure }) => window >= 0 && failure?.kind === 'client').length;

const isPartLost = ({ faults }: EndedRun['plan'], part: 'load' | 'parse'): boolean =>
  faults.some(fault => 'part' in fault && typeof fault.part === 'string' && fault.part === part);

const countsOf = (samples: readonly EndedSample[]): Omit<SampleCounts, 'issued' | 'unresolved'> => {
  const count = (outcome: EndedSample['outcome']): number =>
    samples.filter(sample => sample.outcome === outcome).length;
  return { completed: count('completed'), failed: count('failed'), cancelled: count('cancelled') };
};

/** Of batches that came twice, and of a disk that is full. */
const EXPECTED_PROBLEMS: readonly string[] = ['recordsDuplicate', 'finalFileFailed'];
const RING_BYTES_ENOUGH = 65_536;
/** They come each 200 ms. */
const SNAPSHOT_MS_MAX = 500;
