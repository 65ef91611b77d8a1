// Tells the daemon of this machine about a run, so that every dashboard sees it: its start, its figures at most five times a
// second, its lease every two seconds, and its end once. The run never waits for it: updates are conflated, requests have
// deadlines, a daemon that is not there, dies or forgot the run is looked for again, and nothing here throws.

import type { Clock } from '../../clock/clock.ts';
import { RecentWindow } from '../../core/run/recent-window.ts';
import type { Report } from '../../core/run/report.ts';
import { runDigest, shortName, stateOf } from '../../core/run/run-digest.ts';
import type { MetricsSnapshot } from '../../core/run/snapshot.ts';
import { DaemonRequests } from './daemon-requests.ts';
import type { AnnounceOptions, ClientProgress, DaemonAddress, RunAnnouncement } from './run-announcement.ts';
import { liveReport, progressBody, runStart } from './run-bodies.ts';

/** Resolves at once; whether there is a daemon is found out in the background. Never throws. */
export const announceRun = async (options: AnnounceOptions): Promise<RunAnnouncement> => {
  const reporter = new RunReporter(options);
  reporter.start();
  return reporter;
};

export const UPDATE_MS = 200;
export const LEASE_REPEAT_MS = 2_000;
/** How long a daemon is left alone that was not there or did not answer. */
export const DAEMON_RETRY_MS = 2_000;
/** For telling the end, all attempts together. */
export const END_MS_MAX = 3_000;

class RunReporter implements RunAnnouncement {
  readonly #options: AnnounceOptions;
  readonly #clock: Clock;
  readonly #requests = new DaemonRequests();
  readonly #stop = new AbortController();
  readonly #recent = new RecentWindow();
  readonly #path: string;
  #newest: { readonly snapshot: MetricsSnapshot; readonly client: ClientProgress } | undefined;
  #inFlight = 0;
  #daemon: DaemonAddress | undefined;
  #isAnnounced = false;
  #retryAtMs = Number.NEGATIVE_INFINITY;
  #leaseAtMs = Number.NEGATIVE_INFINITY;
  #updatesDropped = 0;
  #wasStopAsked = false;
  #wasNotStored = false;
  #work: Promise<void> | undefined;
  #ending: Promise<void> | undefined;

  constructor(options: AnnounceOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#path = `/api/runs/${encodeURIComponent(options.config.run.id)}`;
  }

  get updatesDropped(): number {
    return this.#updatesDropped;
  }

  start(): void {
    this.#work ??= this.#run();
  }

  progress(snapshot: MetricsSnapshot, client: ClientProgress): void {
    this.#recent.add(snapshot);
    if (this.#newest !== undefined) this.#updatesDropped += 1;
    this.#newest = { snapshot, client };
  }

  end(report: Report): Promise<void> {
    this.#ending ??= this.#end(report);
    return this.#ending;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#requests.close();
    await this.#work;
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      // A defect in reporting a run is no reason to end the run.
      await this.#turn().catch(() => this.#lose());
      try {
        await this.#clock.sleep(UPDATE_MS, this.#stop.signal);
      } catch {
        return;
      }
    }
  }

  async #turn(): Promise<void> {
    if (!this.#isAnnounced && !(await this.#announce())) return;
    const newest = this.#newest;
    if (newest !== undefined) {
      this.#newest = undefined;
      await this.#tellProgress(newest.snapshot, newest.client);
    }
    if (this.#clock.nowMs() - this.#leaseAtMs >= LEASE_REPEAT_MS) {
      this.#leaseAtMs = this.#clock.nowMs();
      this.#judge(await this.#send('PUT', `${this.#path}/lease`, { requestsInFlight: this.#inFlight }));
    }
  }

  async #tellProgress(snapshot: MetricsSnapshot, client: ClientProgress): Promise<void> {
    const report = liveReport(this.#options.config, snapshot);
    this.#inFlight = Math.max(0, report.counts.unresolved);
    const body = progressBody(report, {
      client,
      recent: this.#recent.rates(),
      updatesDropped: this.#updatesDropped,
    });
    if (!this.#judge(await this.#send('PUT', `${this.#path}/progress`, body))) this.#updatesDropped += 1;
  }

  /** Whether the daemon knows the run now. */
  async #announce(): Promise<boolean> {
    if (this.#clock.nowMs() < this.#retryAtMs) return false;
    this.#retryAtMs = this.#clock.nowMs() + DAEMON_RETRY_MS;
    this.#daemon = await this.#options.findDaemon().catch(() => undefined);
    if (this.#daemon === undefined || this.#stop.signal.aborted) return false;
    const status = await this.#send('POST', '/api/runs', runStart(this.#options));
    this.#isAnnounced = isDone(status);
    return this.#isAnnounced;
  }

  /** A daemon that does not know the run (another home, a lost journal) is told anew; one that is silent is looked for. */
  #judge(status: number | undefined): boolean {
    if (!isDone(status)) this.#lose();
    if (status === STOP_ASKED && !this.#wasStopAsked) {
      this.#wasStopAsked = true;
      this.#options.onStopAsked?.();
    }
    return isDone(status);
  }

  #lose(): void {
    this.#isAnnounced = false;
    this.#retryAtMs = this.#clock.nowMs() + DAEMON_RETRY_MS;
  }

  async #end(report: Report): Promise<void> {
    const wasAnnounced = this.#isAnnounced;
    this.#stop.abort();
    await this.#work;
    const body = {
      runId: this.#options.config.run.id,
      state: stateOf(report),
      reason: (report.incompleteReason ?? '').slice(0, REASON_LENGTH_MAX),
      model: shortName(report.run.model),
      directory: this.#options.directory,
      figures: runDigest(report),
    };
    const untilMs = this.#clock.nowMs() + END_MS_MAX;
    do {
      if (await this.#tellEnd(body).catch(() => false)) return;
      if (!wasAnnounced) return;
      await this.#clock.sleep(UPDATE_MS, new AbortController().signal);
    } while (this.#clock.nowMs() < untilMs);
  }

  async #tellEnd(body: object): Promise<boolean> {
    const daemon = await this.#options.findDaemon().catch(() => undefined);
    if (daemon === undefined) return false;
    this.#daemon = daemon;
    const told = await this.#send('POST', `${this.#path}/end`, body);
    if (told !== NOT_FOUND) return isDone(told);
    return (
      isDone(await this.#send('POST', '/api/runs', runStart(this.#options))) &&
      isDone(await this.#send('POST', `${this.#path}/end`, body))
    );
  }

  async #send(method: 'POST' | 'PUT', path: string, body: object): Promise<number | undefined> {
    const daemon = this.#daemon;
    if (daemon === undefined) return undefined;
    const status = await this.#requests.send(daemon, { method, path, body });
    if (status === NOT_STORED && !this.#wasNotStored) {
      this.#wasNotStored = true;
      this.#options.onNotStored?.();
    }
    return status;
  }
}

const isDone = (status: number | undefined): boolean => status !== undefined && status >= 200 && status < 300;

const NOT_FOUND = 404;
/** What was told is taken, and the run is asked to end: docs/api.md. */
const STOP_ASKED = 202;
/** It is held in memory, and to be told again. */
const NOT_STORED = 507;
const REASON_LENGTH_MAX = 1_000;
