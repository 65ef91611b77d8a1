// Where a report's figures come from, best first. At the end of a run: the final snapshot by message, its file, the
// last live one. Later, from the run directory alone: its file, a report that was complete, the samples counted
// again.

import { unlink } from 'node:fs/promises';
import { counted } from '../core/figure/figure.ts';
import { errorCode, errorMessage, type Problem, ProblemError } from '../core/problem.ts';
import { withCost } from '../core/run/account-cost.ts';
import type { Report, RunConfig } from '../core/run/report.ts';
import { lookUp, type MetricsSnapshot } from '../core/run/snapshot.ts';
import { isUnknown, unknown } from '../core/unknown.ts';
import { writeFileAtomic } from '../process/atomic-file.ts';
import { renderReport } from '../render/run/text-report.ts';
import { SNAPSHOT_BYTES_MAX, snapshotFromJson } from '../wire/snapshot-codec.ts';
import { reportToJson, runConfigFromJson } from '../wire/stored-json.ts';
import { buildReport } from './build-report.ts';
import { withDepthProfile } from './depth-samples.ts';
import { asForeign } from './foreign-report.ts';
import type { MetricsSnapshotSubscriber } from './metrics-snapshot-subscriber.ts';
import { isOfClient } from './report-client.ts';
import { runFiles } from './run-files.ts';
import { withSampleDetails } from './sample-details.ts';
import { type CountedSamples, countRun } from './samples-file.ts';
import { withScenario } from './scenario-samples.ts';
import { REPORT_FILES, readStoredFile } from './stored-file.ts';

export interface FinalSnapshot {
  readonly snapshot: MetricsSnapshot | undefined;
  readonly source: Report['source'];
}

interface FinalSnapshotOptions {
  readonly snapshots: MetricsSnapshotSubscriber;
  /** Resolves when the aggregator's process has exited, for any reason. */
  readonly aggregatorExited: Promise<unknown>;
  readonly directory: string;
  readonly signal: AbortSignal;
}

/** For the process that ran the load. Waits for the aggregator's end, and 2 s more for its message. */
export const finalSnapshot = async ({
  snapshots,
  aggregatorExited,
  directory,
  signal,
}: FinalSnapshotOptions): Promise<FinalSnapshot> => {
  const over = new AbortController();
  const waiting = AbortSignal.any([signal, over.signal]);
  const arrived = snapshots.waitForComplete(FOREVER_MS, waiting).catch(() => undefined);
  await Promise.race([arrived, aggregatorExited]);
  over.abort();
  signal.throwIfAborted();
  const complete = snapshots.complete ?? (await snapshots.waitForComplete(AFTER_EXIT_MS, signal));
  if (complete !== undefined) return { snapshot: complete, source: 'complete-message' };
  const file = await finalSnapshotIn(directory);
  if (file.kind === 'here') return { snapshot: file.document, source: 'final-snapshot-file' };
  const { latest } = snapshots;
  return { snapshot: latest, source: latest === undefined ? 'nothing' : 'live-snapshot' };
};

/**
 * How many of the records sent to the aggregator it did not receive. Batch numbers show it losses between batches;
 * losses after the last one show only here. 0 for a result that was cut short.
 */
export const recordsLost = (sentCount: number, snapshot: MetricsSnapshot | undefined): number =>
  snapshot?.state === 'complete' ? Math.max(0, sentCount - lookUp(snapshot).counter('recordsReceived')) : 0;

/** The directory is not one of a run, or its config.json cannot be read. */
export class RunDirectoryError extends ProblemError<
  Problem<'no-run' | 'unreadable', { readonly directory: string }>
> {
  override readonly name = 'RunDirectoryError';
}

interface RebuildOptions {
  /** The run is in progress: its results so far are not an interrupted run. */
  readonly isLive?: boolean;
}

/**
 * From the run directory alone, also for a run that was killed.
 * @throws RunDirectoryError
 */
export const rebuildReport = async (directory: string, options: RebuildOptions = {}): Promise<Report> => {
  const config = await storedRunConfig(directory);
  const report = await rebuiltFrom(directory, config, options);
  const kept = await readStoredFile(runFiles(directory).report, REPORT_FILES[0]);
  const judged =
    kept.kind === 'here' && kept.document.run.id === report.run.id ? judgedIn(kept.document) : {};
  const { samples } = runFiles(directory);
  return asForeign(
    withCost({
      ...(await withScenario(
        await withSampleDetails(await withDepthProfile(report, config.depth, samples), samples),
        samples,
      )),
      ...judged,
    }),
  );
};

/** Only the run itself could query the machine that it loaded. */
const judgedIn = ({
  headroom,
  calibration,
  energy,
  nodePrices,
}: Report): Pick<Report, 'headroom' | 'calibration' | 'energy' | 'nodePrices'> => ({
  ...(energy === undefined ? {} : { energy }),
  ...(nodePrices === undefined ? {} : { nodePrices }),
  ...(headroom === undefined ? {} : { headroom }),
  ...(calibration === undefined ? {} : { calibration }),
});

const rebuiltFrom = async (
  directory: string,
  config: RunConfig,
  { isLive = false }: RebuildOptions,
): Promise<Report> => {
  const files = runFiles(directory);
  const earlier = await readStoredFile(files.report, REPORT_FILES[0]);
  const report = earlier.kind === 'here' ? earlier.document : undefined;
  const final = await finalSnapshotIn(directory);
  const snapshot = final.kind === 'here' ? final.document : undefined;
  const runProblems = report?.runProblems ?? [];
  const known = {
    config,
    droppedEvents: report?.droppedEvents ?? 0,
    eventLogDropped: report?.eventLogDropped ?? 0,
    isInterrupted: report?.interrupted ?? false,
    ...(report?.agents === undefined ? {} : { agents: report.agents }),
    ...(report?.probes === undefined ? {} : { probes: report.probes }),
    ...(report?.stopped === undefined ? {} : { stopped: report.stopped }),
    ...(report !== undefined && isUnknown(report.server) ? { serverUnknown: report.server } : {}),
    ...(report === undefined ? {} : { littlesLaw: report.littlesLaw, machine: report.machine }),
    notices:
      final.kind === 'refused' && !final.isMissing
        ? [`final_snapshot.json cannot be used: ${final.reason}`]
        : [],
  };
  if (snapshot?.state === 'complete')
    return buildReport({
      ...known,
      ...(report?.tokenizer === undefined ? {} : { tokenizer: report.tokenizer }),
      snapshot,
      source: 'final-snapshot-file',
      runProblems,
      sourceProblems: [],
    });
  // It came by message when the file could not be written: the samples alone contain less.
  if (report?.complete === true && report.run.id === config.run.id) return report;
  const recounted = await countIfThere(files.samples, config);
  if (recounted === undefined) {
    const source = snapshot === undefined ? 'nothing' : 'final-snapshot-file';
    return buildReport({
      ...known,
      snapshot,
      source,
      runProblems,
      sourceProblems: ['samples.jsonl is missing or cannot be read'],
    });
  }
  const { unreadableLines, isTorn, end } = recounted;
  const merged = mergedSnapshot(recounted, snapshot, isLive);
  if (report !== undefined && isMoreComplete(report, config, recounted.samples)) {
    const all = report.counts.issued + report.warmup.issued;
    const notice = `samples.jsonl holds ${recounted.samples} of ${counted(all, 'sample')}; this is the run's own report`;
    return { ...report, notices: [...report.notices, notice] };
  }
  return buildReport({
    ...known,
    ...(report?.tokenizer === undefined ? {} : { tokenizer: unknown(RECOUNTED) }),
    snapshot: merged,
    source: 'samples-file',
    // The run's own report has those of the end line and more.
    runProblems: report === undefined ? (end?.problems ?? []) : runProblems,
    sourceProblems: [
      ...(isLive ? ['the run is in progress, and these are its figures so far'] : []),
      ...(end === undefined && !isLive ? ['samples.jsonl is cut off'] : []),
      ...(unreadableLines > 0
        ? [`${counted(unreadableLines, 'line')} of samples.jsonl could not be read`]
        : []),
    ],
    notices: [
      ...known.notices,
      `recounted from the ${counted(recounted.samples, 'request')} in samples.jsonl`,
      ...(isTorn ? ['the last line of samples.jsonl is incomplete and was left out'] : []),
    ],
  });
};

/** @throws RunDirectoryError */
export const storedRunConfig = async (directory: string): Promise<RunConfig> => {
  const config = await readStoredFile(runFiles(directory).config, {
    bytesMax: SNAPSHOT_BYTES_MAX,
    decode: runConfigFromJson,
  });
  if (config.kind === 'here') return config.document;
  if (config.isMissing) {
    throw new RunDirectoryError({
      code: 'no-run',
      directory,
      problem: `${directory} is not the directory of a run: it has no config.json.`,
      advice: 'Give the directory that `plimsoll bench` printed, by default <home>/runs/<id>.',
    });
  }
  throw new RunDirectoryError({
    code: 'unreadable',
    directory,
    problem: `The run in ${directory} cannot be read: ${config.reason}.`,
    advice: 'A report can only be made with the config.json that the run wrote.',
  });
};

const finalSnapshotIn = (directory: string): ReturnType<typeof readStoredFile<MetricsSnapshot>> =>
  readStoredFile(runFiles(directory).finalSnapshot, {
    bytesMax: SNAPSHOT_BYTES_MAX,
    decode: snapshotFromJson,
  });

const countIfThere = async (path: string, config: RunConfig): Promise<CountedSamples | undefined> => {
  try {
    return await countRun(path, config);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
};

/** Its result came to the run by message, and the disk was too full to store as much. */
const isMoreComplete = (report: Report, { run }: RunConfig, samples: number): boolean =>
  report.run.id === run.id &&
  (report.source === 'complete-message' || report.source === 'final-snapshot-file') &&
  report.counts.issued + report.warmup.issued > samples;

/** Figures from the samples; from the snapshot what no line contains: how many were issued, and the client's own. */
const mergedSnapshot = (
  { metrics, end }: CountedSamples,
  snapshot: MetricsSnapshot | undefined,
  isLive: boolean,
): MetricsSnapshot => {
  const known = lookUp(snapshot);
  const { samplesIssued, trackedSamplesIssued } = metrics.counters;
  // Warm-up and measured requests separately: a snapshot that lost records may have more of one kind and fewer of the
  // other.
  const all = end?.issued ?? known.counts('all').issued;
  const tracked = end?.trackedIssued ?? known.counts('measured').issued;
  const warmup = Math.max(samplesIssued.value - trackedSamplesIssued.value, all - tracked);
  trackedSamplesIssued.set(Math.max(trackedSamplesIssued.value, tracked));
  samplesIssued.set(trackedSamplesIssued.value + warmup);
  const clients = new Map(
    (snapshot?.metrics ?? []).filter(({ name }) => isOfClient(name)).map(metric => [metric.name, metric]),
  );
  return {
    seq: (snapshot?.seq ?? 0) + 1,
    timestampNs: snapshot?.timestampNs ?? 0,
    state: isLive ? 'live' : stateAtEnd(end, snapshot),
    pendingTasks: 0,
    metrics: metrics.final().map(metric => clients.get(metric.name) ?? metric),
    ...metrics.beside(),
    bounds: unknown('the marks that bounds rest on are not in samples.jsonl'),
    // Not contained in any line of a sample.
    ...(snapshot?.server === undefined ? {} : { server: snapshot.server }),
  };
};

/**
 * A file without an end, or an aggregator that was stopped before it, belongs to an interrupted run; problems are not
 * an interruption.
 */
const stateAtEnd = (
  end: CountedSamples['end'],
  snapshot: MetricsSnapshot | undefined,
): MetricsSnapshot['state'] => {
  if (end === undefined || snapshot?.state === 'interrupted') return 'interrupted';
  return end.problems === undefined ? end.state : 'complete';
};

const RECOUNTED =
  'these figures are recounted from samples.jsonl, which contains only the counts of the server';
const AFTER_EXIT_MS = 2_000;
/** Longer than any run; a timer takes no more. */
const FOREVER_MS = 2_147_483_647;

// Writes report.json and report.txt, each whole or not at all, and each even if the other one fails.

/** One sentence for each file that could not be written; empty if both were. */
export const writeReportFiles = async (directory: string, report: Report): Promise<readonly string[]> => {
  const files = runFiles(directory);
  // A killed run left it.
  await unlink(files.reserve).catch(() => undefined);
  const written = await Promise.allSettled([
    writeFileAtomic(files.report, reportToJson(report)),
    writeFileAtomic(
      files.reportText,
      `${renderReport(report, { isUnicode: true, isFull: true }).join('\n')}\n`,
    ),
  ]);
  return written.flatMap((result, index) =>
    result.status === 'fulfilled'
      ? []
      : [
          `${index === 0 ? files.report : files.reportText} could not be written: ${errorMessage(result.reason)}`,
        ],
  );
};
