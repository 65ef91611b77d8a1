// Tells the daemon of this machine about one thing that goes on, a run or a sweep: that it began, what is new, and once that it
// ended. Whoever goes on never waits for it: requests have deadlines, a daemon that is not there, dies or forgot it is looked
// for again and told anew, and nothing here throws.

import type { Clock } from '../../clock/clock.ts';
import { type DaemonAddress, DaemonRequests } from './daemon-requests.ts';

/** What whoever announces something brings along. */
export interface ContactOptions {
  /** The daemon of this machine as it is now; undefined where none runs or can be found. Asked again while none answers; never rejects. */
  readonly findDaemon: () => Promise<DaemonAddress | undefined>;
  readonly clock: Clock;
  /** Somebody asked the daemon that it end. Called at most once. */
  readonly onStopRequested?: () => void;
  /** The daemon holds it in memory alone, because its disk refuses it. Called at most once. */
  readonly onNotStored?: () => void;
}

/** What is told, and when. */
interface ContactSubject {
  /** Where such things are told of: "/api/runs". */
  readonly path: string;
  readonly id: string;
  /** The body that tells that it began. */
  readonly start: () => object;
  /** Every so often while the daemon knows of it: tells what is new. */
  readonly turn: () => Promise<void>;
  readonly turnMs: number;
  /** A daemon knows that it began, and nothing else of it. */
  readonly onAnnounced?: () => void;
}

/** How long a daemon is left alone that was not there or did not answer. */
const DAEMON_RETRY_MS = 2_000;
/** For telling the end, all attempts together. */
export const END_MS_MAX = 3_000;
/** Between two attempts. */
const END_RETRY_MS = 200;

export class DaemonContact implements AsyncDisposable {
  readonly #options: ContactOptions;
  readonly #subject: ContactSubject;
  readonly #requests = new DaemonRequests();
  readonly #stop = new AbortController();
  #daemon: DaemonAddress | undefined;
  #isAnnounced = false;
  #retryAtMs = Number.NEGATIVE_INFINITY;
  #wasStopRequested = false;
  #wasNotStored = false;
  #work: Promise<void> | undefined;

  constructor(options: ContactOptions, subject: ContactSubject) {
    this.#options = options;
    this.#subject = subject;
  }

  /** Whether there is a daemon is found out in the background. */
  start(): void {
    this.#work ??= this.#run();
  }

  /** What is told beneath its own path, "/progress"; whether the daemon took it. */
  async report(method: 'POST' | 'PUT', suffix: string, body: object): Promise<boolean> {
    const status = await this.#send(method, `${this.#path}${suffix}`, body);
    if (!isDone(status)) this.#lose();
    if (status === STOP_REQUESTED && !this.#wasStopRequested) {
      this.#wasStopRequested = true;
      this.#options.onStopRequested?.();
    }
    return isDone(status);
  }

  /**
   * Ends the turns and tells the end; resolves when the daemon knows it, or could not be told within three seconds.
   * `beforeEnd`: what must be told before, after a daemon was told anew as well; whether all was taken.
   */
  async end(body: object, beforeEnd: () => Promise<boolean> = async () => true): Promise<void> {
    const wasAnnounced = this.#isAnnounced;
    this.#stop.abort();
    await this.#work;
    const { clock } = this.#options;
    const untilMs = clock.nowMs() + END_MS_MAX;
    do {
      if (await this.#reportEnd(body, beforeEnd).catch(() => false)) return;
      if (!wasAnnounced) return;
      await clock.sleep(END_RETRY_MS, new AbortController().signal);
    } while (clock.nowMs() < untilMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#requests.close();
    await this.#work;
  }

  async #run(): Promise<void> {
    const { turn, turnMs } = this.#subject;
    while (!this.#stop.signal.aborted) {
      // A defect in telling of a run is no reason to end the run.
      await (async () => {
        if (this.#isAnnounced || (await this.#announce())) await turn();
      })().catch(() => this.#lose());
      try {
        await this.#options.clock.sleep(Math.max(turnMs, this.#waitMs()), this.#stop.signal);
      } catch {
        return;
      }
    }
  }

  /** Until a daemon is looked for again: nothing is to be told before. */
  #waitMs(): number {
    return this.#isAnnounced ? 0 : this.#retryAtMs - this.#options.clock.nowMs();
  }

  /** Whether the daemon knows of it now. */
  async #announce(): Promise<boolean> {
    const { clock } = this.#options;
    if (clock.nowMs() < this.#retryAtMs) return false;
    this.#retryAtMs = clock.nowMs() + DAEMON_RETRY_MS;
    this.#daemon = await this.#options.findDaemon();
    if (this.#daemon === undefined || this.#stop.signal.aborted) return false;
    this.#isAnnounced = await this.#reportStart();
    return this.#isAnnounced;
  }

  async #reportStart(): Promise<boolean> {
    const isStated = isDone(await this.#send('POST', this.#subject.path, this.#subject.start()));
    if (isStated) this.#subject.onAnnounced?.();
    return isStated;
  }

  /** A daemon that does not know it (another home, a lost journal) is told anew; one that is silent is looked for. */
  #lose(): void {
    this.#isAnnounced = false;
    this.#retryAtMs = this.#options.clock.nowMs() + DAEMON_RETRY_MS;
  }

  async #reportEnd(body: object, beforeEnd: () => Promise<boolean>): Promise<boolean> {
    this.#daemon = await this.#options.findDaemon();
    if (this.#daemon === undefined) return false;
    const reported = (await beforeEnd()) ? await this.#send('POST', `${this.#path}/end`, body) : NOT_FOUND;
    if (reported !== NOT_FOUND) return isDone(reported);
    return (
      (await this.#reportStart()) &&
      (await beforeEnd()) &&
      isDone(await this.#send('POST', `${this.#path}/end`, body))
    );
  }

  get #path(): string {
    return `${this.#subject.path}/${encodeURIComponent(this.#subject.id)}`;
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
/** What was told is taken, and it is asked to end: docs/api.md. */
const STOP_REQUESTED = 202;
/** It is held in memory, and to be told again. */
const NOT_STORED = 507;
