// What the daemon holds of one run beside the stream: its report once it has ended, and its picture over time, asked for
// again every two seconds while it lives and somebody looks.

import type { RunId } from '../../../src/core/ids.ts';
import type { Report } from '../../../src/core/run/report.ts';
import { refusalText } from '../shell/ask-daemon.ts';
import type { RunSeries } from './run-series.ts';
import { readSeries } from './run-series.ts';

export const ASK_MS = 2_000;

export type RunFileRequest<T> =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'here'; readonly value: T }
  | { readonly kind: 'absent'; readonly reason: string };

export class RunFiles {
  report: RunFileRequest<Report> = $state.raw({ kind: 'waiting' });
  series: RunFileRequest<RunSeries> = $state.raw({ kind: 'waiting' });
  /** How its report defines its figures: "plimsoll.report/1"; '' while none was read. */
  schema: string = $state('');
  readonly #path: string;
  #isAsking = false;

  constructor(runId: RunId) {
    this.#path = `/api/runs/${encodeURIComponent(runId)}`;
  }

  /** Asks for the picture, now and again while `isLive`; returns what ends it. */
  follow(isLive: boolean): () => void {
    void this.#askSeries();
    if (!isLive) {
      void this.#askReport();
      return () => undefined;
    }
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void this.#askSeries();
    }, ASK_MS);
    return () => clearInterval(timer);
  }

  async #askSeries(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const body = await answerOf(`${this.#path}/series`);
    this.#isAsking = false;
    const series = body.kind === 'here' ? readSeries(body.value) : undefined;
    if (series !== undefined) this.series = { kind: 'here', value: series };
    else if (this.series.kind !== 'here') this.series = { kind: 'absent', reason: reasonOf(body) };
  }

  async #askReport(): Promise<void> {
    const body = await answerOf(this.#path);
    const report = body.kind === 'here' ? reportOf(body.value) : undefined;
    this.schema = body.kind === 'here' ? schemaOf(body.value) : '';
    this.report =
      report === undefined ? { kind: 'absent', reason: reasonOf(body) } : { kind: 'here', value: report };
  }
}

type Answer =
  | { readonly kind: 'here'; readonly value: unknown }
  | { readonly kind: 'refused'; readonly reason: string };

const answerOf = async (path: string): Promise<Answer> => {
  const answer = await fetch(path, { cache: 'no-store' }).catch(() => undefined);
  if (answer === undefined) return { kind: 'refused', reason: 'the daemon does not answer' };
  const body: unknown = await answer.json().catch(() => undefined);
  return answer.ok
    ? { kind: 'here', value: body }
    : { kind: 'refused', reason: refusalText(answer.status, body) };
};

const reasonOf = (answer: Answer): string =>
  answer.kind === 'refused' ? answer.reason : 'there is no report of it here that can be read';

/** The daemon has checked the report when it read it from the disk; here only its schema is looked at. */
const reportOf = (body: unknown): Report | undefined =>
  typeof body === 'object' && body !== null && 'report' in body && isReport(body.report)
    ? body.report
    : undefined;

const schemaOf = (body: unknown): string => {
  if (typeof body !== 'object' || body === null || !('report' in body)) return '';
  const { report } = body;
  return typeof report === 'object' &&
    report !== null &&
    'schema' in report &&
    typeof report.schema === 'string'
    ? report.schema
    : '';
};

const isReport = (value: unknown): value is Report =>
  typeof value === 'object' &&
  value !== null &&
  'schema' in value &&
  value.schema === 'plimsoll.report/1' &&
  'series' in value;
