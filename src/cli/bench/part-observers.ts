// The observers of work that consists of runs, one at a time: a sweep, a search or a comparison. `plimsoll watch` and the
// daemon for each of its runs, the daemon for the whole.

import { join } from 'node:path';
import { DocumentReporter, type ReportedKind } from '../../bench/announce/document-reporter.ts';
import type { StartedRun } from '../../bench/run/bench-parts.ts';
import { systemClock } from '../../clock/system-clock.ts';
import type { SweepStageRef } from '../../core/sweep/sweep.ts';
import type { ProcessState } from '../process-state.ts';
import { runningDaemon } from './bench-process.ts';
import { type ObservedDisplay, RunObservers } from './run-observers.ts';

interface PartsOptions<D> {
  readonly kind: ReportedKind<D>;
  readonly home: string;
  /** Absolute. */
  readonly directory: string;
  /** Of each run. */
  readonly durationMs: number | undefined;
  /** Notices about its runs; default: none are shown. */
  readonly notice?: (text: string) => void;
  /** Printed when it is stopped from the dashboard. */
  readonly stopNotice?: string;
}

export class PartObservers<D extends object> implements AsyncDisposable {
  readonly #state: ProcessState;
  readonly #options: PartsOptions<D>;
  readonly #stopRequested = new AbortController();
  #part: RunObservers | undefined;
  #document: D | undefined;
  #hasBegun = false;
  #whole: DocumentReporter<D> | undefined;

  constructor(state: ProcessState, options: PartsOptions<D>) {
    this.#state = state;
    this.#options = options;
  }

  /** Aborts when somebody requests through the daemon that it end, as Ctrl-C does here. */
  get stopRequested(): AbortSignal {
    return this.#stopRequested.signal;
  }

  began(run: StartedRun, folder: string, sweep?: SweepStageRef): void {
    const { home, directory, durationMs } = this.#options;
    const part = new RunObservers(this.#state, {
      home,
      directory: join(directory, folder),
      limits: { samplesMax: undefined, durationMs },
      display: { ...NO_DISPLAY, notice: text => this.notice(text) },
      ...(sweep === undefined ? {} : { sweep }),
    });
    // Stopping one of its runs on its page stops the whole: otherwise the next one would begin.
    part.stopRequested.addEventListener('abort', () => this.#stopRequested.abort(), { once: true });
    part.started(run);
    this.#part = part;
    this.#hasBegun = true;
    this.#announce();
  }

  phase(...reported: Parameters<RunObservers['phase']>): void {
    this.#part?.phase(...reported);
  }

  snapshot(...reported: Parameters<RunObservers['snapshot']>): void {
    this.#part?.snapshot(...reported);
  }

  notice(text: string): void {
    this.#options.notice?.(text);
  }

  async ended(report: Parameters<RunObservers['ended']>[0]['report']): Promise<void> {
    await this.#part?.ended({ report });
    await this.closePart();
  }

  async closePart(): Promise<void> {
    await this.#part?.[Symbol.asyncDispose]();
    this.#part = undefined;
  }

  /** Of the whole, as often as there is news. */
  changed(document: D): void {
    this.#document = document;
    this.#whole?.update(document);
    this.#announce();
  }

  /** Resolves when the daemon has its end, or three seconds have passed. */
  async over(document: D): Promise<void> {
    await this.#whole?.end(document);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.closePart();
    await this.#whole?.[Symbol.asyncDispose]();
  }

  /** With the first run: some facts, such as the kind of the server, are unknown before. */
  #announce(): void {
    const { kind, home, directory, stopNotice } = this.#options;
    if (this.#whole !== undefined || this.#document === undefined || !this.#hasBegun) return;
    this.#whole = new DocumentReporter(kind, {
      findDaemon: () => runningDaemon(home, this.#state),
      clock: systemClock,
      document: this.#document,
      directory,
      onStopRequested: () => {
        if (stopNotice !== undefined) this.notice(stopNotice);
        this.#stopRequested.abort();
      },
    });
  }
}

/** The whole has one. */
const NO_DISPLAY: Omit<ObservedDisplay, 'notice'> = {
  started: () => undefined,
  stage: () => undefined,
  measuring: () => undefined,
  snapshot: () => undefined,
};
