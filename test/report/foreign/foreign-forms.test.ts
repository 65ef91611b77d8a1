import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import type { EndedSample } from '../../../src/core/run/ended-sample.ts';
import { NO_FIGURE } from '../../../src/core/run/event-record.ts';
import type { Report } from '../../../src/core/run/report.ts';
import { PLAIN_SHAPE } from '../../../src/core/run/run-shape.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { buildReport } from '../../../src/metrics/build-report.ts';
import type { ForeignFormName } from '../../../src/report/foreign/foreign-form-names.ts';
import { FOREIGN_FORMS } from '../../../src/report/foreign/foreign-forms.ts';
import { measuredSamples } from '../../../src/report/foreign/foreign-series.ts';
import { encodeSampleLine } from '../../../src/wire/sample-line.ts';
import { runConfig } from '../../support/run-records.ts';
import { sampleOf } from '../../support/sample-of.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const MS = 1_000_000;

/**
 * Five tokens in chunks of 1, 3 and 1: the one stream for which the tools of this field report six different times.
 */
const FIVE_TOKENS: Partial<EndedSample> = {
  sampleId: 0,
  sentNs: 10 * MS,
  intendedNs: 10 * MS,
  firstByteNs: 105 * MS,
  firstContentNs: 110 * MS,
  chunkGapsNs: [40 * MS, 40 * MS],
  chunkCount: 3,
  endNs: 191 * MS,
  inputTokens: 7,
  outputTokens: 5,
};
const ONE_TOKEN: Partial<EndedSample> = {
  sampleId: 1,
  sentNs: 20 * MS,
  intendedNs: 20 * MS,
  firstByteNs: 220 * MS,
  firstContentNs: 220 * MS,
  chunkCount: 1,
  endNs: 230 * MS,
  inputTokens: 9,
  outputTokens: 1,
};
const FAILED: Partial<EndedSample> = {
  sampleId: 2,
  sentNs: 30 * MS,
  intendedNs: 30 * MS,
  endNs: 1_010 * MS,
  chunkCount: 0,
  outcome: 'failed',
  failure: { kind: 'http-status', statusCode: 503, detail: 'busy "now"' },
  inputTokens: NO_FIGURE,
  outputTokens: NO_FIGURE,
};

describe('as vLLM writes a result', () => {
  test('figures are by its definitions: latency ends with the last content, percentiles are interpolated', async () => {
    const result = await json('vllm', [FIVE_TOKENS, ONE_TOKEN, FAILED]);
    expect(result).toMatchObject({
      num_prompts: 3,
      completed: 2,
      failed: 1,
      duration: 1,
      total_input_tokens: 16,
      total_output_tokens: 6,
      request_throughput: 2,
      output_throughput: 6,
      total_token_throughput: 22,
      mean_tpot_ms: 20,
      median_itl_ms: 40,
      std_itl_ms: 0,
      mean_ttft_ms: 150,
      std_ttft_ms: 50,
      p90_ttft_ms: 190,
      mean_e2el_ms: 190,
      max_concurrent_requests: 2,
      max_output_tokens_per_s: 4,
      request_rate: 'inf',
      max_concurrency: 8,
      request_goodput: null,
    });
  });

  test('goodput counts a reply of one token as good, and is null under objectives that vLLM does not know', async () => {
    const objective = (name: 'tpot' | 'ttft-from-intended', limitNs: number): Partial<Report> => ({
      objectives: [{ name, limitNs, metSamples: 0, unknownSamples: 0, samples: 2 }],
    });
    const samples = [FIVE_TOKENS, ONE_TOKEN, FAILED];
    expect(await json('vllm', samples, objective('tpot', 19 * MS))).toMatchObject({ request_goodput: 1 });
    expect(await json('vllm', samples, objective('tpot', 20 * MS))).toMatchObject({ request_goodput: 2 });
    expect(await json('vllm', samples, objective('ttft-from-intended', 20 * MS))).toMatchObject({
      request_goodput: null,
    });
  });

  test.each([
    [{ kind: 'poisson', requestsPerSecond: 4 }, 1],
    [{ kind: 'gamma', requestsPerSecond: 4, burstiness: 0.5 }, 0.5],
    [{ kind: 'constant', requestsPerSecond: 4 }, 'inf'],
  ] as const)('arrivals of %j have the burstiness %s', async (pattern, burstiness) => {
    const result = await json('vllm', [FIVE_TOKENS], { run: { ...REPORT.run, pattern } });
    expect(result).toMatchObject({ request_rate: 4, burstiness });
  });

  test('what the server did not report for every request is null, not the sum of some', async () => {
    const result = await json('vllm', [FIVE_TOKENS, { ...ONE_TOKEN, outputTokens: NO_FIGURE }]);
    expect(result).toMatchObject({
      total_output_tokens: null,
      output_throughput: null,
      total_input_tokens: 16,
      mean_tpot_ms: 20,
    });
  });

  test('a run without a completed request has no figures rather than zeros', async () => {
    expect(await json('vllm', [FAILED])).toMatchObject({
      completed: 0,
      mean_ttft_ms: null,
      p99_e2el_ms: null,
    });
  });
});

test('as AIPerf writes records: a line each request, wall-clock stamps to the nanosecond, errors with their status', async () => {
  const text = await textOf('aiperf', [FIVE_TOKENS, FAILED]);
  const [first, second] = text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line));
  expect(text).toContain(
    `"request_start_ns":${BigInt(Date.parse('2026-01-31T10:00:00.000Z')) * 1_000_000n + 10_000_000n},`,
  );
  expect(first).toMatchObject({
    metadata: { session_num: 0, benchmark_phase: 'profiling', was_cancelled: false },
    metrics: {
      time_to_first_token: { value: 100, unit: 'ms' },
      time_to_second_token: { value: 40, unit: 'ms' },
      request_latency: { value: 180, unit: 'ms' },
      inter_token_latency: { value: 20, unit: 'ms' },
      inter_chunk_latency: { value: [40, 40], unit: 'ms' },
      output_token_throughput_per_user: { value: 50 },
      output_sequence_length: { value: 5, unit: 'tokens' },
    },
    error: null,
  });
  expect(second).toMatchObject({
    metrics: {},
    error: { code: 503, type: 'http-status', message: 'busy "now"' },
  });
});

describe('as GuideLLM writes benchmarks.json', () => {
  test('figures are by its definitions: TTFT is inside the time per token, and tokens weigh', async () => {
    const { metadata, benchmarks } = v.parse(
      GUIDELLM,
      await json('guidellm', [FIVE_TOKENS, ONE_TOKEN, FAILED]),
    );
    const [{ metrics, requests, duration }] = benchmarks;
    expect(metadata.version).toBe(2);
    expect(duration).toBeCloseTo(1, 5);
    expect(metrics['request_totals']).toEqual({ successful: 2, errored: 1, incomplete: 0, total: 3 });
    expect([requests.successful.length, requests.errored.length, requests.incomplete.length]).toEqual([
      2, 1, 0,
    ]);
    for (const [name, mean, p50] of [
      ['time_to_first_token_ms', 150, 100],
      ['time_per_output_token_ms', (5 * 36 + 200) / 6, 36],
      ['inter_token_latency_ms', 20, 20],
      ['output_token_count', 3, 1],
      ['output_tokens_per_iteration', 1.5, 1],
    ] as const) {
      const { successful } = v.parse(GUIDELLM_METRIC, metrics[name]);
      expect([name, successful.mean, successful.percentiles['p50']]).toEqual([
        name,
        expect.closeTo(mean, 2),
        expect.closeTo(p50, 2),
      ]);
    }
    expect(requests.errored[0]).toMatchObject({
      info: { status: 'errored', error: 'http-status: 503: busy "now"' },
      time_to_first_token_ms: null,
      output_tokens: null,
    });
  });

  test('a trace that was replayed is one, not the process whose rate it has', async () => {
    const unreported = unknown('of no matter here');
    const trace = {
      speed: 4,
      requests: 1,
      fromMs: unreported,
      untilMs: unreported,
      startAt: unreported,
      gapMsMax: unreported,
      gapsCapped: 0,
      spanMs: unreported,
      inputTokens: 8,
      sharedTokens: unreported,
    };
    const pattern = { kind: 'poisson', requestsPerSecond: 2 } as const;
    const shape = { ...PLAIN_SHAPE, trace };
    expect(await json('guidellm', [FIVE_TOKENS], { run: { ...REPORT.run, pattern, shape } })).toMatchObject({
      benchmarks: [
        {
          config: {
            strategy: { type_: 'trace', time_scale: 0.25, schedule_turn: 'timestamp' },
            profile: { kind: 'replay', time_scale: 0.25, schedule_turn: 'timestamp' },
          },
        },
      ],
    });
  });

  test('a run without a request that ended is a benchmark without figures, not a broken file', async () => {
    const [{ metrics }] = v.parse(GUIDELLM, await json('guidellm', [])).benchmarks;
    expect(v.parse(GUIDELLM_METRIC, metrics['request_latency']).successful).toMatchObject({
      count: 0,
      mean: 0,
    });
  });
});

test('as GenAI-Perf summarises: from the first request sent to the last content, a metric without values left out', async () => {
  const summary = await json('genai-perf', [FIVE_TOKENS, { ...ONE_TOKEN, inputTokens: NO_FIGURE }, FAILED]);
  expect(summary).toMatchObject({
    request_throughput: { unit: 'requests/sec', avg: 2 / 0.21 },
    request_latency: { unit: 'ms', avg: 190, p50: 190, p25: 185, min: 180, max: 200, std: 10 },
    inter_token_latency: { avg: 20, p99: 20 },
    output_token_throughput: { avg: 6 / 0.21 },
    request_count: { avg: 2 },
    input_sequence_length: { avg: 7 },
  });
  expect(await json('genai-perf', [FAILED])).not.toHaveProperty('request_latency');
});

test('as inference-perf summarises: latency to the end of the stream, in seconds, no first token of a reply of one', async () => {
  const objectives = [
    { name: 'tpot', limitNs: 20 * MS, metSamples: 0, unknownSamples: 0, samples: 2 },
  ] as const;
  const oneByOne = { ...FIVE_TOKENS, outputTokens: 3 };
  expect(await json('inference-perf', [oneByOne, ONE_TOKEN, FAILED], { objectives })).toMatchObject({
    benchmark_time_seconds: 1,
    load_summary: { count: 3, schedule_delay: null },
    successes: {
      count: 2,
      latency: {
        request_latency: { mean: 0.1955, min: 0.181, max: 0.21, median: 0.1955 },
        normalized_time_per_output_token: { max: 0.21 },
        time_per_output_token: { mean: 0.04 },
        time_to_first_token: { mean: 0.1, 'p99.9': 0.1 },
        inter_token_latency: { mean: 0.04 },
      },
      throughput: { requests_per_sec: 2, output_tokens_per_sec: 4, total_tokens_per_sec: 20 },
      prompt_tokens: { total: 16, mean: 8 },
      goodput_metrics: { good_requests: 0, total_requests: 2, goodput_percentage: 0 },
    },
    failures: { count: 1, by_label: { '503 - Service Unavailable': { count: 1 } } },
  });
});

test('inference-perf reports times between tokens, which are not known if tokens came joined', async () => {
  expect(await json('inference-perf', [FIVE_TOKENS])).toMatchObject({
    successes: { latency: { inter_token_latency: null, time_per_output_token: { mean: 0.02 } } },
  });
});

describe('as InferenceX aggregates a run of AgentX', () => {
  test('normalized interactivity is 1 over latency to the last content per token, times are seconds', async () => {
    // 180 ms for five tokens and 200 ms for one: 36 ms and 200 ms for each.
    expect(await json('inferencex', [FIVE_TOKENS, ONE_TOKEN, FAILED])).toMatchObject({
      conc: 8,
      scenario_type: 'agentic-coding',
      num_requests_successful: 2,
      request_metrics: {
        latency: {
          e2el: { mean: 0.19 },
          ttft: { mean: 0.15, p90: 0.19 },
          tpot: { p50: 0.02 },
          intvty: { p90: 50, std: 0 },
          e2e_norm_intvty: { p50: expect.closeTo(1 / 0.118, 6), p90: expect.closeTo(1 / 0.1836, 6) },
        },
        tokens: { input: { mean: 8 }, output_actual: { mean: 3 } },
        throughput: { duration_seconds: 0.21, per_gpu: {} },
      },
      scenario: null,
      submission_valid: null,
      hw: null,
    });
  });

  test('tags describe the hardware, and figures for each GPU follow from them', async () => {
    const run = { ...REPORT.run, tags: { hw: 'h100', tp: '2', pp: '2', disagg: 'false' } };
    expect(await json('inferencex', [FIVE_TOKENS, ONE_TOKEN], { run })).toMatchObject({
      hw: 'h100',
      tp: 2,
      disagg: false,
      request_metrics: { throughput: { per_gpu: { output_tput_tps: expect.closeTo(6 / 0.21 / 4, 6) } } },
    });
  });

  test('a run of a scenario names the rules that it breaks', async () => {
    const run = {
      ...REPORT.run,
      scenario: { name: 'agentx', rules: { streamed: 1, lanes: 1 }, durationMs: 1 },
    };
    expect(await json('inferencex', [FIVE_TOKENS], { run })).toMatchObject({
      scenario: 'agentx',
      submission_valid: false,
      submission_invalid_reasons: ['lanes'],
    });
  });
});

test('warm-up, a line that comes twice and one that is torn are in no format', async () => {
  const warmup = { ...ONE_TOKEN, sampleId: 9, window: -1 };
  expect(await json('vllm', [warmup, FIVE_TOKENS, FIVE_TOKENS], {}, '{"torn')).toMatchObject({
    num_prompts: 1,
  });
});

const GUIDELLM_METRIC = v.looseObject({
  successful: v.looseObject({ mean: v.number(), percentiles: v.record(v.string(), v.number()) }),
});
const GUIDELLM = v.looseObject({
  metadata: v.looseObject({ version: v.number() }),
  benchmarks: v.tuple([
    v.looseObject({
      duration: v.number(),
      metrics: v.record(v.string(), v.unknown()),
      requests: v.looseObject({
        successful: v.array(v.unknown()),
        errored: v.array(v.unknown()),
        incomplete: v.array(v.unknown()),
      }),
    }),
  ]),
});

const textOf = async (
  form: ForeignFormName,
  samples: readonly Partial<EndedSample>[],
  more: Partial<Report> = {},
  rest = '',
): Promise<string> => {
  using directory = temporaryDirectory();
  const path = join(directory.path, 'samples.jsonl');
  writeFileSync(path, samples.map(sample => encodeSampleLine(sampleOf(sample))).join('') + rest);
  const report: Report = { ...REPORT, ...more };
  let text = '';
  for await (const part of FOREIGN_FORMS[form](report, () => measuredSamples(path))) text += part;
  return text;
};

const json = async (...options: Parameters<typeof textOf>): Promise<unknown> =>
  JSON.parse(await textOf(...options));

const REPORT = buildReport({
  config: runConfig({
    startedAt: '2026-01-31T10:00:00.000Z',
    pattern: { kind: 'concurrency', concurrency: 8 },
  }),
  snapshot: { seq: 1, timestampNs: 1, state: 'complete', pendingTasks: 0, metrics: [] },
  source: 'complete-message',
  droppedEvents: 0,
  eventLogDropped: 0,
  isInterrupted: false,
  runProblems: [],
  sourceProblems: [],
  notices: [],
});
