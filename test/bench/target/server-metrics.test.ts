import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cacheConfigOf } from '../../../src/bench/target/server-facts.ts';
import { readServerFigures } from '../../../src/bench/target/server-metrics.ts';
import { recordOf } from '../../../src/core/record-of.ts';
import { NO_FIGURE } from '../../../src/core/run/event-record.ts';
import { SERVER_FIGURE_KEYS } from '../../../src/core/run/server-reading.ts';
import { metricsPage } from '../../../src/mock/metrics-page.ts';
import { mockSettings } from '../../../src/mock/mock-settings.ts';
import { fixture } from '../../support/fixture.ts';

const LOG = {
  running: 3,
  waiting: 2,
  promptTokens: 1_000,
  cachedTokens: 250,
  outputTokens: 500,
  requests: 21,
};

test("the mock's page is read as it was configured", () => {
  const settings = mockSettings({
    otherRequests: 4,
    cachedShare: 0.25,
    predictedShare: 0.5,
    preemptEvery: 10,
    swappedRequests: 1,
    metricsBytes: 20_000,
  });
  const page = metricsPage(settings, LOG);
  expect(page.length).toBeGreaterThanOrEqual(20_000);
  expect(readServerFigures(page)).toEqual({
    ...recordOf(SERVER_FIGURE_KEYS, () => NO_FIGURE),
    running: 7,
    waiting: 2,
    kvUsage: 7 / 256,
    prefixQueried: 1_000,
    prefixHit: 250,
    prefixHitShare: NO_FIGURE,
    preemptions: 2,
    swapped: 1,
    promptTokens: 1_000,
    generatedTokens: 500,
    drafts: 250,
    draftedTokens: 500,
    acceptedTokens: 250,
    acceptedAt0: 250,
    readBytes: NO_FIGURE,
    writtenBytes: NO_FIGURE,
  });
});

test('the page of llama-server b11434 is read: prompts with what came from the cache, and speculation', () => {
  const page = fixture('llama-server/b11434/metrics.txt');
  const figures = readServerFigures(page);
  const [computed, cached] = ['prompt_tokens_total', 'prompt_tokens_cached_total'].map(name =>
    Number(new RegExp(`^llamacpp:${name} (\\d+)$`, 'm').exec(page)?.[1]),
  );
  expect(computed).toBeGreaterThan(0);
  expect(cached).toBeGreaterThan(0);
  expect(figures).toMatchObject({
    promptTokens: (computed ?? 0) + (cached ?? 0),
    prefixHit: cached,
    prefixQueried: (computed ?? 0) + (cached ?? 0),
    draftedTokens: 0,
    acceptedTokens: 0,
    drafts: 0,
    running: 0,
    waiting: 0,
  });
});

test('the page of vLLM 0.32 is read: tokens, finished and rejected requests, reasons to wait, histograms', () => {
  const page = fixture('vllm/0.32.0/metrics.txt');
  const total = (name: string): number =>
    [...page.matchAll(new RegExp(`^vllm:${name}\\{[^}]*\\} (\\S+)$`, 'gm'))].reduce(
      (sum, [, value]) => sum + Number(value),
      0,
    );
  const figures = readServerFigures(page);
  expect(total('request_success_total')).toBeGreaterThan(0);
  expect(figures).toMatchObject({
    promptTokens: total('prompt_tokens_total'),
    generatedTokens: total('generation_tokens_total'),
    finished: total('request_success_total'),
    rejected: 0,
    waitingForRoom: 0,
    waitingDeferred: 0,
    queueSeconds: total('request_queue_time_seconds_sum'),
    queueCount: total('request_queue_time_seconds_count'),
    prefillSeconds: total('request_prefill_time_seconds_sum'),
    firstTokenSeconds: total('time_to_first_token_seconds_sum'),
    wholeCount: total('e2e_request_latency_seconds_count'),
    readBytes: 0,
  });
  expect(figures?.processStart).toBeGreaterThan(1_700_000_000);
  expect(cacheConfigOf(page)).toMatchObject({
    block_size: '128',
    num_gpu_blocks: '8192',
    cache_dtype: 'auto',
  });
});

test('engines of a server add up, shares do not', () => {
  const page = 'vllm:num_requests_running{engine="0"} 3\nvllm:num_requests_running{engine="1"} 2\n';
  expect(readServerFigures(page)?.running).toBe(5);
  const shares = 'vllm:kv_cache_usage_perc{engine="0"} 0.3\nvllm:kv_cache_usage_perc{engine="1"} 0.8\n';
  expect(readServerFigures(shares)?.kvUsage).toBe(0.8);
  expect(readServerFigures('sglang:token_usage 0.28\nsglang:cache_hit_rate 0.5\n')).toMatchObject({
    kvUsage: 0.28,
    prefixHitShare: 0.5,
  });
});

test('speculation is read by position, of all engines, and from the gauges of servers that have no counters', () => {
  const vllm = (name: string, engine: number, value: number, more = ''): string =>
    `vllm:spec_decode_num_${name}_total{engine="${engine}",model_name="m"${more}} ${value}.0\n`;
  const page = [0, 1].map(engine =>
    [
      vllm('drafts', engine, 100),
      vllm('draft_tokens', engine, 300),
      vllm('accepted_tokens', engine, 150),
      ...[90, 45, 15].map((count, position) =>
        vllm('accepted_tokens_per_pos', engine, count, `,position="${position}"`),
      ),
      // Not position 1.
      vllm('accepted_tokens_per_pos', engine, 1, ',position="11"'),
    ].join(''),
  );
  expect(readServerFigures(page.join(''))).toMatchObject({
    drafts: 200,
    draftedTokens: 600,
    acceptedTokens: 300,
    acceptedAt0: 180,
    acceptedAt1: 90,
    acceptedAt2: 30,
    acceptedAt3: NO_FIGURE,
    acceptedAt11: 2,
  });
  const sglang = [
    'sglang:spec_accept_rate{dp_rank="0",engine_type="unified",model_name="glm",tp_rank="0"} 0.55',
    'sglang:spec_accept_length{dp_rank="0",engine_type="unified",model_name="glm",tp_rank="0"} 1.55',
  ].join('\n');
  expect(readServerFigures(sglang)).toMatchObject({ acceptedShare: 0.55, acceptanceLength: 1.55 });
  const tensorrt = [
    'trtllm_spec_decode_num_draft_tokens_total{engine_type="trtllm",model_name="m"} 30.0',
    'trtllm_spec_decode_num_accepted_tokens_total{engine_type="trtllm",model_name="m"} 21.0',
    'trtllm_spec_decode_acceptance_length{engine_type="trtllm",model_name="m"} 2.4',
  ].join('\n');
  expect(readServerFigures(tensorrt)).toMatchObject({
    draftedTokens: 30,
    acceptedTokens: 21,
    acceptanceLength: 2.4,
  });
});

test('figures with a sum past all numbers give none, rather than that of some of them', () => {
  const waiting = 'vllm:num_requests_waiting 1e308\n'.repeat(2);
  const figures = readServerFigures(`${waiting}vllm:num_requests_waiting 3\nvllm:num_requests_running 2`);
  expect(figures).toMatchObject({ waiting: NO_FIGURE, running: 2 });
});

test('any page at all gives figures of at least 0 or none', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), noise => {
      const figures = readServerFigures(`vllm:num_requests_running${noise}\n${noise}`);
      for (const figure of Object.values(figures ?? {}))
        expect(figure === NO_FIGURE || figure >= 0).toBe(true);
    }),
  );
});
