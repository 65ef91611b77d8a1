// A run as inference-perf's summary_lifecycle_metrics.json, in seconds, by its definitions (inference_perf/reportgen/base.py)
// with `use_server_output_tokens`: our token counts are the server's, and no text is kept to count again.

import type { EndedSample } from '../../core/run/ended-sample.ts';
import type { ObjectiveName } from '../../core/run/objective.ts';
import type { Report } from '../../core/run/report.ts';
import { isOpenLoop } from '../../core/run/run-pattern.ts';
import { RawValues } from '../../core/statistics/raw-values.ts';
import {
  type ForeignFigures,
  ForeignTotals,
  type NamedStatistic,
  namedSummary,
  type SampleReading,
} from './foreign-series.ts';

/** One JSON object; null for missing values. @throws the system's error */
export async function* inferencePerfSummary(report: Report, samples: SampleReading): AsyncGenerator<string> {
  const fold = new Fold(report);
  for await (const sample of samples()) fold.add(sample);
  yield `${JSON.stringify(fold.summary(), undefined, 2)}\n`;
}

class Fold {
  readonly #report: Report;
  readonly #totals = new ForeignTotals();
  readonly #latencyNs = new RawValues();
  readonly #ttftNs = new RawValues();
  readonly #normalizedNs = new RawValues();
  readonly #betweenTokensNs = new RawValues();
  readonly #scheduleDelayNs = new RawValues();
  readonly #failedNs = new RawValues();
  readonly #labels = new Map<string, number>();
  #hasJoinedTokens = false;
  #good = 0;
  #goodTokens = 0;

  constructor(report: Report) {
    this.#report = report;
  }

  add(sample: EndedSample): void {
    const figures = this.#totals.add(sample);
    this.#scheduleDelayNs.add(sample.sentNs - sample.intendedNs);
    if (figures !== undefined) this.#completed(sample, figures);
    if (sample.outcome !== 'failed') return;
    this.#failedNs.add(sample.endNs - sample.sentNs);
    const label = labelOf(sample);
    this.#labels.set(label, (this.#labels.get(label) ?? 0) + 1);
  }

  #completed(sample: EndedSample, figures: ForeignFigures): void {
    const latencyNs = sample.endNs - sample.sentNs;
    const { outputTokens = 0, ttftNs } = figures;
    this.#latencyNs.add(latencyNs);
    this.#normalizedNs.add(outputTokens > 0 ? latencyNs / outputTokens : 0);
    // A reply of one token has one arrival time, which inference-perf takes for a reply that was not streamed.
    const hasTimes = ttftNs !== undefined && outputTokens > 1;
    if (hasTimes) this.#ttftNs.add(ttftNs);
    if (outputTokens !== sample.chunkCount) this.#hasJoinedTokens = true;
    if (hasTimes) for (const gap of sample.chunkGapsNs) this.#betweenTokensNs.add(gap);
    const known: Figures = {
      latency: latencyNs,
      ttft: hasTimes ? ttftNs : undefined,
      tpot: figures.perTokenNs,
    };
    if (!this.#isGood(known)) return;
    this.#good += 1;
    this.#goodTokens += (figures.inputTokens ?? 0) + outputTokens;
  }

  summary(): Record<string, unknown> {
    const totals = this.#totals;
    const seconds = Math.max(0, totals.lastEndNs - totals.firstSentNs) / 1e9;
    const input = totals.tokens('inputTokens');
    const output = totals.tokens('outputTokens');
    const perSecond = (count: number | undefined): number | null =>
      count === undefined || !(seconds > 0) ? null : count / seconds;
    return {
      benchmark_time_seconds: seconds,
      load_summary: {
        count: totals.completed + totals.failed,
        schedule_delay: isOpenLoop(this.#report.run.pattern) ? summaryOf(this.#scheduleDelayNs, 1e9) : null,
      },
      successes: {
        count: totals.completed,
        latency: {
          request_latency: summaryOf(this.#latencyNs, 1e9),
          normalized_time_per_output_token: output === undefined ? null : summaryOf(this.#normalizedNs, 1e9),
          time_per_output_token: summaryOf(totals.perTokenNs, 1e9),
          time_to_first_token: summaryOf(this.#ttftNs, 1e9),
          inter_token_latency: this.#hasJoinedTokens ? null : summaryOf(this.#betweenTokensNs, 1e9),
        },
        throughput: {
          input_tokens_per_sec: perSecond(input),
          output_tokens_per_sec: perSecond(output),
          total_tokens_per_sec: perSecond(
            input === undefined || output === undefined ? undefined : input + output,
          ),
          requests_per_sec: perSecond(totals.completed),
        },
        prompt_tokens: input === undefined ? null : { total: input, ...summaryOf(totals.inputTokens, 1) },
        output_tokens: output === undefined ? null : { total: output, ...summaryOf(totals.outputTokens, 1) },
        ...this.#goodput(perSecond),
      },
      failures: {
        count: totals.failed,
        request_latency: summaryOf(this.#failedNs, 1e9),
        by_label: Object.fromEntries(
          [...this.#labels].map(([label, count]) => [label, { count, messages: [] }]),
        ),
      },
    };
  }

  /** Over the requests that succeeded: failures are not in inference-perf's denominator. */
  #goodput(perSecond: (count: number) => number | null): Record<string, unknown> {
    const { objectives = [] } = this.#report;
    if (objectives.length === 0 || objectives.some(({ name }) => !OBJECTIVES.has(name))) return {};
    const total = this.#totals.completed;
    return {
      goodput_metrics: {
        goodput_percentage: total === 0 ? 0 : (this.#good / total) * 100,
        request_goodput: perSecond(this.#good),
        token_goodput: perSecond(this.#goodTokens),
        good_requests: this.#good,
        total_requests: total,
      },
    };
  }

  #isGood(figures: Figures): boolean {
    return (this.#report.objectives ?? []).every(({ name, limitNs }) => {
      const figure = OBJECTIVES.get(name)?.(figures);
      return figure !== undefined && figure <= limitNs;
    });
  }
}

interface Figures {
  readonly latency: number;
  readonly ttft: number | undefined;
  readonly tpot: number | undefined;
}

const OBJECTIVES = new Map<ObjectiveName, (figures: Figures) => number | undefined>([
  ['latency', ({ latency }) => latency],
  ['ttft', ({ ttft }) => ttft],
  ['tpot', ({ tpot }) => tpot],
]);

const labelOf = ({ failure }: EndedSample): string => {
  if (failure === undefined) return 'other';
  if (failure.kind === 'http-status')
    return HTTP_LABELS.get(failure.statusCode) ?? `${failure.statusCode} - other`;
  if (failure.kind === 'timeout') return 'Timeout';
  return failure.kind === 'connect' || failure.kind === 'tls' ? 'Connection Error' : failure.kind;
};

const HTTP_LABELS = new Map([
  [429, '429 - Rate Limit'],
  [500, '500 - Internal Server Error'],
  [502, '502 - Bad Gateway'],
  [503, '503 - Service Unavailable'],
  [504, '504 - Gateway Timeout'],
]);

const summaryOf = (values: RawValues, divisor: number): Record<string, number> | null =>
  namedSummary(values, divisor, STATISTICS) ?? null;

const STATISTICS: readonly NamedStatistic[] = [
  ['mean', 'mean'],
  ['min', 0],
  ['max', 100],
  ...[0.1, 1, 5, 10, 25, 50, 75, 90, 95, 99, 99.9].map(
    (p): NamedStatistic => [p === 50 ? 'median' : `p${p}`, p],
  ),
];
