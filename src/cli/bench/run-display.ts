// Shows a run while it goes on: a screen on a terminal, a line a second elsewhere, or nothing. It never holds the run up:
// it draws what is newest, when its time comes.

import { type Clock, pause } from '../../clock/clock.ts';
import { contaminationLine } from '../../core/run/contamination.ts';
import { doubtCounts } from '../../core/run/doubted-figures.ts';
import { findContamination } from '../../core/run/find-contamination.ts';
import { RecentWindow } from '../../core/run/recent-window.ts';
import { lookUp, type MetricsSnapshot } from '../../core/run/snapshot.ts';
import { unknown } from '../../core/unknown.ts';
import { renderRun, renderRunLine } from '../../tui/render-run.ts';
import { LiveScreen } from '../../tui/terminal.ts';
import type { RunHead, RunStage, WatchedRun } from '../../tui/watched-run.ts';
import type { OutputStream } from '../process-state.ts';

export type DisplayMode = 'screen' | 'lines' | 'nothing';

export const displayMode = (stdout: OutputStream, isSilent: boolean): DisplayMode => {
  if (isSilent) return 'nothing';
  return stdout.isTerminal ? 'screen' : 'lines';
};

interface RunDisplayOptions {
  readonly mode: DisplayMode;
  readonly stdout: OutputStream;
  readonly clock: Clock;
  /** The last line of the screen: "Ctrl-C ends the run." */
  readonly footer: string;
}

export class RunDisplay implements AsyncDisposable {
  readonly #options: RunDisplayOptions;
  readonly #closed = new AbortController();
  readonly #rates = new RecentWindow();
  readonly #notices: string[] = [];
  #noticesWritten = 0;
  #drawing: Promise<void> | undefined;
  #run: RunHead | undefined;
  #stage: RunStage = 'connecting';
  #measuringSinceMs: number | undefined;
  #snapshot: MetricsSnapshot | undefined;
  #snapshotAtMs = 0;

  constructor(options: RunDisplayOptions) {
    this.#options = options;
  }

  started(run: RunHead): void {
    this.#run = run;
    if (this.#options.mode !== 'nothing') this.#drawing ??= this.#draw();
  }

  stage(stage: RunStage): void {
    this.#stage = stage;
  }

  /** The measured phase begins now. The caller has this before any snapshot does. */
  measuring(): void {
    this.#measuringSinceMs ??= this.#options.clock.nowMs();
  }

  snapshot(snapshot: MetricsSnapshot): void {
    this.#snapshot = snapshot;
    this.#snapshotAtMs = this.#options.clock.nowMs();
    this.#rates.add(snapshot);
    const measuredNs = measuredNsOf(snapshot);
    if (measuredNs > 0) this.#measuringSinceMs ??= this.#snapshotAtMs - measuredNs / 1e6;
  }

  notice(text: string): void {
    if (this.#notices.length < NOTICES_MAX) this.#notices.push(text);
  }

  /** Those that are not among the lines of a log already. */
  get notices(): readonly string[] {
    return this.#notices.slice(this.#noticesWritten);
  }

  /** Gives the terminal back. Idempotent. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#drawing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #draw(): Promise<void> {
    if (this.#options.mode === 'lines') await this.#drawLines();
    else await this.#drawScreen();
  }

  async #drawScreen(): Promise<void> {
    const { stdout, footer } = this.#options;
    await using screen = new LiveScreen(stdout);
    while (!this.#isOver) {
      const view = this.#view();
      if (view !== undefined) {
        const { columns, rows, hasColor, isUnicode } = stdout;
        const lines = renderRun(view, { columns, rows: rows - 1, color: hasColor, isUnicode });
        await screen.draw([...lines, footer]);
      }
      await this.#pause(REDRAW_MS);
    }
  }

  /** The first line comes after a second: a run that is over by then has its report. */
  async #drawLines(): Promise<void> {
    for (await this.#pause(LINE_MS); !this.#isOver; await this.#pause(LINE_MS)) {
      const view = this.#view();
      if (view === undefined) continue;
      await this.#writeNotices();
      await this.#options.stdout.write(`${renderRunLine(view)}\n`);
    }
  }

  /** Notices are written before the figures because they may be a reason to stop the run. */
  async #writeNotices(): Promise<void> {
    while (this.#noticesWritten < this.#notices.length) {
      const notice = this.#notices[this.#noticesWritten] ?? '';
      this.#noticesWritten += 1;
      await this.#options.stdout.write(`notice: ${notice}\n`);
    }
  }

  get #isOver(): boolean {
    return this.#closed.signal.aborted || this.#options.stdout.closed.aborted;
  }

  #view(): WatchedRun | undefined {
    if (this.#run === undefined) return undefined;
    const nowMs = this.#options.clock.nowMs();
    const snapshot = this.#snapshot;
    return {
      run: this.#run,
      stage: this.#stage,
      elapsedMs: this.#measuringSinceMs === undefined ? 0 : nowMs - this.#measuringSinceMs,
      snapshot,
      snapshotAgeMs: snapshot === undefined ? undefined : nowMs - this.#snapshotAtMs,
      recent: this.#rates.rates(),
      notices: this.#notices,
      spoiled: snapshot === undefined ? [] : spoiledSoFar(this.#run, snapshot),
    };
  }

  async #pause(durationMs: number): Promise<void> {
    const { clock, stdout } = this.#options;
    await pause(clock, durationMs, AbortSignal.any([this.#closed.signal, stdout.closed]));
  }
}

/** The same text as in the final report. */
const spoiledSoFar = (run: RunHead, snapshot: MetricsSnapshot): readonly string[] =>
  snapshot.evidence === undefined || run.isUnguarded
    ? []
    : findContamination({
        run: { ...run, streaming: run.isStreaming, stamps: unknown('decides nothing before the end') },
        samples: snapshot.evidence,
        server: snapshot.server ?? unknown('the server reports no metrics'),
        machine: unknown('checked at the end of the run'),
        sent: unknown('the run is in progress'),
        stopped: lookUp(snapshot).counter('finishReason.stop'),
        doubts: doubtCounts(key => lookUp(snapshot).counter(key)),
        hasTokenizer: false,
        series: Object.fromEntries(lookUp(snapshot).allSeries),
        isDepthProfile: run.isDepthProfile,
      }).map(contaminationLine);

/** How long it was measured already: who comes late to watch has not seen it begin. */
const measuredNsOf = (snapshot: MetricsSnapshot): number => {
  const counters = lookUp(snapshot);
  const sinceNs = counters.counter('measuringSinceNs');
  // Before the measured phase there is only a window, which ends with the last completed sample.
  return sinceNs > 0 ? snapshot.timestampNs - sinceNs : counters.counter('windowNs');
};

/** Snapshots come five times a second. */
const REDRAW_MS = 200;
const LINE_MS = 1_000;
const NOTICES_MAX = 20;
