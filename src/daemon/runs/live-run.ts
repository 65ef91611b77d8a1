// One run while it goes on: its newest word, and its samples as they reach the disk.

import type { SampleFailure } from '../../core/run/ended-sample.ts';
import type { FailureKind } from '../../core/run/outcome.ts';
import type { Run, RunError, RunFigures, RunProgress } from '../../core/run/run.ts';
import { isUnknown } from '../../core/unknown.ts';
import { runFiles } from '../../metrics/run-files.ts';
import { RunTimeSeries } from '../../metrics/run-time-series.ts';
import type { TimeSeries } from '../../wire/api/run-answers.ts';
import type { SampleTimes } from '../../wire/sample-times.ts';
import { LIVE_BYTES_MAX, SamplesReader } from './samples-reader.ts';

export class RegisteredRun {
  readonly run: Run;
  readonly #series: RunTimeSeries;
  readonly #reader: SamplesReader;
  readonly #lastErrors = new Map<FailureKind, Pick<RunError, 'detail' | 'lastAtMs'>>();
  #progressAtMs = Number.NEGATIVE_INFINITY;
  #elapsedMs = 0;
  /** The run's time at the last reading. */
  #readUntilMs = 0;
  #isReadable = true;
  #hasSkipped = false;

  constructor(run: Run) {
    this.run = run;
    this.#series = new RunTimeSeries(run.isStreaming);
    this.#reader = new SamplesReader(runFiles(run.directory).samples);
  }

  get progressAtMs(): number {
    return this.#progressAtMs;
  }

  get notice(): string {
    if (!this.#isReadable) return 'samples.jsonl of this run cannot be read here';
    return this.#hasSkipped ? 'some of the requests of the busiest seconds were not read' : '';
  }

  /** Up to where its samples have come, or to two seconds ago where none ends. */
  picture(): TimeSeries {
    return this.#series.series(Math.max(this.#series.lastEndMs, this.#readUntilMs - FLUSH_MS_MAX));
  }

  update(progress: RunProgress, nowMs: number): void {
    this.#progressAtMs = nowMs;
    this.#elapsedMs = progress.elapsedMs;
    this.#series.addProgress(progress);
  }

  /** With the words of the newest error of each kind, which the run itself does not keep. */
  explained(figures: RunFigures): RunFigures {
    const errors = figures.errors.map(error =>
      isUnknown(error.detail) ? { ...error, ...this.#lastErrors.get(error.kind) } : error,
    );
    return { ...figures, errors };
  }

  /** Takes what was written since the last time. */
  async read(nowMs: number): Promise<void> {
    const read = await this.#reader.read(sample => this.#take(sample), {
      bytesMax: LIVE_BYTES_MAX,
      skipsAhead: true,
    });
    const sinceReportedMs = Number.isFinite(this.#progressAtMs) ? Math.max(0, nowMs - this.#progressAtMs) : 0;
    this.#readUntilMs = this.#elapsedMs + sinceReportedMs;
    this.#isReadable = read !== undefined;
    if (read === undefined || read.skippedBytes === 0) return;
    this.#hasSkipped = true;
    for (const backMs of [0, 1_000, 2_000]) this.#series.skipped(this.#readUntilMs - backMs);
  }

  #take(sample: SampleTimes): void {
    this.#series.add(sample);
    const { failure, endNs, isTracked } = sample;
    if (failure === undefined || !isTracked) return;
    this.#lastErrors.set(failure.kind, {
      detail: errorText(failure),
      lastAtMs: endNs / 1e6,
    });
  }
}

const errorText = ({ statusCode, detail }: SampleFailure): string => {
  const code = statusCode === 0 || detail.includes(String(statusCode)) ? '' : `${statusCode} `;
  return `${code}${detail}`.slice(0, DETAIL_LENGTH_MAX);
};

const DETAIL_LENGTH_MAX = 200;
/** A sample that ended is on disk by then. */
const FLUSH_MS_MAX = 2_000;
