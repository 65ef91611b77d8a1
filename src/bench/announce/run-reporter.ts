// Reports a run to the daemon of this machine, so that every dashboard shows it: its start, its figures at most five
// times a second, its lease every two seconds, and its end once. Updates are conflated.

import { contentArrived } from '../../core/run/content-arrived.ts';
import type { LoadRequest } from '../../core/run/load-request.ts';
import { RecentWindow } from '../../core/run/recent-window.ts';
import type { Report, RunConfig } from '../../core/run/report.ts';
import type { RecentRates, RunPhase, RunProgress, RunStart } from '../../core/run/run.ts';
import { runDigest, runRequested, shortName, stateOf } from '../../core/run/run-digest.ts';
import { lookUp, type MetricsSnapshot } from '../../core/run/snapshot.ts';
import type { SweepStageRef } from '../../core/sweep/sweep.ts';
import { unknown } from '../../core/unknown.ts';
import { buildReport } from '../../metrics/build-report.ts';
import { type ContactOptions, DaemonContact } from './daemon-contact.ts';

export const UPDATE_MS = 200;
export const LEASE_REPEAT_MS = 2_000;

/** Starts at once and never throws: the daemon is looked for in the background. */
export class RunReporter implements AsyncDisposable {
  readonly #options: AnnounceOptions;
  readonly #contact: DaemonContact;
  readonly #recent = new RecentWindow();
  #newest: { readonly snapshot: MetricsSnapshot; readonly client: ClientProgress } | undefined;
  #inFlight = 0;
  #leaseAtMs = Number.NEGATIVE_INFINITY;
  #updatesDropped = 0;
  #ending: Promise<void> | undefined;

  constructor(options: AnnounceOptions) {
    this.#options = options;
    this.#contact = new DaemonContact(options, {
      path: '/api/runs',
      id: options.config.run.id,
      start: () => runStart(options),
      turn: () => this.#turn(),
      turnMs: UPDATE_MS,
    });
    this.#contact.start();
  }

  /** Updates that were not sent to the daemon. */
  get updatesDropped(): number {
    return this.#updatesDropped;
  }

  /** Passes on the newest figures; sent at most five times a second, older ones that were not sent are dropped. */
  progress(snapshot: MetricsSnapshot, client: ClientProgress): void {
    this.#recent.add(snapshot);
    if (this.#newest !== undefined) this.#updatesDropped += 1;
    this.#newest = { snapshot, client };
  }

  /** Resolves when the daemon has the end, or three seconds have passed. */
  end(report: Report): Promise<void> {
    this.#ending ??= this.#contact.end({
      runId: this.#options.config.run.id,
      state: stateOf(report),
      reason: (report.incompleteReason ?? '').slice(0, REASON_LENGTH_MAX),
      model: shortName(report.run.model),
      directory: this.#options.directory,
      figures: runDigest(report),
    });
    return this.#ending;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#contact[Symbol.asyncDispose]();
  }

  async #turn(): Promise<void> {
    const { clock } = this.#options;
    const newest = this.#newest;
    if (newest !== undefined) {
      this.#newest = undefined;
      await this.#reportProgress(newest.snapshot, newest.client);
    }
    if (clock.nowMs() - this.#leaseAtMs < LEASE_REPEAT_MS) return;
    this.#leaseAtMs = clock.nowMs();
    await this.#contact.report('PUT', '/lease', { requestsInFlight: this.#inFlight });
  }

  async #reportProgress(snapshot: MetricsSnapshot, client: ClientProgress): Promise<void> {
    const report = liveReport(this.#options.config, snapshot);
    this.#inFlight = Math.max(0, report.counts.unresolved);
    const body = progressBody(report, {
      client,
      recent: this.#recent.rates(),
      contentArrived: contentArrived(lookUp(snapshot)),
      agents: snapshot.agents,
      sessions: snapshot.sessions,
      updatesDropped: this.#updatesDropped,
    });
    if (!(await this.#contact.report('PUT', '/progress', body))) this.#updatesDropped += 1;
  }
}

const REASON_LENGTH_MAX = 1_000;

// What a run reports about itself to the daemon, derived from its configuration and a live snapshot.

/** The body of POST /api/runs. */
const runStart = ({
  config,
  directory,
  limits,
  sweep,
}: AnnounceOptions): Omit<RunStart, 'runId'> & { readonly runId: string } => {
  const { run } = config;
  return {
    runId: run.id,
    startedAt: run.startedAt,
    target: run.target,
    ...runRequested(run),
    limits: {
      samplesMax: limits.samplesMax ?? unknown('not limited'),
      durationMs: limits.durationMs ?? unknown('not limited'),
    },
    objectives: config.objectives,
    runObjectives: config.runObjectives,
    attainment: config.attainment,
    directory,
    sweep: sweep ?? unknown('not a stage of a sweep'),
  };
};

/** A report of a live snapshot, with the same definitions as at the end. */
const liveReport = (config: RunConfig, snapshot: MetricsSnapshot): Report =>
  buildReport({
    config,
    snapshot,
    source: 'live-snapshot',
    // Losses so far are in the snapshot's counters; the client's own losses are known at the end.
    droppedEvents: 0,
    eventLogDropped: 0,
    isInterrupted: false,
    runProblems: [],
    sourceProblems: [],
    notices: [],
  });

/** The body of PUT /api/runs/{runId}/progress. */
const progressBody = (
  report: Report,
  reported: {
    readonly client: ClientProgress;
    readonly recent: RecentRates;
    readonly contentArrived: RunProgress['contentArrived'];
    readonly agents: MetricsSnapshot['agents'];
    readonly sessions: MetricsSnapshot['sessions'];
    readonly updatesDropped: number;
  },
): Omit<RunProgress, 'runId'> & { readonly runId: string } => ({
  runId: report.run.id,
  phase: reported.client.phase,
  elapsedMs: reported.client.elapsedMs,
  measuredMs: reported.client.measuredMs,
  figures: runDigest(report),
  recent: reported.recent,
  contentArrived: reported.contentArrived,
  agents: reported.agents ?? unknown('one machine makes the load'),
  ...(reported.sessions === undefined ? {} : { sessions: reported.sessions }),
  updatesDropped: reported.updatesDropped,
});

// What is reported to a daemon about a run, and what a run needs for it.
interface AnnounceOptions extends ContactOptions {
  readonly config: RunConfig;
  /** Absolute path. */
  readonly directory: string;
  readonly limits: Pick<LoadRequest, 'samplesMax' | 'durationMs'>;
  /** Present if the run is a stage of a sweep or line. */
  readonly sweep?: SweepStageRef;
}

/** What the client adds to the snapshot. */
export interface ClientProgress {
  readonly phase: RunPhase;
  /** ms since the run's zero. */
  readonly elapsedMs: number;
  /** ms since the measured phase began; 0 before it. */
  readonly measuredMs: number;
}
