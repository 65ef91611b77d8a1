// The end of a run: the aggregator's result, the samples on disk, and a report from the better of both, written and
// returned. Every wait here has a limit.

import { withCost } from '../../core/run/account-cost.ts';
import type { MachineDuringRun, Report, RunConfig } from '../../core/run/report.ts';
import type { RunStop } from '../../core/run/run-stop.ts';
import { unknown } from '../../core/unknown.ts';
import { buildReport } from '../../metrics/build-report.ts';
import { withDepthProfile } from '../../metrics/depth-samples.ts';
import { type FinalSnapshot, rebuildReport } from '../../metrics/report-sources.ts';
import { withSampleDetails } from '../../metrics/sample-details.ts';
import { withScenario } from '../../metrics/scenario-samples.ts';
import { renderReport } from '../../render/run/text-report.ts';
import { encodeSamplesEnd } from '../../wire/sample-line.ts';
import type { AggregatorChild } from './aggregator-child.ts';
import type { BenchParts, BenchResult } from './bench-parts.ts';
import { type AnswerCounter, type CountedAnswers, countAnswers, forgetAnswers } from './count-answers.ts';
import type { EventLogChild } from './event-log-child.ts';
import type { MeasuredRun } from './measure.ts';
import type { RunDirectory } from './run-directory.ts';
import type { SamplesFile } from './samples-file.ts';

interface FinishOptions extends MeasuredRun {
  readonly parts: BenchParts;
  readonly config: RunConfig;
  readonly directory: RunDirectory;
  readonly samples: SamplesFile;
  /** Counts what the file of answers has. */
  readonly tokenizer: { readonly counter: AnswerCounter; readonly answers: SamplesFile } | undefined;
  readonly aggregator: AggregatorChild;
  readonly eventLog: EventLogChild | undefined;
  readonly machine: MachineDuringRun;
  /** Set if one of the run's own rules stopped it. */
  readonly stopped: RunStop | undefined;
  readonly notices: readonly string[];
}

export const finishRun = async (options: FinishOptions): Promise<BenchResult> => {
  const { parts, session, samples, aggregator, eventLog, directory } = options;
  const isInterrupted = parts.stop.aborted;
  const [account, log] = await Promise.all([
    aggregator.finish(parts.stopNow),
    eventLog?.finish(parts.stopNow),
  ]);
  const { isBlind } = options;
  const problems = [
    ...(options.stopped === undefined ? [] : [`it was stopped: ${options.stopped.problem}`]),
    ...session.load.reasons,
    ...account.problems,
    ...(isBlind && account.problems.length === 0 ? ['the aggregator was stopped before the run'] : []),
  ];
  // Only now: readers take a file with an end marker for a complete run.
  if (session.load.kind !== 'incomplete') {
    const end = encodeSamplesEnd({
      issued: session.issued,
      trackedIssued: session.issued - session.warmupIssued,
      state: isInterrupted ? 'interrupted' : 'complete',
      problems,
    });
    samples.append(Buffer.from(end));
  }
  await samples.close(diskPatience(parts));
  const runProblems = [...problems, ...(samples.problem === undefined ? [] : [samples.problem])];
  const counted = await tokensCounted(options, account);
  const report = buildReport({
    config: options.config,
    snapshot: counted?.snapshot ?? account.snapshot,
    ...(counted === undefined ? {} : { tokenizer: counted.account }),
    source: account.source,
    droppedEvents: session.load.droppedEvents + account.droppedRecords,
    eventLogDropped: log?.droppedRecords ?? 0,
    isInterrupted,
    runProblems,
    sourceProblems: [],
    machine: options.machine,
    ...(options.stopped === undefined ? {} : { stopped: options.stopped }),
    ...(options.probes === undefined ? {} : { probes: options.probes }),
    ...(options.inFlight === undefined ? {} : { inFlight: options.inFlight }),
    ...(options.serverUnknown === undefined ? {} : { serverUnknown: options.serverUnknown }),
    notices: [...options.notices, ...(counted?.notices ?? []), ...(log?.notices ?? [])],
  });
  const isWhole = !isBlind && FINAL_SOURCES.includes(account.source);
  const detailed = isWhole
    ? await withScenario(
        await withSampleDetails(
          await withDepthProfile(report, options.config.depth, directory.files.samples),
          directory.files.samples,
        ),
        directory.files.samples,
      )
    : await countedAgain(report, directory);
  const judged = parts.judge === undefined ? detailed : { ...detailed, ...(await parts.judge(detailed)) };
  const best = withCost(judged);
  // A reader of the file cannot request --full: it contains everything, with the summary that fits on a screen at its
  // top.
  const full = renderReport(best, { isUnicode: true, isFull: true });
  const diskProblems = await directory.writeReport(best, `${full.join('\n')}\n`);
  return { report: best, diskProblems };
};

/**
 * Only for a complete result: figures that are recounted from samples.jsonl alone contain the server's own counts.
 */
const tokensCounted = async (
  { tokenizer, directory, config, parts }: FinishOptions,
  { snapshot, source }: FinalSnapshot,
): Promise<Partial<CountedAnswers> | undefined> => {
  if (tokenizer === undefined) return undefined;
  await tokenizer.answers.close(diskPatience(parts));
  const { files } = directory;
  const counted =
    snapshot === undefined || !FINAL_SOURCES.includes(source)
      ? { account: unknown('the metrics of the run are not whole'), notices: [] }
      : await countAnswers({ ...tokenizer, files, config, snapshot, signal: parts.stopNow });
  return { ...counted, notices: [...counted.notices, ...(await forgetAnswers(files))] };
};

/** A working disk writes the last lines within this time, even if the user requested an immediate end. */
const diskPatience = ({ stopNow, settings }: BenchParts): AbortSignal =>
  stopNow.aborted
    ? AbortSignal.timeout(HASTY_DISK_MS)
    : AbortSignal.any([stopNow, AbortSignal.timeout(settings.diskMsMax)]);

/** Without a complete result from the aggregator, the samples on disk are more recent than its last figures. */
const countedAgain = async (report: Report, directory: RunDirectory): Promise<Report> => {
  // The rebuilt report reads this file for the problems that the run itself recorded.
  const problems = await directory.writeReport(report, '');
  if (problems.length > 0) return report;
  const rebuilt = await rebuildReport(directory.path).catch((): undefined => undefined);
  return rebuilt === undefined ? report : { ...rebuilt, notices: [...report.notices, ...rebuilt.notices] };
};

const HASTY_DISK_MS = 500;
const FINAL_SOURCES: readonly Report['source'][] = ['complete-message', 'final-snapshot-file'];
