// The result of `vllm bench serve --save-result`, and of vllm-bench. With --save-detailed and send times it has each
// request; else its totals are used unchanged.

import * as v from 'valibot';
import {
  type PrintedFigures,
  TIME_FAMILIES,
  TIME_FAMILY_KEYS,
} from '../../core/explanation/explained-figures.ts';
import { NOT_REPORTED_TARGET } from '../../core/explanation/explained-result.ts';
import { counted } from '../../core/figure/figure.ts';
import type { EndedSample } from '../../core/run/ended-sample.ts';
import { NO_FIGURE } from '../../core/run/event-record.ts';
import type { UnreportedFact } from '../../core/run/foreign-run.ts';
import { arrivalOf, burstinessFigure, type RunPattern } from '../../core/run/run-pattern.ts';
import { nonNegative } from '../../core/schema.ts';
import { unknown } from '../../core/unknown.ts';
import type { ForeignSummary, SummarySeries } from '../../metrics/foreign-report.ts';
import { VLLM_SERIES } from '../foreign/vllm-result.ts';
import {
  checkedBy,
  checkedSample,
  type ForeignRun,
  foreignTokens,
  IMPORTED_REQUESTS_MAX,
  printedRates,
  printedTimes,
  seconds,
  shortened,
  toNs,
  UNRECORDED,
  wrongForeignFile,
} from './foreign-file.ts';

export const isVllmResult = (value: unknown): boolean => v.safeParse(MARK, value).success;

/** @param location "the file", or its line if it contains several @throws ForeignFileError */
export const vllmRun = (value: unknown, location: string): ForeignRun => {
  const result = checkedBy(RESULT, value, location);
  const samples = requestsOf(value, result, location);
  const summary = summaryOf(value, result, location);
  return {
    tool: 'vllm',
    version: unknown('its results do not name it'),
    run: {
      startedAt: dateOf(result.date, location),
      target: NOT_REPORTED_TARGET,
      api: result.backend?.includes('chat') === true ? 'chat' : 'completions',
      model: shortened(result.model_id),
      pattern: patternOf(result),
      dataset: 'not reported by vLLM',
      streaming: result.mean_ttft_ms !== undefined && result.mean_ttft_ms !== null,
      name:
        typeof result.label === 'string' && result.label !== ''
          ? shortened(result.label).slice(0, 100)
          : NOT_NAMED,
    },
    printed: {
      ...printedSeries(summary),
      ...printedRates({
        requestsPerSecond: result.request_throughput,
        outputTokensPerSecond: result.output_throughput,
        totalTokensPerSecond: result.total_token_throughput,
      }),
    },
    figures: samples === undefined ? { kind: 'summary', summary } : { kind: 'requests', samples },
    unreported: [...UNREPORTED, ...(samples === undefined ? SUMMARY_UNREPORTED : DETAILED_UNREPORTED)],
  };
};

/**
 * vLLM writes "20260131-142501", the local time of its machine without its zone, read as UTC here; vllm-bench writes
 * "2026-01-31T14:25:01Z".
 */
const dateOf = (date: string, location: string): string => {
  const [, day, time] = /^(\d{4}-?\d\d-?\d\d)[-T](\d\d:?\d\d:?\d\d)/.exec(date) ?? [];
  const iso =
    day === undefined || time === undefined
      ? ''
      : `${day.replace(/^(....)(..)(..)$/, '$1-$2-$3')}T${time.replace(/^(..)(..)(..)$/, '$1:$2:$3')}.000Z`;
  if (Number.isNaN(Date.parse(iso)))
    throw wrongForeignFile(`${location}, date`, 'not a date as vLLM writes one: 20260131-142501');
  return iso;
};

const patternOf = ({
  request_rate: rate,
  burstiness,
  max_concurrency: most,
  num_prompts: prompts,
}: Result): RunPattern => {
  if (typeof rate === 'number')
    return {
      ...arrivalOf(burstiness === 'inf' ? Number.POSITIVE_INFINITY : (burstiness ?? 1)),
      requestsPerSecond: rate,
    };
  return { kind: 'concurrency', concurrency: Math.max(1, most ?? prompts) };
};

const requestsOf = (value: unknown, result: Result, location: string): readonly EndedSample[] | undefined => {
  const lists = checkedBy(DETAILS, value, location);
  const {
    input_lens: inputs,
    output_lens: outputs,
    ttfts,
    itls,
    errors,
    start_times: starts,
    latencies,
  } = lists;
  if (starts === undefined || ttfts === undefined || itls === undefined || outputs === undefined)
    return undefined;
  const count = starts.length;
  for (const [name, list] of Object.entries({ ...lists, start_times: undefined })) {
    if (list !== undefined && list.length !== count)
      throw wrongForeignFile(
        `${location}, ${name}`,
        `${counted(list.length, 'entry', 'entries')} but ${count} start_times`,
      );
  }
  if (result.completed > count)
    throw wrongForeignFile(`${location}, completed`, `${result.completed} of ${counted(count, 'request')}`);
  const zero = starts.reduce((first, start) => Math.min(first, start), Number.POSITIVE_INFINITY);
  return starts.map((start, index) => {
    const at = `${location}, request ${index}`;
    const sentNs = toNs(start - zero);
    const error = errors?.[index] ?? '';
    const tokens = outputs[index] ?? 0;
    const gapsNs = (itls[index] ?? []).map(toNs);
    const ttftNs = toNs(ttfts[index] ?? 0);
    const lastNs = sentNs + ttftNs + gapsNs.reduce((sum, gap) => sum + gap, 0);
    const hasContent = ttftNs > 0;
    const isFailed = error !== '' || (!hasContent && tokens === 0);
    return checkedSample(
      {
        ...PLAIN,
        sampleId: index,
        intendedNs: sentNs,
        sentNs,
        firstContentNs: hasContent ? sentNs + ttftNs : NO_FIGURE,
        chunkGapsNs: hasContent ? gapsNs : [],
        chunkCount: hasContent ? gapsNs.length + 1 : 0,
        endNs: Math.max(lastNs, sentNs + toNs(latencies?.[index] ?? 0)),
        outcome: isFailed ? 'failed' : 'completed',
        failure: isFailed
          ? { kind: 'error-frame', statusCode: 0, detail: `vLLM: ${error.slice(0, 500)}` }
          : undefined,
        inputTokens: isFailed ? NO_FIGURE : (inputs?.[index] ?? NO_FIGURE),
        outputTokens: isFailed ? NO_FIGURE : tokens,
      },
      at,
    );
  });
};

const summaryOf = (value: unknown, result: Result, location: string): ForeignSummary => {
  const record = checkedBy(v.record(v.string(), v.unknown()), value, location);
  return {
    completed: result.completed,
    failed: result.failed ?? Math.max(0, result.num_prompts - result.completed),
    windowNs: toNs(result.duration),
    inputTokens: result.total_input_tokens ?? undefined,
    outputTokens: result.total_output_tokens ?? undefined,
    series: Object.fromEntries(
      VLLM_SERIES.flatMap(({ name, series: key }) => {
        const series = millisecondSeries(record, name, location);
        return series === undefined ? [] : [[key, series] as const];
      }),
    ),
  };
};

/** As vLLM and SGLang print them. */
export const printedSeries = ({ series }: ForeignSummary): PrintedFigures =>
  Object.assign(
    {},
    ...TIME_FAMILY_KEYS.map(family => {
      const printed = series[TIME_FAMILIES[family].series];
      return printed === undefined
        ? {}
        : printedTimes(
            family,
            { mean: printed.meanNs, percentiles: percentile => printed.percentiles[percentile] },
            1,
          );
    }),
  );

/** What both print of a series, "mean_ttft_ms" and its like; undefined without a mean. */
export const millisecondSeries = (
  record: Readonly<Record<string, unknown>>,
  name: string,
  location: string,
): SummarySeries | undefined => {
  const ms = (key: string): number | undefined => {
    const reported = record[key];
    return reported === undefined || reported === null
      ? undefined
      : checkedBy(milliseconds, reported, `${location}, ${key}`);
  };
  const mean = ms(`mean_${name}_ms`);
  if (mean === undefined) return undefined;
  const percentiles: Record<string, number> = {};
  for (const key of Object.keys(record)) {
    const [, percentile] = new RegExp(`^p(\\d{1,2}(?:\\.\\d{1,3})?)_${name}_ms$`).exec(key) ?? [];
    const reported = percentile === undefined ? undefined : ms(key);
    if (percentile !== undefined && reported !== undefined)
      percentiles[percentile] = Math.round(reported * 1e6);
  }
  const median = ms(`median_${name}_ms`);
  if (median !== undefined) percentiles['50'] = Math.round(median * 1e6);
  return { meanNs: mean * 1e6, stdDevNs: (ms(`std_${name}_ms`) ?? 0) * 1e6, percentiles };
};

const PLAIN = {
  ...UNRECORDED,
  window: 0,
  firstByteNs: NO_FIGURE,
  firstAnswerNs: NO_FIGURE,
};

const NOT_NAMED = unknown('not given');
const UNREPORTED: readonly UnreportedFact[] = [
  { what: 'target', reason: "vLLM's result does not name the server" },
  { what: 'data set', reason: 'its result does not name it' },
  { what: 'time zone', reason: 'its date is local; read as UTC' },
];
const SUMMARY_UNREPORTED: readonly UnreportedFact[] = [
  { what: 'single requests', reason: 'only --save-detailed writes them, with start_times' },
  {
    what: 'definitions',
    reason: "figures are vLLM's own: percentiles interpolated, latency to the last content",
  },
];
const DETAILED_UNREPORTED: readonly UnreportedFact[] = [
  { what: 'end of the stream', reason: 'latency ends with the last content' },
  { what: 'first token', reason: 'the first message with a choice, also one that has only a role' },
];

const milliseconds = v.pipe(v.number(), v.finite(), v.minValue(0), v.maxValue(8.64e9));
const MARK = v.looseObject({
  num_prompts: v.number(),
  request_throughput: v.number(),
  completed: v.number(),
});
const RESULT = v.looseObject({
  date: v.pipe(v.string(), v.maxLength(64)),
  backend: v.optional(v.string()),
  label: v.nullish(v.string()),
  model_id: v.string(),
  num_prompts: foreignTokens,
  request_rate: v.optional(v.union([v.literal('inf'), v.pipe(v.number(), v.finite(), v.gtValue(0))])),
  burstiness: v.nullish(v.union([v.literal('inf'), burstinessFigure])),
  max_concurrency: v.nullish(foreignTokens),
  duration: seconds,
  request_throughput: nonNegative,
  output_throughput: v.nullish(nonNegative),
  total_token_throughput: v.nullish(nonNegative),
  completed: foreignTokens,
  failed: v.nullish(foreignTokens),
  total_input_tokens: v.nullish(foreignTokens),
  total_output_tokens: v.nullish(foreignTokens),
  mean_ttft_ms: v.nullish(milliseconds),
});
type Result = v.InferOutput<typeof RESULT>;
const listOf = <T>(item: v.GenericSchema<unknown, T>) =>
  v.optional(v.pipe(v.array(item), v.maxLength(IMPORTED_REQUESTS_MAX)));
const DETAILS = v.object({
  input_lens: listOf(foreignTokens),
  output_lens: listOf(foreignTokens),
  ttfts: listOf(seconds),
  itls: listOf(v.array(seconds)),
  errors: listOf(v.nullable(v.string())),
  start_times: listOf(seconds),
  latencies: listOf(seconds),
});
