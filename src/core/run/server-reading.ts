// What a server reports at one moment on its metrics page, and what this run had in flight then. One row per
// figure: the names under which servers publish it, and how it is shown. Counters are since the server's
// start: what a run added is the difference of two readings. Names and meanings: vLLM "Production Metrics"
// (V0's names too) and vllm/v1/metrics/loggers.py, SGLang "Production Metrics", llama.cpp
// tools/server/README.md and server-context.cpp, TGI reference "Metrics", TensorRT-LLM metrics/collector.py.

import { recordOf } from '../record-of.ts';

interface ServerFigureRow {
  readonly label: string;
  /** A counter only rises; a gauge is the current value. */
  readonly kind: 'gauge' | 'counter';
  readonly unit: 'requests' | 'share' | 'tokens' | 'times' | 'bytes' | 'seconds';
  readonly help: string;
  /**
   * Names of its metric, of one label if there is one: `name{reason="capacity"}`. The first that a page has; several in one list are
   * added up, if the page has all of them.
   */
  readonly names: readonly (string | readonly string[])[];
  /** Each engine or device of one server reports the same, so the greatest counts. Others are added up. */
  readonly isShared?: true;
  /** A part of another figure (server-times.ts, speculation.ts), or only for comparison: not a row of the table. */
  readonly isHidden?: true;
}

/** By position in a draft, the first 16: most draft models guess 2 to 8 tokens ahead. */
export const ACCEPTED_AT = [
  ...(['acceptedAt0', 'acceptedAt1', 'acceptedAt2', 'acceptedAt3'] as const),
  ...(['acceptedAt4', 'acceptedAt5', 'acceptedAt6', 'acceptedAt7'] as const),
  ...(['acceptedAt8', 'acceptedAt9', 'acceptedAt10', 'acceptedAt11'] as const),
  ...(['acceptedAt12', 'acceptedAt13', 'acceptedAt14', 'acceptedAt15'] as const),
] as const;

const acceptedAt = (key: (typeof ACCEPTED_AT)[number]): ServerFigureRow => {
  const position = ACCEPTED_AT.indexOf(key);
  const name = `spec_decode_num_accepted_tokens_per_pos_total{position="${position}"}`;
  return {
    label: `accepted at position ${position + 1}`,
    kind: 'counter',
    unit: 'tokens',
    help: 'of the drafted tokens at this position of a draft, accepted',
    names: [`vllm:${name}`, `llamacpp:${name}`],
    isHidden: true,
  };
};

/** In storage order: new rows go to the end. */
const SERVER_FIGURES = {
  running: {
    label: 'running',
    kind: 'gauge',
    unit: 'requests',
    help: 'requests in the batch of the server, of all its clients',
    names: [
      'vllm:num_requests_running',
      'llamacpp:requests_processing',
      'sglang:num_running_reqs',
      'tgi_batch_current_size',
    ],
  },
  waiting: {
    label: 'waiting',
    kind: 'gauge',
    unit: 'requests',
    help: 'requests in its queue',
    names: [
      'vllm:num_requests_waiting',
      'llamacpp:requests_deferred',
      'sglang:num_queue_reqs',
      'tgi_queue_size',
    ],
  },
  kvUsage: {
    label: 'KV cache used',
    kind: 'gauge',
    unit: 'share',
    help: 'of the room for keys and values',
    names: [
      'vllm:kv_cache_usage_perc',
      'vllm:gpu_cache_usage_perc',
      'sglang:token_usage',
      'llamacpp:kv_cache_usage_ratio',
    ],
    isShared: true,
  },
  prefixQueried: {
    label: 'prefix cache lookups',
    kind: 'counter',
    unit: 'tokens',
    help: 'tokens of prompts that were looked up in the prefix cache',
    names: [
      'vllm:prefix_cache_queries_total',
      'vllm:gpu_prefix_cache_queries_total',
      ['llamacpp:prompt_tokens_total', 'llamacpp:prompt_tokens_cached_total'],
    ],
  },
  prefixHit: {
    label: 'prefix cache hits',
    kind: 'counter',
    unit: 'tokens',
    help: 'of those, tokens that were found there',
    names: [
      'vllm:prefix_cache_hits_total',
      'vllm:gpu_prefix_cache_hits_total',
      'sglang:cached_tokens_total',
      'llamacpp:prompt_tokens_cached_total',
    ],
  },
  prefixHitShare: {
    label: 'prefix hit rate',
    kind: 'gauge',
    unit: 'share',
    help: 'as computed by the server, over an interval of its own',
    names: ['sglang:cache_hit_rate', 'vllm:gpu_prefix_cache_hit_rate'],
    isShared: true,
  },
  preemptions: {
    label: 'preemptions',
    kind: 'counter',
    unit: 'times',
    help: 'requests that were preempted and had to be computed again',
    names: ['vllm:num_preemptions_total'],
  },
  swapped: {
    label: 'swapped',
    kind: 'gauge',
    unit: 'requests',
    help: 'requests moved out of the KV cache to other memory',
    names: ['vllm:num_requests_swapped'],
  },
  promptTokens: {
    label: 'prompt tokens',
    kind: 'counter',
    unit: 'tokens',
    help: 'of all clients, with those that came from a cache',
    names: [
      'vllm:prompt_tokens_total',
      'sglang:prompt_tokens_total',
      ['llamacpp:prompt_tokens_total', 'llamacpp:prompt_tokens_cached_total'],
      'llamacpp:prompt_tokens_total',
      'tgi_request_input_length_sum',
    ],
  },
  generatedTokens: {
    label: 'generated tokens',
    kind: 'counter',
    unit: 'tokens',
    help: 'for all clients',
    names: [
      'vllm:generation_tokens_total',
      'sglang:generation_tokens_total',
      'llamacpp:tokens_predicted_total',
      'tgi_request_generated_tokens_sum',
    ],
  },
  draftedTokens: {
    label: 'drafted tokens',
    kind: 'counter',
    unit: 'tokens',
    help: 'by speculative decoding',
    names: [
      'vllm:spec_decode_num_draft_tokens_total',
      'llamacpp:spec_decode_num_draft_tokens_total',
      'trtllm_spec_decode_num_draft_tokens_total',
    ],
  },
  acceptedTokens: {
    label: 'accepted tokens',
    kind: 'counter',
    unit: 'tokens',
    help: 'of those, accepted',
    names: [
      'vllm:spec_decode_num_accepted_tokens_total',
      'llamacpp:spec_decode_num_accepted_tokens_total',
      'trtllm_spec_decode_num_accepted_tokens_total',
    ],
  },
  readBytes: {
    label: 'bytes read',
    kind: 'counter',
    unit: 'bytes',
    help: 'that the server estimates to have read of the memory of each device',
    names: ['vllm:estimated_read_bytes_per_gpu_total', 'sglang:estimated_read_bytes_per_gpu_total'],
    isShared: true,
  },
  writtenBytes: {
    label: 'bytes written',
    kind: 'counter',
    unit: 'bytes',
    help: 'that the server estimates to have written to the memory of each device',
    names: ['vllm:estimated_write_bytes_per_gpu_total', 'sglang:estimated_write_bytes_per_gpu_total'],
    isShared: true,
  },
  waitingForRoom: {
    label: 'waiting for room',
    kind: 'gauge',
    unit: 'requests',
    help: 'of those that wait, requests for which the batch or the KV cache has no room',
    names: ['vllm:num_requests_waiting_by_reason{reason="capacity"}'],
  },
  waitingDeferred: {
    label: 'waiting, deferred',
    kind: 'gauge',
    unit: 'requests',
    help: 'of those that wait, requests that wait for something else: a transfer, a grammar, an adapter',
    names: ['vllm:num_requests_waiting_by_reason{reason="deferred"}'],
  },
  finished: {
    label: 'finished requests',
    kind: 'counter',
    unit: 'requests',
    help: 'of all clients',
    names: ['vllm:request_success_total', 'sglang:num_requests_total', 'tgi_request_success'],
  },
  rejected: {
    label: 'rejected requests',
    kind: 'counter',
    unit: 'requests',
    help: 'that the server refused because its queue was full',
    names: ['vllm:admission_rejections_total'],
  },
  queueSeconds: {
    label: 'time in the queue',
    kind: 'counter',
    unit: 'seconds',
    help: 'of all requests together',
    names: [
      'vllm:request_queue_time_seconds_sum',
      'sglang:queue_time_seconds_sum',
      'tgi_request_queue_duration_sum',
    ],
    isHidden: true,
  },
  queueCount: {
    label: 'time in the queue, requests',
    kind: 'counter',
    unit: 'requests',
    help: 'that the seconds are of',
    names: [
      'vllm:request_queue_time_seconds_count',
      'sglang:queue_time_seconds_count',
      'tgi_request_queue_duration_count',
    ],
    isHidden: true,
  },
  prefillSeconds: {
    label: 'time for the prompt',
    kind: 'counter',
    unit: 'seconds',
    help: 'of all requests together',
    names: ['vllm:request_prefill_time_seconds_sum'],
    isHidden: true,
  },
  prefillCount: {
    label: 'time for the prompt, requests',
    kind: 'counter',
    unit: 'requests',
    help: 'that the seconds are of',
    names: ['vllm:request_prefill_time_seconds_count'],
    isHidden: true,
  },
  firstTokenSeconds: {
    label: 'time to first token',
    kind: 'counter',
    unit: 'seconds',
    help: 'of all requests together',
    names: ['vllm:time_to_first_token_seconds_sum', 'sglang:time_to_first_token_seconds_sum'],
    isHidden: true,
  },
  firstTokenCount: {
    label: 'time to first token, requests',
    kind: 'counter',
    unit: 'requests',
    help: 'that the seconds are of',
    names: ['vllm:time_to_first_token_seconds_count', 'sglang:time_to_first_token_seconds_count'],
    isHidden: true,
  },
  decodeSeconds: {
    label: 'time for the answer',
    kind: 'counter',
    unit: 'seconds',
    help: 'of all requests together',
    names: ['vllm:request_decode_time_seconds_sum'],
    isHidden: true,
  },
  decodeCount: {
    label: 'time for the answer, requests',
    kind: 'counter',
    unit: 'requests',
    help: 'that the seconds are of',
    names: ['vllm:request_decode_time_seconds_count'],
    isHidden: true,
  },
  wholeSeconds: {
    label: 'latency',
    kind: 'counter',
    unit: 'seconds',
    help: 'of all requests together',
    names: [
      'vllm:e2e_request_latency_seconds_sum',
      'sglang:e2e_request_latency_seconds_sum',
      'tgi_request_duration_sum',
    ],
    isHidden: true,
  },
  wholeCount: {
    label: 'latency, requests',
    kind: 'counter',
    unit: 'requests',
    help: 'that the seconds are of',
    names: [
      'vllm:e2e_request_latency_seconds_count',
      'sglang:e2e_request_latency_seconds_count',
      'tgi_request_duration_count',
    ],
    isHidden: true,
  },
  processStart: {
    label: 'start of the server process',
    kind: 'gauge',
    unit: 'seconds',
    help: 'since 1970; another one is another process, whose counters began with 0',
    names: ['process_start_time_seconds'],
    isShared: true,
    isHidden: true,
  },
  drafts: {
    label: 'verified drafts',
    kind: 'counter',
    unit: 'times',
    help: 'steps of the model that verified drafted tokens',
    names: ['vllm:spec_decode_num_drafts_total', 'llamacpp:spec_decode_num_drafts_total'],
  },
  acceptanceLength: {
    label: 'acceptance length',
    kind: 'gauge',
    unit: 'tokens',
    help: 'tokens a step with a draft, as computed by the server, over an interval of its own',
    names: ['sglang:spec_accept_length', 'trtllm_spec_decode_acceptance_length'],
    isShared: true,
  },
  acceptedShare: {
    label: 'accepted share of drafted tokens',
    kind: 'gauge',
    unit: 'share',
    help: 'as computed by the server, over an interval of its own',
    names: ['sglang:spec_accept_rate'],
    isShared: true,
  },
  ...recordOf(ACCEPTED_AT, acceptedAt),
} as const;

export type ServerFigureKey = keyof typeof SERVER_FIGURES;

export const serverFigureRow = (key: ServerFigureKey): ServerFigureRow => SERVER_FIGURES[key];

const isServerFigureKey = (key: string): key is ServerFigureKey => Object.hasOwn(SERVER_FIGURES, key);

export const SERVER_FIGURE_KEYS: readonly ServerFigureKey[] =
  Object.keys(SERVER_FIGURES).filter(isServerFigureKey);

/** NO_FIGURE if the server does not report it. */
export type ServerFigures = Readonly<Record<ServerFigureKey, number>>;

/**
 * `start`: before the first request, with none in flight. `load`: while the load runs. `end`: after the last
 * reply has ended. The increase of counters from start to end is the work of the run; gauges are those of the
 * load.
 */
export const SERVER_MOMENTS = ['start', 'load', 'end'] as const;
export type ServerMoment = (typeof SERVER_MOMENTS)[number];

export interface ServerReading extends ServerFigures {
  /** Since the run's zero. */
  readonly atNs: number;
  readonly moment: ServerMoment;
  /** The most requests that this run had in flight since the previous reading. */
  readonly inFlight: number;
}
