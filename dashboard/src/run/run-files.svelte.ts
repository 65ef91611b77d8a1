// What the daemon has of one run in addition to the stream: its report once it has ended, and its charts, requested
// again every two seconds while it is live and visible.

import type { RunId } from '../../../src/core/ids.ts';
import type { Report } from '../../../src/core/run/report.ts';
import { runAnswerSchema, runSeriesAnswerSchema } from '../../../src/wire/api/run-answers.ts';
import { fetchDaemon } from '../shell/fetch-daemon.ts';
import { type RunSeries, runSeriesOf } from './run-series.ts';

export const REQUEST_INTERVAL_MS = 2_000;

type RunFileRequest<T> =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'here'; readonly value: T }
  | { readonly kind: 'absent'; readonly reason: string };

export class RunFilesStore {
  report: RunFileRequest<Report> = $state.raw({ kind: 'waiting' });
  series: RunFileRequest<RunSeries> = $state.raw({ kind: 'waiting' });
  readonly #path: string;
  #isFetching = false;

  constructor(runId: RunId) {
    this.#path = `/api/runs/${encodeURIComponent(runId)}`;
  }

  /**
   * Asks for the picture, now and again while `isLive`; returns what ends it. `elsewhere`: why this daemon does not hold the
   * files, so that it need not be asked; '' where it does.
   */
  follow(isLive: boolean, elsewhere: string): () => void {
    if (elsewhere !== '') {
      this.series = { kind: 'absent', reason: elsewhere };
      this.report = { kind: 'absent', reason: elsewhere };
      return () => undefined;
    }
    void this.#fetchSeries();
    if (!isLive) {
      void this.#fetchReport();
      return () => undefined;
    }
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void this.#fetchSeries();
    }, REQUEST_INTERVAL_MS);
    return () => clearInterval(timer);
  }

  async #fetchSeries(): Promise<void> {
    if (this.#isFetching) return;
    this.#isFetching = true;
    const reply = await fetchDaemon(`${this.#path}/series`, runSeriesAnswerSchema);
    this.#isFetching = false;
    if (reply.kind === 'here') this.series = { kind: 'here', value: runSeriesOf(reply.value) };
    else if (this.series.kind !== 'here') this.series = { kind: 'absent', reason: reply.reason };
  }

  async #fetchReport(): Promise<void> {
    const reply = await fetchDaemon(this.#path, runAnswerSchema);
    if (reply.kind === 'refused') this.report = { kind: 'absent', reason: reply.reason };
    else if (reply.value.report === null) this.report = { kind: 'absent', reason: NO_REPORT };
    else this.report = { kind: 'here', value: reply.value.report };
  }
}

const NO_REPORT = 'there is no report of it here that can be read';
