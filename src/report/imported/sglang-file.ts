// The result of SGLang's bench_serving (`--output-file`), one object a line: totals alone. With --output-details it has lists of
// each request, but neither when they were sent nor when they ended, so that they are no requests of ours.

import * as v from 'valibot';
import { NOT_REPORTED_TARGET } from '../../core/explanation/explained-result.ts';
import type { RunPattern } from '../../core/run/run-pattern.ts';
import { nonNegative } from '../../core/schema.ts';
import { unknown } from '../../core/unknown.ts';
import type { ForeignSummary } from '../../metrics/foreign-report.ts';
import {
  checkedBy,
  type ForeignRun,
  foreignTokens,
  printedRates,
  seconds,
  shortened,
  toNs,
} from './foreign-file.ts';
import { millisecondSeries, printedSeries } from './vllm-file.ts';

export const isSglangResult = (value: unknown): boolean => v.safeParse(MARK, value).success;

/** Python writes an endless rate as Infinity, which is no JSON. */
export const withoutInfinity = (text: string): string =>
  text.replace(/("request_rate": ?)Infinity\b/g, '$1"inf"');

/** @param writtenAt ISO, of the file @throws ForeignFileError */
export const sglangRun = (value: unknown, location: string, writtenAt: string): ForeignRun => {
  const result = checkedBy(RESULT, value, location);
  const summary = summaryOf(value, result, location);
  const { model } = result;
  return {
    tool: 'sglang',
    version: unknown('its results do not name it'),
    run: {
      startedAt: writtenAt,
      target: NOT_REPORTED_TARGET,
      api: result.backend.includes('chat') ? 'chat' : 'completions',
      model: typeof model === 'string' && model !== '' ? shortened(model) : unknown('not reported'),
      pattern: patternOf(result),
      dataset: 'not reported by SGLang',
      streaming: (result.mean_itl_ms ?? 0) > 0,
      name: unknown('not given'),
    },
    printed: {
      ...printedSeries(summary),
      ...printedRates({
        requestsPerSecond: result.request_throughput,
        outputTokensPerSecond: result.output_throughput,
        totalTokensPerSecond: result.total_throughput,
      }),
    },
    figures: { kind: 'summary', summary },
    unreported: [
      { what: 'target', reason: "SGLang's result does not name the server" },
      { what: 'date', reason: 'the time at which its file was written' },
      { what: 'data set', reason: 'only its kind is named' },
      ...(failedOf(result) === undefined
        ? [{ what: 'failed requests', reason: 'only --output-details lists them' }]
        : []),
      ...(result.request_rate === 'trace'
        ? [
            {
              what: 'load',
              reason: 'requests were sent at the times of a trace; the maximum in flight is shown',
            },
          ]
        : []),
      { what: 'single requests', reason: '--output-details has no times at which they were sent and ended' },
      {
        what: 'definitions',
        reason: "figures are SGLang's own: percentiles interpolated, TPOT to the end of the stream",
      },
    ],
  };
};

const summaryOf = (value: unknown, result: Result, location: string): ForeignSummary => {
  const record = checkedBy(v.record(v.string(), v.unknown()), value, location);
  return {
    completed: result.completed,
    failed: failedOf(result) ?? 0,
    windowNs: toNs(result.duration),
    inputTokens: result.total_input_tokens ?? result.total_input ?? undefined,
    outputTokens: result.total_output_tokens ?? result.total_output ?? undefined,
    series: Object.fromEntries(
      SERIES.flatMap(([name, key]) => {
        const series = millisecondSeries(record, name, location);
        return series === undefined ? [] : [[key, series] as const];
      }),
    ),
  };
};

const patternOf = ({ request_rate: rate, max_concurrency: most, completed }: Result): RunPattern =>
  typeof rate === 'number'
    ? { kind: 'poisson', requestsPerSecond: rate }
    : { kind: 'concurrency', concurrency: Math.max(1, most ?? completed) };

/** undefined without --output-details. */
const failedOf = ({ errors }: Result): number | undefined => errors?.filter(error => error !== '').length;

const SERIES = [
  ['ttft', 'ttftNs'],
  ['tpot', 'tpotNs'],
  ['itl', 'chunkGapNs'],
  ['e2e_latency', 'latencyNs'],
] as const satisfies readonly (readonly [string, keyof ForeignSummary['series']])[];

const MARK = v.looseObject({
  backend: v.string(),
  completed: v.number(),
  mean_e2e_latency_ms: v.number(),
  request_throughput: v.number(),
});
const tokens = v.nullish(foreignTokens);
const RESULT = v.looseObject({
  backend: v.string(),
  model: v.optional(v.unknown()),
  request_rate: v.optional(
    v.union([v.literal('inf'), v.literal('trace'), v.pipe(v.number(), v.finite(), v.gtValue(0))]),
  ),
  max_concurrency: tokens,
  duration: seconds,
  completed: foreignTokens,
  total_input_tokens: tokens,
  total_input: tokens,
  total_output_tokens: tokens,
  total_output: tokens,
  request_throughput: nonNegative,
  output_throughput: v.nullish(nonNegative),
  total_throughput: v.nullish(nonNegative),
  mean_itl_ms: v.nullish(nonNegative),
  errors: v.nullish(v.array(v.string())),
});
type Result = v.InferOutput<typeof RESULT>;
