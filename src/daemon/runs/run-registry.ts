// Receives the reports of benchmark processes of this machine about their runs, and serves their reports and charts. It writes
// events only for its own runs. A silent run is given up after a minute, not at once: a laptop that slept continues, and pages
// have shown "interrupted" since its lease ran out.

import { ageMsOf } from '../../core/entry-maps.ts';
import { EVENT_KINDS } from '../../core/event-kinds.ts';
import { isRunId, type RunId } from '../../core/ids.ts';
import type { Report } from '../../core/run/report.ts';
import type { Run, RunProgress } from '../../core/run/run.ts';
import { runDigest, runRequested, shortName, stateOf } from '../../core/run/run-digest.ts';
import { LEASE_MS, runnerKeyOf } from '../../core/run/run-selectors.ts';
import type { Entry } from '../../core/state.ts';
import { isUnknown, unknown } from '../../core/unknown.ts';
import { runFiles } from '../../metrics/run-files.ts';
import { withServerColumns } from '../../metrics/server-columns.ts';
import type { RunSeriesAnswer } from '../../wire/api/run-answers.ts';
import type { RunEnd, RunStart } from '../../wire/run-schema.ts';
import { nowAndEvery } from '../every.ts';
import { type CalibrationParts, EngineCalibrations } from './engine-calibrations.ts';
import { FinishedSeries } from './finished-series.ts';
import { RegisteredRun } from './live-run.ts';
import { readReport, rebuiltReport, runFolders } from './run-reports.ts';
import { plainTarget, type TargetSources, targetNodeOf } from './target-node.ts';

/** Silence after which a run that never reported its end is recorded as interrupted. */
export const ABANDONED_MS = 60_000;
/** How often live runs are looked at, and run directories for reports that nobody announced. */
export const LOOK_MS = 1_000;
export const SCAN_MS = 30_000;
/** Updates of one run that come sooner after the last are not news. */
export const PROGRESS_MS_MIN = 100;

export interface RunRegistryParts extends CalibrationParts {
  readonly home: string;
  readonly isOwnAddress: (address: string) => boolean;
}

/**
 * 'stop': accepted, and a person requested that the run end. 'waiting': the disk refuses it for now, retry. 'unknown': report the
 * run first. 'full': too many runs at once.
 */
export type ReportedState = 'taken' | 'stop' | 'waiting' | 'unknown' | 'full';

export class RunRegistry {
  readonly #parts: RunRegistryParts;
  readonly #live = new Map<RunId, RegisteredRun>();
  readonly #finished = new FinishedSeries();
  readonly #calibrations: EngineCalibrations;
  /** Live runs that a person requested to end; each receives the request with the reply to its next report. */
  readonly #stopRequested = new Set<RunId>();
  readonly #startedAtMs: number;
  /** Run directory to when it changed last. */
  #looked = new Map<string, number>();
  #scannedAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: RunRegistryParts) {
    this.#parts = parts;
    this.#calibrations = new EngineCalibrations(parts);
    this.#startedAtMs = parts.clock.nowMs();
  }

  start(begun: RunStart): ReportedState {
    if (!this.#live.has(begun.runId) && this.#live.size >= EVENT_KINDS['progress.reported'].entriesMax)
      return 'full';
    const target = plainTarget(begun.target);
    const run: Run = {
      ...begun,
      target,
      targetNode: targetNodeOf(target, this.#parts),
      state: 'running',
      reason: '',
      figures: unknown('the run has not ended'),
    };
    const recorded = this.#parts.record({ kind: 'run.started', payload: run });
    this.#open(run);
    this.#finished.forget(run.runId);
    this.#lease(run, unknown('not reported yet'));
    return recorded === 'waiting' ? 'waiting' : 'taken';
  }

  progress(progress: RunProgress): ReportedState {
    const live = this.#liveOf(progress.runId);
    if (live === undefined) return 'unknown';
    const nowMs = this.#parts.clock.nowMs();
    if (nowMs - live.progressAtMs < PROGRESS_MS_MIN) return this.#taken(progress.runId);
    live.update(progress, nowMs);
    const figures = live.explained(progress.figures);
    this.#parts.record({ kind: 'progress.reported', payload: { ...progress, figures } });
    return this.#taken(progress.runId);
  }

  lease(runId: RunId, requestsInFlight: number): ReportedState {
    const live = this.#liveOf(runId);
    if (live === undefined) return 'unknown';
    this.#lease(live.run, requestsInFlight);
    return this.#taken(runId);
  }

  /**
   * Requests that a run of this machine end as by Ctrl-C, with its report. Its process receives the request with the reply to its
   * next report: no process is signalled, so none that only has the same number can be hit. False if none is in progress.
   */
  stop(runId: RunId): boolean {
    if (this.#own(runId)?.value.state !== 'running') return false;
    this.#stopRequested.add(runId);
    return true;
  }

  end(ended: RunEnd): ReportedState {
    const live = this.#live.get(ended.runId);
    // The disk may not have taken the start yet.
    const run = this.#own(ended.runId)?.value ?? live?.run;
    if (run === undefined) return 'unknown';
    const figures =
      live === undefined || isUnknown(ended.figures) ? ended.figures : live.explained(ended.figures);
    const recorded = this.#parts.record({ kind: 'run.ended', payload: { ...run, ...ended, figures } });
    if (recorded === 'waiting') return 'waiting';
    this.#live.delete(ended.runId);
    this.#stopRequested.delete(ended.runId);
    this.#finished.forget(ended.runId);
    this.#calibrations.ended(run);
    return 'taken';
  }

  /** Where a run of this node that has ended keeps its files; undefined where there is none. */
  directoryOf(runId: RunId): string | undefined {
    const run = this.#own(runId)?.value;
    return run === undefined || run.state === 'running' ? undefined : run.directory;
  }

  /** Of this node's runs; undefined where there is no report that can be read. */
  async report(runId: RunId): Promise<Report | undefined> {
    const run = this.#own(runId)?.value;
    if (run === undefined) return undefined;
    const report = await readReport(run.directory);
    return report?.run.id === runId ? report : undefined;
  }

  /** Of this node's runs. */
  async series(runId: RunId): Promise<RunSeriesAnswer | undefined> {
    const live = this.#live.get(runId);
    if (live !== undefined) {
      const { server } = runFiles(live.run.directory);
      const series = await withServerColumns(server, live.picture());
      return { runId, isLive: true, series, notice: live.notice };
    }
    const run = this.#own(runId)?.value;
    if (run === undefined) return undefined;
    return { runId, isLive: false, ...(await this.#finished.read(run)) };
  }

  /** Adds a run that no daemon received, by its report; nothing if there is none, if it is known, or if there is no room. */
  async find(directory: string, sweep: Run['sweep']): Promise<void> {
    const report = this.#hasRoom ? await readReport(directory) : undefined;
    if (report === undefined || !isRunId(report.run.id) || this.#own(report.run.id) !== undefined) return;
    const run = { ...runOfReport(report, report.run.id, directory, this.#parts), sweep };
    this.#parts.record({ kind: 'run.ended', payload: run });
    this.#calibrations.ended(run);
  }

  /** Follows live runs, gives up silent ones and finds reports, until the signal aborts. */
  async follow(signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    await nowAndEvery(LOOK_MS, () => this.look(), { clock, until: signal });
  }

  /** One round of `follow`. */
  async look(): Promise<void> {
    for (const [runId, live] of this.#live) {
      const own = this.#own(runId);
      // Its end waited for the disk, and is stored now.
      if (own !== undefined && own.value.state !== 'running') this.#live.delete(runId);
      else await live.read(this.#parts.clock.nowMs());
    }
    await this.#giveUpSilent();
    await this.#calibrations.look();
    if (this.#parts.clock.nowMs() - this.#scannedAtMs < SCAN_MS) return;
    this.#scannedAtMs = this.#parts.clock.nowMs();
    await this.#findReports();
  }

  #taken(runId: RunId): ReportedState {
    return this.#stopRequested.has(runId) ? 'stop' : 'taken';
  }

  /** A restarted daemon follows a running run of its journal again. */
  #liveOf(runId: RunId): RegisteredRun | undefined {
    const live = this.#live.get(runId);
    if (live !== undefined) return live;
    const run = this.#own(runId)?.value;
    return run?.state === 'running' ? this.#open(run) : undefined;
  }

  #open(run: Run): RegisteredRun {
    const live = this.#live.get(run.runId) ?? new RegisteredRun(run);
    this.#live.set(run.runId, live);
    return live;
  }

  #lease(run: Run, requestsInFlight: number | ReturnType<typeof unknown>): void {
    this.#parts.record({
      kind: 'runner.reported',
      payload: {
        runnerKey: runnerKeyOf(run.runId),
        source: 'run',
        targetNode: run.targetNode,
        requestsInFlight,
      },
    });
  }

  /** Its report, when it wrote one while nobody listened, is the truth; else it was interrupted. */
  async #giveUpSilent(): Promise<void> {
    const nowMs = this.#parts.clock.nowMs();
    for (const { value: run } of Object.values(this.#runs())) {
      if (run.state !== 'running') continue;
      const silentMs = this.#silentMs(run, nowMs);
      if (silentMs <= LEASE_MS) continue;
      const report = await this.report(run.runId);
      if (this.#own(run.runId)?.value !== run) continue;
      if (report !== undefined) this.#endBy(run, report);
      else if (silentMs > ABANDONED_MS) await this.#abandon(run);
    }
  }

  #silentMs(run: Run, nowMs: number): number {
    const { nodeId, state } = this.#parts;
    const lease = state().runners[nodeId]?.[runnerKeyOf(run.runId)];
    // A daemon that has just started may not have received anything yet.
    return Math.min(nowMs - this.#startedAtMs, lease === undefined ? Infinity : ageMsOf(lease, nowMs));
  }

  #endBy(run: Run, report: Report): void {
    this.end({
      runId: run.runId,
      state: stateOf(report),
      reason: reasonOf(report),
      model: shortName(report.run.model),
      directory: run.directory,
      figures: runDigest(report),
    });
  }

  /** With the figures in its files, or with the last ones that it reported. */
  async #abandon(run: Run): Promise<void> {
    const report = await rebuiltReport(run.directory);
    if (this.#own(run.runId)?.value !== run) return;
    const rebuilt = report?.run.id === run.runId ? runDigest(report) : undefined;
    const reported = this.#parts.state().runProgress[this.#parts.nodeId]?.[run.runId]?.value.figures;
    this.end({
      runId: run.runId,
      state: 'interrupted',
      reason: 'its process exited unexpectedly; plimsoll report rebuilds its report',
      model: run.model,
      directory: run.directory,
      figures: rebuilt ?? reported ?? unknown('it reported no figures'),
    });
  }

  /** Runs that no daemon received, because none was running then. */
  async #findReports(): Promise<void> {
    const known = new Set(Object.values(this.#runs()).map(({ value }) => value.directory));
    for (const { path: directory, atMs } of (await runFolders(this.#parts.home)).toReversed()) {
      // What was looked at once is not news, also when state has let it go since.
      if (known.has(directory) || this.#looked.get(directory) === atMs) continue;
      if (!this.#hasRoom) return;
      this.#looked.set(directory, atMs);
      await this.find(directory, NO_STAGE);
    }
  }

  get #hasRoom(): boolean {
    return Object.keys(this.#runs()).length < EVENT_KINDS['run.started'].entriesMax;
  }

  #own(runId: RunId): Entry<Run> | undefined {
    const runs = this.#runs();
    return Object.hasOwn(runs, runId) ? runs[runId] : undefined;
  }

  #runs(): Readonly<Record<string, Entry<Run>>> {
    return this.#parts.state().runs[this.#parts.nodeId] ?? {};
  }
}

const NO_STAGE = unknown('not a stage of a sweep');

// A run as the cluster holds it, of a report that nobody announced: found in a run directory after its daemon had not been there.
const runOfReport = (
  report: Report,
  runId: RunId,
  directory: string,
  parts: TargetSources,
): Omit<Run, 'sweep'> => {
  const target = plainTarget(report.run.target);
  return {
    runId,
    startedAt: report.run.startedAt,
    target,
    targetNode: targetNodeOf(target, parts),
    ...runRequested(report.run),
    limits: { samplesMax: unknown('not in the report'), durationMs: unknown('not in the report') },
    objectives: (report.objectives ?? []).map(({ name, limitNs }) => ({ name, limitNs })),
    runObjectives: unknown('not in the report'),
    attainment: unknown('not in the report'),
    directory,
    state: stateOf(report),
    reason: reasonOf(report),
    figures: runDigest(report),
  };
};

/** '' where it is complete. */
const reasonOf = (report: Report): string => (report.incompleteReason ?? '').slice(0, REASON_LENGTH_MAX);

const REASON_LENGTH_MAX = 1_000;
