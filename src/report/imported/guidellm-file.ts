// GuideLLM's benchmarks.json, schema 2: one run for each of its benchmarks, from the stamps of its requests.

import * as v from 'valibot';
import type { PrintedFigures, TimeFamily } from '../../core/explanation/explained-figures.ts';
import { NOT_REPORTED_TARGET } from '../../core/explanation/explained-result.ts';
import type { EndedSample } from '../../core/run/ended-sample.ts';
import { NO_FIGURE } from '../../core/run/event-record.ts';
import type { RunPattern } from '../../core/run/run-pattern.ts';
import { nonNegative } from '../../core/schema.ts';
import { unknown } from '../../core/unknown.ts';
import { CHUNKS_UNREPORTED, reportedUrl } from './aiperf-file.ts';
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

export const isGuidellmReport = (value: unknown): boolean => v.safeParse(MARK, value).success;

/** @throws ForeignFileError with the path in the file */
export const guidellmRuns = (value: unknown): readonly ForeignRun[] => {
  const { metadata, benchmarks, config } = checkedBy(REPORT, value, 'the file');
  const backend = config?.spec?.backend;
  return benchmarks.map((benchmark, index): ForeignRun => {
    const location = `benchmarks.${index}`;
    const samples = samplesOf(benchmark, location);
    const zero = zeroOf(benchmark, location);
    const { target, model } = { ...backend, ...benchmark.config.backend };
    return {
      tool: 'guidellm',
      version: shortened(metadata.guidellm_version),
      run: {
        startedAt: new Date(Math.floor(zero * 1e3)).toISOString(),
        target: typeof target === 'string' ? shortened(reportedUrl(target)) : NOT_REPORTED_TARGET,
        api: unknown('not reported'),
        model: typeof model === 'string' && model !== '' ? shortened(model) : unknown('not reported'),
        pattern: patternOf(benchmark.config.strategy, location),
        dataset: 'not reported by GuideLLM',
        streaming: samples.some(({ firstContentNs }) => firstContentNs !== NO_FIGURE),
        name: unknown('not given'),
      },
      printed: printedBy(benchmark),
      figures: { kind: 'requests', samples },
      unreported: [
        { what: 'data set', reason: 'its arguments are kept, not the prompts' },
        CHUNKS_UNREPORTED,
        { what: 'clock', reason: 'its stamps are of the wall clock, which may step' },
      ],
    };
  });
};

const STATUSES = ['successful', 'errored', 'incomplete'] as const;

const zeroOf = ({ requests }: Benchmark, location: string): number => {
  const zero = STATUSES.flatMap(status => requests[status] ?? []).reduce(
    (first, { info }) => Math.min(first, startOf(info.timings) ?? Number.POSITIVE_INFINITY),
    Number.POSITIVE_INFINITY,
  );
  if (!Number.isFinite(zero)) throw wrongForeignFile(`${location}.requests`, 'no request was sent');
  return zero;
};

const startOf = ({ request_start: start, resolve_start: resolved }: Timings): number | undefined =>
  start ?? resolved ?? undefined;

const samplesOf = (benchmark: Benchmark, location: string): readonly EndedSample[] => {
  const zero = zeroOf(benchmark, location);
  const samples: EndedSample[] = [];
  for (const status of STATUSES) {
    for (const [index, request] of (benchmark.requests[status] ?? []).entries()) {
      // One that was cut off before it was sent.
      if (startOf(request.info.timings) === undefined) continue;
      const at = `${location}.requests.${status}.${index}`;
      samples.push(
        checkedSample(sampleOf(request, { status, zero, sampleId: samples.length, location: at }), at),
      );
    }
  }
  return samples.toSorted((one, other) => one.endNs - other.endNs);
};

interface RequestContext {
  readonly status: (typeof STATUSES)[number];
  readonly zero: number;
  readonly sampleId: number;
  readonly location: string;
}

const sampleOf = (
  request: GuidellmRecord,
  { status, zero, sampleId, location }: RequestContext,
): EndedSample => {
  const { timings, error } = request.info;
  const at = (stamp: number | null | undefined): number | undefined =>
    stamp === null || stamp === undefined ? undefined : toNs(stamp - zero);
  const sentNs = at(startOf(timings)) ?? 0;
  const firstNs = at(timings.first_token_iteration);
  const lastNs = at(timings.last_token_iteration) ?? firstNs;
  const endNs = at(timings.request_end ?? timings.resolve_end) ?? lastNs ?? sentNs;
  const targetedNs = at(timings.targeted_start);
  if (firstNs !== undefined && lastNs !== undefined && lastNs < firstNs)
    throw wrongForeignFile(location, 'its last token came before its first');
  const chunks = timings.token_iterations ?? 0;
  const gapsNs = firstNs === undefined || lastNs === undefined || chunks < 2 ? [] : [lastNs - firstNs];
  const answerNs = at(timings.first_output_token_iteration);
  return {
    sampleId,
    window: 0,
    intendedNs: targetedNs === undefined || targetedNs < 0 ? sentNs : Math.min(targetedNs, sentNs),
    sentNs,
    ...UNRECORDED,
    firstByteNs: NO_FIGURE,
    firstContentNs: firstNs ?? NO_FIGURE,
    firstAnswerNs:
      answerNs === undefined || firstNs === undefined || lastNs === undefined
        ? NO_FIGURE
        : Math.min(Math.max(answerNs, firstNs), firstNs + (gapsNs[0] ?? 0)),
    chunkGapsNs: gapsNs,
    chunkCount: firstNs === undefined ? 0 : gapsNs.length + 1,
    endNs: Math.max(endNs, (firstNs ?? sentNs) + (gapsNs[0] ?? 0)),
    outcome: OUTCOMES[status],
    failure:
      status === 'errored'
        ? { kind: 'error-frame', statusCode: 0, detail: `GuideLLM: ${(error ?? '').slice(0, 500)}` }
        : undefined,
    inputTokens: request.prompt_tokens ?? NO_FIGURE,
    outputTokens: request.output_tokens ?? NO_FIGURE,
  };
};

const printedBy = ({ metrics }: Benchmark): PrintedFigures => {
  const times = (family: TimeFamily, metric: Metric, unit: number): PrintedFigures => {
    const printed = metric?.successful;
    return printed === null || printed === undefined
      ? {}
      : printedTimes(
          family,
          { mean: printed.mean, percentiles: percentile => printed.percentiles?.[`p${percentile}`] },
          unit,
        );
  };
  return {
    ...times('ttft', metrics?.time_to_first_token_ms, MILLISECOND_NS),
    ...times('tpot', metrics?.time_per_output_token_ms, MILLISECOND_NS),
    ...times('itl', metrics?.inter_token_latency_ms, MILLISECOND_NS),
    ...times('latency', metrics?.request_latency, SECOND_NS),
    ...printedRates({
      requestsPerSecond: metrics?.requests_per_second?.successful?.mean,
      outputTokensPerSecond: metrics?.output_tokens_per_second?.successful?.mean,
      totalTokensPerSecond: metrics?.tokens_per_second?.successful?.mean,
    }),
  };
};

const MILLISECOND_NS = 1e6;
const SECOND_NS = 1e9;

const patternOf = (strategy: Strategy, location: string): RunPattern => {
  switch (strategy.type_) {
    case 'synchronous':
      return { kind: 'concurrency', concurrency: 1 };
    case 'concurrent':
      return {
        kind: 'concurrency',
        concurrency: Math.max(1, strategy.streams ?? strategy.max_concurrency ?? 1),
      };
    case 'throughput':
      return { kind: 'max-throughput' };
    case 'constant':
    case 'poisson':
      if (strategy.rate === undefined || strategy.rate === null)
        throw wrongForeignFile(`${location}.config.strategy`, 'it has no rate');
      return { kind: strategy.type_, requestsPerSecond: strategy.rate };
    default:
      throw wrongForeignFile(
        `${location}.config.strategy`,
        `${JSON.stringify(strategy.type_.slice(0, 40))} is a load that Plimsoll has no word for`,
      );
  }
};

const OUTCOMES = { successful: 'completed', errored: 'failed', incomplete: 'cancelled' } as const;

const stamp = v.nullish(seconds);
const TIMINGS = v.looseObject({
  targeted_start: stamp,
  resolve_start: stamp,
  request_start: stamp,
  first_token_iteration: stamp,
  first_output_token_iteration: stamp,
  last_token_iteration: stamp,
  token_iterations: v.nullish(foreignTokens),
  request_end: stamp,
  resolve_end: stamp,
});
type Timings = v.InferOutput<typeof TIMINGS>;
const REQUEST = v.looseObject({
  info: v.looseObject({ timings: TIMINGS, error: v.nullish(v.string()) }),
  prompt_tokens: v.nullish(foreignTokens),
  output_tokens: v.nullish(foreignTokens),
});
type GuidellmRecord = v.InferOutput<typeof REQUEST>;
const requests = v.nullish(v.pipe(v.array(REQUEST), v.maxLength(IMPORTED_REQUESTS_MAX)));
const STRATEGY = v.looseObject({
  type_: v.string(),
  streams: v.nullish(foreignTokens),
  max_concurrency: v.nullish(foreignTokens),
  rate: v.nullish(v.pipe(v.number(), v.finite(), v.gtValue(0))),
});
type Strategy = v.InferOutput<typeof STRATEGY>;
const BACKEND = v.nullish(v.looseObject({ target: v.optional(v.unknown()), model: v.optional(v.unknown()) }));
const metric = v.nullish(
  v.looseObject({
    successful: v.nullish(
      v.looseObject({
        mean: v.nullish(nonNegative),
        percentiles: v.nullish(v.record(v.string(), v.nullish(nonNegative))),
      }),
    ),
  }),
);
type Metric = v.InferOutput<typeof metric>;
const BENCHMARK = v.looseObject({
  metrics: v.nullish(
    v.looseObject({
      time_to_first_token_ms: metric,
      time_per_output_token_ms: metric,
      inter_token_latency_ms: metric,
      request_latency: metric,
      requests_per_second: metric,
      output_tokens_per_second: metric,
      tokens_per_second: metric,
    }),
  ),
  config: v.looseObject({ strategy: STRATEGY, backend: BACKEND }),
  requests: v.looseObject({ successful: requests, errored: requests, incomplete: requests }),
});
type Benchmark = v.InferOutput<typeof BENCHMARK>;
const MARK = v.looseObject({
  metadata: v.looseObject({ guidellm_version: v.string() }),
  benchmarks: v.array(v.unknown()),
});
const REPORT = v.looseObject({
  metadata: v.looseObject({
    version: v.literal(2, 'only schema 2 is read, which GuideLLM 0.6 and later write'),
    guidellm_version: v.string(),
  }),
  config: v.nullish(v.looseObject({ spec: v.nullish(v.looseObject({ backend: BACKEND })) })),
  benchmarks: v.pipe(v.array(BENCHMARK), v.minLength(1), v.maxLength(256)),
});
