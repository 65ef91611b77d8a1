// The observers of a search for a load line: `plimsoll watch` and the daemon for the run of each stage, the daemon for the whole
// search.

import { join } from 'node:path';
import { announceSweep } from '../../bench/announce/sweep-reporter.ts';
import type { StageObserver } from '../../bench/sweep/run-stage.ts';
import { systemClock } from '../../clock/system-clock.ts';
import type { SweepId } from '../../core/ids.ts';
import type { LineDocument } from '../../core/sweep/sweep-document.ts';
import { runningDaemon } from '../bench/bench-process.ts';
import { type CompanionDisplay, RunObservers } from '../bench/run-observers.ts';
import type { ProcessState } from '../process-state.ts';

interface StageObserversOptions {
  readonly state: ProcessState;
  readonly home: string;
  readonly sweepId: SweepId;
  /** Absolute. */
  readonly directory: string;
  readonly onNotice: (text: string) => void;
}

export class StageObservers implements StageObserver, AsyncDisposable {
  readonly #options: StageObserversOptions;
  readonly #stopRequested = new AbortController();
  #stage: RunObservers | undefined;
  #whole: ReturnType<typeof announceSweep> | undefined;

  constructor(options: StageObserversOptions) {
    this.#options = options;
  }

  /** Aborts when somebody asks the daemon that it end, as Ctrl-C does here. */
  get stopRequested(): AbortSignal {
    return this.#stopRequested.signal;
  }

  run(...[run, stage]: Parameters<StageObserver['run']>): void {
    const { state, home, directory, sweepId } = this.#options;
    const observers = new RunObservers(state, {
      home,
      directory: join(directory, stage.directory),
      limits: { samplesMax: undefined, durationMs: undefined },
      display: { ...NO_DISPLAY, notice: text => this.notice(text) },
      sweep: { sweepId, stage: stage.number },
    });
    observers.stopRequested.addEventListener('abort', () => this.#stopRequested.abort(), { once: true });
    observers.started(run);
    this.#stage = observers;
  }

  phase(...reported: Parameters<StageObserver['phase']>): void {
    this.#stage?.phase(...reported);
  }

  snapshot(...reported: Parameters<StageObserver['snapshot']>): void {
    this.#stage?.snapshot(...reported);
  }

  notice(text: string): void {
    this.#options.onNotice(text);
  }

  /** The whole search is reported separately. */
  changed(): void {}

  async stageEnded(...reported: Parameters<RunObservers['ended']>): Promise<void> {
    await this.#stage?.ended(...reported);
    await this.#closeStage();
  }

  update(document: LineDocument): void {
    const { state, home, directory, onNotice } = this.#options;
    if (this.#whole !== undefined) {
      void this.#whole.then(announcement => announcement.update(document));
      return;
    }
    this.#whole = announceSweep({
      findDaemon: () => runningDaemon(home, state),
      clock: systemClock,
      document,
      directory,
      onStopRequested: () => {
        onNotice('it was stopped from the dashboard; it ends now and keeps what is known');
        this.#stopRequested.abort();
      },
    });
  }

  async over(document: LineDocument): Promise<void> {
    await (await this.#whole)?.end(document);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#closeStage();
    await (await this.#whole)?.[Symbol.asyncDispose]();
  }

  async #closeStage(): Promise<void> {
    await this.#stage?.[Symbol.asyncDispose]();
    this.#stage = undefined;
  }
}

/** The whole has one. */
const NO_DISPLAY: CompanionDisplay = {
  started: () => undefined,
  stage: () => undefined,
  measuring: () => undefined,
  snapshot: () => undefined,
  notice: () => undefined,
};
