// What a server tells of itself on its Prometheus page. Names and meanings: vLLM "Production Metrics" (V0's names too), SGLang
// "Production Metrics", llama.cpp tools/server/README.md, TGI reference "Metrics". Pure; a page of any size costs one pass.

import { recordOf } from '../../core/record-of.ts';
import { NO_FIGURE } from '../../core/run/event-record.ts';
import type { ServerFigureKey, ServerFigures } from '../../core/run/server-reading.ts';
import { SERVER_FIGURE_KEYS } from '../../core/run/server-reading.ts';

/** undefined: the page has no known figure. */
export const readServerFigures = (page: string): ServerFigures | undefined => {
  const sums = new Map<string, number>();
  let lines = 0;
  const text = plainText(page);
  for (let start = 0; start < text.length && lines < LINES_MAX; lines += 1) {
    const found = text.indexOf('\n', start);
    const end = found === -1 ? text.length : found;
    addLine(sums, text.slice(start, Math.min(end, start + LINE_LENGTH_MAX)));
    start = end + 1;
  }
  const figures = recordOf(SERVER_FIGURE_KEYS, key => {
    const name = NAMES[key].find(candidate => sums.has(candidate));
    const sum = name === undefined ? undefined : sums.get(name);
    // Figures that are finite may have a sum that is not: without one of them it would be a wrong one.
    return sum !== undefined && Number.isFinite(sum) ? sum : NO_FIGURE;
  });
  return SERVER_FIGURE_KEYS.some(key => figures[key] !== NO_FIGURE) ? figures : undefined;
};

/** Engines of one server add up; where each rank of one model tells the same, and of shares, the greatest holds. */
const addLine = (sums: Map<string, number>, line: string): void => {
  const [, name = '', value = ''] = /^([a-zA-Z_:][\w:]*)(?:\{.*\})?[ \t]+(\S+)/.exec(line) ?? [];
  if (!KNOWN.has(name)) return;
  const figure = Number(value);
  if (!(figure >= 0 && Number.isFinite(figure))) return;
  const before = sums.get(name);
  const joined =
    name.startsWith('sglang:') || SHARES.has(name) ? Math.max(before ?? 0, figure) : (before ?? 0) + figure;
  sums.set(name, joined);
};

/** Some builds of llama.cpp (7010 and after) send the page as one JSON text: ggml-org/llama.cpp issue 17384. */
const plainText = (page: string): string => {
  if (!page.startsWith('"')) return page;
  try {
    const text: unknown = JSON.parse(page);
    return typeof text === 'string' ? text : page;
  } catch {
    return page;
  }
};

/** The first that a page has. */
const NAMES: Readonly<Record<ServerFigureKey, readonly string[]>> = {
  running: [
    'vllm:num_requests_running',
    'llamacpp:requests_processing',
    'sglang:num_running_reqs',
    'tgi_batch_current_size',
  ],
  waiting: [
    'vllm:num_requests_waiting',
    'llamacpp:requests_deferred',
    'sglang:num_queue_reqs',
    'tgi_queue_size',
  ],
  kvUsage: [
    'vllm:kv_cache_usage_perc',
    'vllm:gpu_cache_usage_perc',
    'sglang:token_usage',
    'llamacpp:kv_cache_usage_ratio',
  ],
  prefixQueried: ['vllm:prefix_cache_queries_total', 'vllm:gpu_prefix_cache_queries_total'],
  prefixHit: [
    'vllm:prefix_cache_hits_total',
    'vllm:gpu_prefix_cache_hits_total',
    'sglang:cached_tokens_total',
  ],
  prefixHitShare: ['sglang:cache_hit_rate', 'vllm:gpu_prefix_cache_hit_rate'],
  preemptions: ['vllm:num_preemptions_total'],
  swapped: ['vllm:num_requests_swapped'],
  promptTokens: [
    'vllm:prompt_tokens_total',
    'sglang:prompt_tokens_total',
    'llamacpp:prompt_tokens_total',
    'tgi_request_input_length_sum',
  ],
  generatedTokens: [
    'vllm:generation_tokens_total',
    'sglang:generation_tokens_total',
    'llamacpp:tokens_predicted_total',
    'tgi_request_generated_tokens_sum',
  ],
  draftedTokens: ['vllm:spec_decode_num_draft_tokens_total'],
  acceptedTokens: ['vllm:spec_decode_num_accepted_tokens_total'],
  readBytes: ['vllm:estimated_read_bytes_per_gpu_total', 'sglang:estimated_read_bytes_per_gpu_total'],
  writtenBytes: ['vllm:estimated_write_bytes_per_gpu_total', 'sglang:estimated_write_bytes_per_gpu_total'],
};
const KNOWN: ReadonlySet<string> = new Set(Object.values(NAMES).flat());
/** Of one device each, and all do the same. */
const SHARES: ReadonlySet<string> = new Set([
  ...NAMES.kvUsage,
  ...NAMES.prefixHitShare,
  ...NAMES.readBytes,
  ...NAMES.writtenBytes,
]);

/** A page of a server with many histograms has some thousands. */
const LINES_MAX = 100_000;
const LINE_LENGTH_MAX = 4_096;
