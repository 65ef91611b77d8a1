// AIPerf's profile_export.jsonl, one line for each request, and profile_export_aiperf.json from the same folder about
// the whole run. Times of a request are its metrics, exact to the nanosecond; its stamps since 1970 only order it
// among the others, because a JSON number has them to 256 ns.

import * as v from 'valibot';
import type { PrintedFigures, TimeFamily } from '../../core/explanation/explained-figures.ts';
import { NOT_REPORTED_TARGET, UNREPORTED_CHUNKS } from '../../core/explanation/explained-result.ts';
import { type EndedSample, OUTSIDE_WINDOWS, type SampleFailure } from '../../core/run/ended-sample.ts';
import { NO_FIGURE } from '../../core/run/event-record.ts';
import type { UnreportedFact } from '../../core/run/foreign-run.ts';
import { type Arrival, arrivalOf, burstinessFigure, type RunPattern } from '../../core/run/run-pattern.ts';
import { nonNegative } from '../../core/schema.ts';
import { linesIn } from '../../core/text/lines-in.ts';
import { unknown } from '../../core/unknown.ts';
import { peakConcurrency } from '../foreign/foreign-series.ts';
import {
  checkedBy,
  checkedSample,
  type ForeignRun,
  IMPORTED_REQUESTS_MAX,
  parsedJson,
  printedRates,
  printedTimes,
  shortened,
  UNRECORDED,
  wrongForeignFile,
} from './foreign-file.ts';

export const isAiperfRecord = (value: unknown): boolean => v.safeParse(MARK, value).success;

/** @param summaryText content of profile_export_aiperf.json, if it exists @throws ForeignFileError with the line */
export const aiperfRun = (text: string, summaryText: string | undefined): ForeignRun => {
  const records: { readonly record: AiperfRecord; readonly location: string }[] = [];
  for (const { text: line, number } of linesIn(text)) {
    if (line.trim() === '') continue;
    const location = `line ${number}`;
    records.push({ record: checkedBy(RECORD, parsedJson(line, location), location), location });
    if (records.length > IMPORTED_REQUESTS_MAX)
      throw wrongForeignFile(location, `more than ${IMPORTED_REQUESTS_MAX} requests`);
  }
  const zeroNs = records.reduce(
    (first, { record }) => Math.min(first, record.metadata.request_start_ns),
    Number.POSITIVE_INFINITY,
  );
  const samples = records.map(({ record, location }, index) =>
    checkedSample(sampleOf(record, { index, zeroNs, location }), location),
  );
  const summary =
    summaryText === undefined ? undefined : checkedBy(SUMMARY, parsedJson(summaryText, BESIDE), BESIDE);
  const { endpoint, loadgen, models, phases } = configOf(summary);
  const reported = patternOf(phases?.find(({ kind }) => kind === 'profiling')) ?? patternOf(loadgen);
  const model = models?.items?.[0]?.name ?? endpoint?.model_names?.[0];
  const url = endpoint?.url ?? endpoint?.urls?.[0];
  const isStreaming = records.some(({ record }) => record.metrics['time_to_first_token'] !== undefined);
  return {
    tool: 'aiperf',
    version:
      summary?.aiperf_version === undefined
        ? unknown(`no ${BESIDE} next to it`)
        : shortened(summary.aiperf_version),
    run: {
      startedAt: new Date(Math.floor(zeroNs / 1e6)).toISOString(),
      target: url === undefined ? NOT_REPORTED_TARGET : shortened(reportedUrl(url)),
      api: endpoint?.type === undefined ? unknown('not reported') : shortened(endpoint.type),
      model: model === undefined ? unknown('not reported') : shortened(model),
      pattern: reported ?? { kind: 'concurrency', concurrency: mostAtOnce(samples) },
      dataset: 'not reported by AIPerf',
      streaming: isStreaming,
      name: unknown('not given'),
    },
    printed: printedBy(summary),
    figures: { kind: 'requests', samples },
    unreported: [
      { what: 'data set', reason: 'its records do not name it' },
      ...(reported === undefined
        ? [{ what: 'load', reason: 'taken from its records: the maximum in flight' }]
        : []),
      ...(records.some(({ record }) => record.metrics['inter_chunk_latency'] !== undefined) || !isStreaming
        ? []
        : [CHUNKS_UNREPORTED]),
    ],
  };
};

interface SampleContext {
  readonly index: number;
  readonly zeroNs: number;
  readonly location: string;
}

const sampleOf = (
  { metadata, metrics, error }: AiperfRecord,
  { index, zeroNs, location }: SampleContext,
): EndedSample => {
  const sentNs = metadata.request_start_ns - zeroNs;
  const time = (name: string): number | undefined => {
    const reported = metrics[name];
    return reported === undefined
      ? undefined
      : Math.round(
          numberOf(reported, `${location}, ${name}`) * unitNs(reported.unit, `${location}, ${name}`),
        );
  };
  const count = (name: string): number => {
    const reported = metrics[name];
    return reported === undefined ? NO_FIGURE : Math.round(numberOf(reported, `${location}, ${name}`));
  };
  const ttftNs = time('time_to_first_token');
  const latencyNs = time('request_latency');
  const answerNs = time('time_to_first_output_token');
  const failure = failureOf(error);
  const outcome =
    metadata.was_cancelled === true ? 'cancelled' : failure === undefined ? 'completed' : 'failed';
  const firstContentNs = ttftNs === undefined ? NO_FIGURE : sentNs + ttftNs;
  const gapsNs = ttftNs === undefined ? [] : gapsOf(metrics, { ttftNs, latencyNs, location });
  const lastNs =
    ttftNs === undefined
      ? sentNs + (latencyNs ?? 0)
      : gapsNs.reduce((sum, gap) => sum + gap, sentNs + ttftNs);
  const ackNs = (metadata.request_ack_ns ?? 0) - zeroNs;
  const isAck = ackNs >= sentNs && (ttftNs === undefined ? ackNs <= lastNs : ackNs <= firstContentNs);
  return {
    sampleId: index,
    window: metadata.benchmark_phase === 'warmup' ? OUTSIDE_WINDOWS : 0,
    intendedNs: sentNs,
    sentNs,
    ...UNRECORDED,
    firstByteNs: isAck ? ackNs : NO_FIGURE,
    firstContentNs,
    firstAnswerNs:
      answerNs === undefined || firstContentNs === NO_FIGURE || sentNs + answerNs > lastNs
        ? NO_FIGURE
        : Math.max(firstContentNs, sentNs + answerNs),
    chunkGapsNs: gapsNs,
    chunkCount: ttftNs === undefined ? 0 : gapsNs.length + 1,
    endNs: Math.max(lastNs, metadata.request_end_ns - zeroNs),
    outcome,
    failure: outcome === 'failed' ? failure : undefined,
    inputTokens: count('input_sequence_length'),
    outputTokens: count('output_sequence_length'),
    ...cachedOf(count('usage_prompt_cache_read_tokens')),
  };
};

/** If the server reported them: AIPerf leaves the metric out otherwise. */
const cachedOf = (cachedTokens: number): Pick<EndedSample, 'remark'> =>
  cachedTokens === NO_FIGURE ? {} : { remark: { ...NOTHING_REMARKED, cachedTokens } };

const NOTHING_REMARKED = {
  predictedTokens: NO_FIGURE,
  reasoningTokens: NO_FIGURE,
  isRepeat: false,
  hasRetryAfter: false,
  isWithoutText: false,
  doubts: [],
  finishName: '',
  otherModel: '',
} as const;

/** A single gap from the first to the last content if times of chunks are missing. */
const gapsOf = (
  metrics: AiperfRecord['metrics'],
  {
    ttftNs,
    latencyNs,
    location,
  }: { readonly ttftNs: number; readonly latencyNs: number | undefined; readonly location: string },
): readonly number[] => {
  const reported = metrics['inter_chunk_latency'];
  const restNs = latencyNs === undefined ? undefined : latencyNs - ttftNs;
  if (reported === undefined) return restNs === undefined || restNs <= 0 ? [] : [restNs];
  const unit = unitNs(reported.unit, `${location}, inter_chunk_latency`);
  const values = typeof reported.value === 'number' ? [reported.value] : reported.value;
  const gapsNs = values.map(gap => Math.round(gap * unit));
  const sumNs = gapsNs.reduce((sum, gap) => sum + gap, 0);
  if (restNs !== undefined && Math.abs(sumNs - restNs) > GAPS_OFF_NS_MAX + gapsNs.length)
    throw wrongForeignFile(
      `${location}, inter_chunk_latency`,
      'the gaps do not add up to the latency behind the first token',
    );
  return gapsNs;
};

const numberOf = ({ value }: Metric, location: string): number => {
  if (typeof value !== 'number') throw wrongForeignFile(location, 'a list where one figure belongs');
  if (!(value >= 0)) throw wrongForeignFile(location, 'a negative figure');
  return value;
};

const unitNs = (unit: string | undefined, location: string): number => {
  const ns = UNITS_NS.get(unit ?? 'ms');
  if (ns === undefined)
    throw wrongForeignFile(location, `unknown unit ${JSON.stringify((unit ?? '').slice(0, 40))}`);
  return ns;
};

const failureOf = (error: AiperfRecord['error']): SampleFailure | undefined => {
  if (error === null || error === undefined) return undefined;
  const status = Number(error.code ?? 0);
  const statusCode = Number.isSafeInteger(status) && status >= 100 && status <= 599 ? status : 0;
  const detail = `AIPerf: ${[error.type, error.message].filter(Boolean).join(': ').slice(0, 500)}`;
  const kind = /timeout/i.test(error.type ?? '')
    ? 'timeout'
    : statusCode >= 400
      ? 'http-status'
      : 'error-frame';
  return { kind, statusCode, detail };
};

const printedBy = (summary: AiperfSummary | undefined): PrintedFigures => {
  if (summary === undefined) return {};
  const times = (family: TimeFamily, printed: Printed | null | undefined): PrintedFigures =>
    printed === null || printed === undefined
      ? {}
      : printedTimes(
          family,
          { mean: printed.avg, percentiles: percentile => PRINTED_PERCENTILES.get(percentile)?.(printed) },
          unitNs(printed.unit, BESIDE),
        );
  const { inter_token_latency: betweenTokens } = summary;
  return {
    ...times('ttft', summary.time_to_first_token),
    // The same under both names: it is what others call TPOT, and what it prints as ITL.
    ...times('tpot', betweenTokens),
    ...times('itl', betweenTokens),
    ...times('latency', summary.request_latency),
    ...printedRates({
      requestsPerSecond: summary.request_throughput?.avg,
      outputTokensPerSecond: summary.output_token_throughput?.avg,
      totalTokensPerSecond: summary.total_token_throughput?.avg,
    }),
  };
};

const configOf = (summary: AiperfSummary | undefined): NonNullable<AiperfSummary['input_config']> =>
  summary?.input_config ?? {};

/** From a phase, or from "loadgen" in versions of AIPerf without phases. */
const patternOf = (load: AiperfLoad | undefined): RunPattern | undefined => {
  const rate = load?.rate ?? load?.request_rate;
  if (typeof rate === 'number') return { ...aiperfArrival(load), requestsPerSecond: rate };
  return typeof load?.concurrency === 'number'
    ? { kind: 'concurrency', concurrency: load.concurrency }
    : undefined;
};

const aiperfArrival = (load: AiperfLoad | undefined): Arrival => {
  switch (load?.type ?? load?.arrival_pattern ?? load?.request_rate_mode) {
    case 'constant':
      return { kind: 'constant' };
    case 'gamma':
      return arrivalOf(load?.smoothness ?? load?.arrival_smoothness ?? 1);
    default:
      return { kind: 'poisson' };
  }
};

const mostAtOnce = (samples: readonly EndedSample[]): number =>
  Math.max(
    1,
    peakConcurrency(
      Float64Array.from(samples, ({ sentNs }) => sentNs).sort(),
      Float64Array.from(samples, ({ endNs }) => endNs).sort(),
    ),
  );

export const reportedUrl = (url: string): string => url.replace(/\/\/[^/@]*@/, '//').replace(/\?.*$/s, '');

/** Each gap is rounded when it is written. */
const GAPS_OFF_NS_MAX = 1_000_000;
const UNITS_NS: ReadonlyMap<string, number> = new Map([
  ['ns', 1],
  ['us', 1e3],
  ['ms', 1e6],
  ['s', 1e9],
  ['sec', 1e9],
]);
export const CHUNKS_UNREPORTED: UnreportedFact = {
  what: UNREPORTED_CHUNKS,
  reason: 'only the first and the last are reported',
};
/** AIPerf's name of it. */
export const BESIDE = 'profile_export_aiperf.json';

const epochNs = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(8e18));
const METRIC = v.looseObject({
  value: v.union([v.pipe(v.number(), v.finite()), v.array(nonNegative)]),
  unit: v.optional(v.string()),
});
type Metric = v.InferOutput<typeof METRIC>;
const MARK = v.looseObject({
  metadata: v.looseObject({ benchmark_phase: v.string() }),
  metrics: v.looseObject({}),
});
const RECORD = v.looseObject({
  metadata: v.looseObject({
    request_start_ns: epochNs,
    request_ack_ns: v.nullish(epochNs),
    request_end_ns: epochNs,
    benchmark_phase: v.string(),
    was_cancelled: v.nullish(v.boolean()),
  }),
  metrics: v.record(v.string(), METRIC),
  error: v.nullish(
    v.looseObject({
      code: v.nullish(v.union([v.number(), v.string()])),
      type: v.nullish(v.string()),
      message: v.nullish(v.string()),
    }),
  ),
});
type AiperfRecord = v.InferOutput<typeof RECORD>;
const rate = v.nullish(v.union([v.pipe(v.number(), v.finite(), v.gtValue(0)), v.array(v.number())]));
const LOAD = v.looseObject({
  kind: v.nullish(v.string()),
  type: v.nullish(v.string()),
  concurrency: v.nullish(v.union([v.pipe(v.number(), v.integer(), v.minValue(1)), v.array(v.number())])),
  rate,
  request_rate: rate,
  arrival_pattern: v.nullish(v.string()),
  request_rate_mode: v.nullish(v.string()),
  smoothness: v.nullish(burstinessFigure),
  arrival_smoothness: v.nullish(burstinessFigure),
});
type AiperfLoad = v.InferOutput<typeof LOAD>;
const average = v.nullish(nonNegative);
const PRINTED = v.looseObject({
  unit: v.optional(v.string()),
  avg: average,
  p50: average,
  p90: average,
  p95: average,
  p99: average,
});
type Printed = v.InferOutput<typeof PRINTED>;
const PRINTED_PERCENTILES: ReadonlyMap<number, (printed: Printed) => number | null | undefined> = new Map([
  [50, ({ p50 }: Printed) => p50],
  [90, ({ p90 }: Printed) => p90],
  [95, ({ p95 }: Printed) => p95],
  [99, ({ p99 }: Printed) => p99],
]);
const printed = v.nullish(PRINTED);
const SUMMARY = v.looseObject({
  time_to_first_token: printed,
  inter_token_latency: printed,
  request_latency: printed,
  request_throughput: printed,
  output_token_throughput: printed,
  total_token_throughput: printed,
  aiperf_version: v.optional(v.string()),
  input_config: v.optional(
    v.looseObject({
      models: v.optional(
        v.looseObject({ items: v.optional(v.array(v.looseObject({ name: v.optional(v.string()) }))) }),
      ),
      endpoint: v.optional(
        v.looseObject({
          url: v.optional(v.string()),
          urls: v.optional(v.array(v.string())),
          type: v.optional(v.string()),
          model_names: v.optional(v.array(v.string())),
        }),
      ),
      loadgen: v.optional(LOAD),
      phases: v.optional(v.array(LOAD)),
    }),
  ),
});
type AiperfSummary = v.InferOutput<typeof SUMMARY>;
