// Reports one activity, a run or a sweep, to the daemon of this machine: that it began, what is new, and once that it
// ended. The activity never waits for it: requests have deadlines; a daemon that is absent, dies or lost its state is
// looked for again and receives everything again; nothing here throws.

import type { Clock } from '../../clock/clock.ts';
import { type DaemonAddress, DaemonRequests } from './daemon-requests.ts';

/** Dependencies of everything that announces itself. */
export interface ContactOptions {
  /**
   * The address of this machine's daemon; undefined if none runs or can be found. Called again while none replies;
   * never rejects.
   */
  readonly findDaemon: () => Promise<DaemonAddress | undefined>;
  readonly clock: Clock;
  /** Called at most once, when a person requested through the daemon that it stop. */
  readonly onStopRequested?: () => void;
  /** Called at most once, when the daemon has it in memory only, because its disk is full or failing. */
  readonly onNotStored?: () => void;
}

/** What is reported, and when. */
interface ContactSubject {
  /** Path of the API for it: "/api/runs". */
  readonly path: string;
  readonly id: string;
  /** The body that announces the start. */
  readonly start: () => object;
  /** Called periodically while the daemon has it: reports what is new. */
  readonly turn: () => Promise<void>;
  readonly turnMs: number;
  /** Called when the daemon has received the start, and nothing else yet. */
  readonly onAnnounced?: () => void;
}

/** How long to wait before the next attempt after a daemon was absent or did not reply, ms. */
const DAEMON_RETRY_MS = 2_000;
/** For reporting the end, all attempts together, ms. */
export const END_MS_MAX = 3_000;
/** Between two attempts, ms. */
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

  /** The daemon is looked for in the background. */
  start(): void {
    this.#work ??= this.#run();
  }

  /** Sends a body to a path below its own, such as "/progress". @returns whether the daemon accepted it */
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
   * Stops the turns and reports the end; resolves when the daemon has it, or three seconds have passed. `beforeEnd`
   * sends what must arrive first, again if the daemon was restarted; it returns whether all was accepted.
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
      // A defect in reporting is no reason to end the run.
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

  /** ms until a daemon is looked for again. */
  #waitMs(): number {
    return this.#isAnnounced ? 0 : this.#retryAtMs - this.#options.clock.nowMs();
  }

  /** Whether the daemon has it now. */
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

  /**
   * A daemon that does not have it (another home, a lost journal) receives it again; one that does not reply is
   * looked for.
   */
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
/** The report was accepted, and a stop is requested: docs/api.md. */
const STOP_REQUESTED = 202;
/** It is in memory only, and must be sent again. */
const NOT_STORED = 507;
