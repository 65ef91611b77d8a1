// Runs as stored documents, with what only they have: a lease of their own, series over time, and the constants of an engine.

import { DOCUMENT_KINDS } from '../../core/document/document-kinds.ts';
import { LEASE_MS } from '../../core/document/document-views.ts';
import { EVENT_KINDS, type Fact } from '../../core/event-kinds.ts';
import { isRunId, type RunId } from '../../core/ids.ts';
import type { Report } from '../../core/run/report.ts';
import {
  type Run,
  type RunEnd,
  type Runner,
  type RunProgress,
  type RunStart,
  runEndSchema,
  runProgressSchema,
  runStartSchema,
} from '../../core/run/run.ts';
import { runDigest, runRequested, shortName, stateOf } from '../../core/run/run-digest.ts';
import { runnerKeyOf, STORED_RUNS } from '../../core/run/run-selectors.ts';
import { runIdSchema } from '../../core/schema.ts';
import { isUnknown, unknown } from '../../core/unknown.ts';
import { runFiles } from '../../metrics/run-files.ts';
import { withServerColumns } from '../../metrics/server-columns.ts';
import { REPORT_FILES } from '../../metrics/stored-file.ts';
import type { RunSeriesAnswer } from '../../wire/api/run-answers.ts';
import {
  ABANDONED_MS,
  type DocumentKind,
  type DocumentTypes,
  type RegistryParts,
  type RoutedKind,
} from './document-kind.ts';
import { DocumentRegistry, type ReportedState } from './document-registry.ts';
import { EngineCalibrations } from './engine-calibrations.ts';
import { FinishedSeries } from './finished-series.ts';
import { RegisteredRun } from './live-run.ts';
import { readReport, rebuiltReport } from './run-reports.ts';
import { plainTarget, type TargetSources, targetNodeOf } from './target-node.ts';

/** Updates of one run that come sooner after the last are not news. */
export const PROGRESS_MS_MIN = 100;

export interface RunTypes extends DocumentTypes {
  readonly id: RunId;
  readonly begun: RunStart;
  readonly update: RunProgress;
  readonly ended: RunEnd;
  readonly stored: Run;
  readonly live: RegisteredRun;
  readonly file: Report;
}

/** What the routes of runs need. */
export const RUN_DOCUMENT: RoutedKind<RunTypes> = {
  ...STORED_RUNS,
  ...DOCUMENT_KINDS.run,
  idMeaning: 'The id of a run.',
  idSchema: runIdSchema,
  isId: isRunId,
  idOf: ({ runId }) => runId,
  noSuch: text => ({
    problem: `No run ${text} is known here.`,
    advice: 'GET /api/runs lists the runs.',
  }),
  startBody: runStartSchema,
  updateBody: runProgressSchema,
  endBody: runEndSchema,
  summaries: {
    start: 'A benchmark starts on this machine. Repeating the call only updates what it reports.',
    progress: 'The newest figures of a run, at most ten a second; earlier ones are dropped.',
    end: 'A run has ended: its state, the digest of its report, and the directory of the report.',
    stop: 'Requests that a run on this machine stop now and report, as Ctrl-C does; it is then `interrupted`. Its process receives the request with the reply to its next update.',
  },
};

export class RunRegistry extends DocumentRegistry<RunTypes> {
  readonly #parts: RegistryParts;
  readonly #finished: FinishedSeries;
  readonly #calibrations: EngineCalibrations;

  constructor(parts: RegistryParts) {
    const finished = new FinishedSeries();
    const calibrations = new EngineCalibrations(parts);
    super(runKind(parts, { finished, calibrations }), parts);
    this.#parts = parts;
    this.#finished = finished;
    this.#calibrations = calibrations;
  }

  lease(runId: RunId, requestsInFlight: number): ReportedState {
    return this.news(runId, ({ document }) => [leaseOf(document, requestsInFlight)]);
  }

  /** Of this node's runs; undefined where there is no report that can be read. */
  async report(runId: RunId): Promise<Report | undefined> {
    const file = await this.file(runId);
    return file !== undefined && 'document' in file ? file.document : undefined;
  }

  /** Where a run of this node that has ended keeps its files; undefined where there is none. */
  directoryOf(runId: RunId): string | undefined {
    const run = this.own(runId);
    return run === undefined || run.state === 'running' ? undefined : run.directory;
  }

  /** Of this node's runs. */
  async series(runId: RunId): Promise<RunSeriesAnswer | undefined> {
    const run = this.own(runId);
    const progress = this.inProgress(runId);
    if (progress !== undefined) {
      const { live, document } = progress;
      const series = await withServerColumns(runFiles(document.directory).server, live.picture());
      return { runId, isLive: true, series, notice: live.notice };
    }
    return run === undefined ? undefined : { runId, isLive: false, ...(await this.#finished.read(run)) };
  }

  /** Adds a run that no daemon received, by its report; nothing if there is none, if it is known, or if there is no room. */
  async find(directory: string, sweep: Run['sweep']): Promise<void> {
    const run = this.hasRoom ? await runIn(directory, sweep, this.#parts) : undefined;
    if (run !== undefined && this.own(run.runId) === undefined) this.add(run);
  }

  override async look(): Promise<void> {
    await super.look();
    await this.#calibrations.look();
  }
}

const runKind = (
  parts: RegistryParts,
  {
    finished,
    calibrations,
  }: { readonly finished: FinishedSeries; readonly calibrations: EngineCalibrations },
): DocumentKind<RunTypes> => ({
  ...RUN_DOCUMENT,
  files: REPORT_FILES,
  fileId: ({ run }) => run.id,
  storedLimit: EVENT_KINDS['run.started'].entriesMax,
  liveLimit: EVENT_KINDS['progress.reported'].entriesMax,
  begin: begun => {
    const target = plainTarget(begun.target);
    return {
      ...begun,
      target,
      targetNode: targetNodeOf(target, parts),
      state: 'running',
      reason: '',
      figures: unknown('the run has not ended'),
    };
  },
  open: (run, live) => {
    finished.forget(run.runId);
    return live ?? new RegisteredRun(run);
  },
  isReopened: true,
  started: payload => ({ kind: 'run.started', payload }),
  ended: payload => ({ kind: 'run.ended', payload }),
  leases: run => [leaseOf(run, unknown('not reported yet'))],
  reported: ({ live }, progress, { clock }) => {
    const nowMs = clock.nowMs();
    if (nowMs - live.progressAtMs < PROGRESS_MS_MIN) return [];
    live.update(progress, nowMs);
    const figures = live.explained(progress.figures);
    return [{ kind: 'progress.reported', payload: { ...progress, figures } }];
  },
  end: ({ document, live }, ended) => ({
    ...document,
    ...ended,
    figures: isUnknown(ended.figures) ? ended.figures : live.explained(ended.figures),
  }),
  settledAfterMs: LEASE_MS,
  /** Its report, when it wrote one while nobody listened, is the truth; else it was interrupted. */
  settle: async (run, { silentMs, file: report, live, parts: { state, nodeId } }) => {
    const explained = (figures: Run['figures']): Run['figures'] =>
      live === undefined || isUnknown(figures) ? figures : live.explained(figures);
    if (report !== undefined) {
      const ended = endOf(report);
      return { ...run, ...ended, figures: explained(ended.figures), model: shortName(report.run.model) };
    }
    if (silentMs <= ABANDONED_MS) return undefined;
    const rebuilt = await rebuiltReport(run.directory);
    const reported = state().runProgress[nodeId]?.[run.runId]?.value.figures;
    return {
      ...run,
      state: 'interrupted',
      reason: 'its process exited unexpectedly; plimsoll report rebuilds its report',
      figures: explained(
        rebuilt?.run.id === run.runId ? runDigest(rebuilt) : (reported ?? unknown('it reported no figures')),
      ),
    };
  },
  find: async directory => {
    const document = await runIn(directory, NO_STAGE, parts);
    return document === undefined ? undefined : { document, isWritten: false };
  },
  look: ({ live }, nowMs) => live.read(nowMs),
  whenEnded: run => {
    finished.forget(run.runId);
    calibrations.ended(run);
  },
});

const leaseOf = (run: Run, requestsInFlight: Runner['requestsInFlight']): Fact => ({
  kind: 'runner.reported',
  payload: {
    runnerKey: runnerKeyOf(run.runId),
    source: 'run',
    targetNode: run.targetNode,
    requestsInFlight,
  },
});

/** A run as the cluster stores it, by a report that nobody announced. */
const runIn = async (
  directory: string,
  sweep: Run['sweep'],
  sources: TargetSources,
): Promise<Run | undefined> => {
  const report = await readReport(directory);
  if (report === undefined || !isRunId(report.run.id)) return undefined;
  const target = plainTarget(report.run.target);
  return {
    runId: report.run.id,
    startedAt: report.run.startedAt,
    target,
    targetNode: targetNodeOf(target, sources),
    ...runRequested(report.run),
    limits: { samplesMax: NOT_IN_REPORT, durationMs: NOT_IN_REPORT },
    objectives: (report.objectives ?? []).map(({ name, limitNs }) => ({ name, limitNs })),
    runObjectives: NOT_IN_REPORT,
    attainment: NOT_IN_REPORT,
    directory,
    ...endOf(report),
    sweep,
  };
};

const endOf = (report: Report): Pick<Run, 'state' | 'reason' | 'figures'> => ({
  state: stateOf(report),
  /** '' where it is complete. */
  reason: (report.incompleteReason ?? '').slice(0, REASON_LENGTH_MAX),
  figures: runDigest(report),
});

const NOT_IN_REPORT = unknown('not in the report');
const NO_STAGE = unknown('not a stage of a sweep');
const REASON_LENGTH_MAX = 1_000;
