// Reports a run to the daemon of this machine, so that every dashboard shows it: its start, its figures at most five
// times a second, its lease every two seconds, and its end once. Updates are conflated.

import { contentArrived } from '../../core/run/content-arrived.ts';
import { lookUp } from '../../core/run/metric-lookup.ts';
import { RecentWindow } from '../../core/run/recent-window.ts';
import type { Report } from '../../core/run/report.ts';
import { runDigest, shortName, stateOf } from '../../core/run/run-digest.ts';
import type { MetricsSnapshot } from '../../core/run/snapshot.ts';
import { DaemonContact } from './daemon-contact.ts';
import type { AnnounceOptions, ClientProgress, RunAnnouncement } from './run-announcement.ts';
import { liveReport, progressBody, runStart } from './run-bodies.ts';

/** Resolves at once; the daemon is looked for in the background. Never throws. */
export const announceRun = async (options: AnnounceOptions): Promise<RunAnnouncement> => {
  const reporter = new RunReporter(options);
  reporter.start();
  return reporter;
};

export const UPDATE_MS = 200;
export const LEASE_REPEAT_MS = 2_000;

class RunReporter implements RunAnnouncement {
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
  }

  get updatesDropped(): number {
    return this.#updatesDropped;
  }

  start(): void {
    this.#contact.start();
  }

  progress(snapshot: MetricsSnapshot, client: ClientProgress): void {
    this.#recent.add(snapshot);
    if (this.#newest !== undefined) this.#updatesDropped += 1;
    this.#newest = { snapshot, client };
  }

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
