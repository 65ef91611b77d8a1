// The mock's metrics page, with the names of vLLM ("Production Metrics"), so that a reader of a server's own metrics
// can be tested: it contains the figures of its log, or configured ones.

import { ACCEPTED_AT } from '../core/run/server-reading.ts';
import type { MockLogSummary } from './mock-log.ts';
import type { MockSettings } from './mock-settings.ts';

export const metricsPage = (
  settings: MockSettings,
  summary: Pick<
    MockLogSummary,
    'running' | 'waiting' | 'promptTokens' | 'cachedTokens' | 'outputTokens' | 'requests'
  >,
): string => {
  const { running, waiting, promptTokens, cachedTokens, outputTokens, requests } = summary;
  const { otherRequests, concurrencyMax, predictedShare, preemptEvery, swappedRequests } = settings;
  const all = running + otherRequests;
  const room = concurrencyMax === 0 ? ROOM : concurrencyMax + otherRequests;
  const label = `{model_name="${settings.models[0]?.replace(/["\\]/g, '\\$&') ?? ''}"}`;
  const metric = (
    name: string,
    type: 'gauge' | 'counter',
    help: string,
    value: number,
  ): readonly string[] => [
    `# HELP vllm:${name} ${help}`,
    `# TYPE vllm:${name} ${type}`,
    `vllm:${name}${label} ${value}`,
  ];
  // Each step that verified a draft gave one token of its own, and accepted the first ones of its draft.
  const accepted = Math.floor(outputTokens * predictedShare);
  const drafts = Math.max(Math.min(1, outputTokens), outputTokens - accepted);
  const lines = [
    ...metric('num_requests_running', 'gauge', 'Number of requests in model execution batches.', all),
    ...metric('num_requests_waiting', 'gauge', 'Number of requests waiting to be processed.', waiting),
    ...metric('num_requests_swapped', 'gauge', 'Number of requests swapped to CPU.', swappedRequests),
    ...metric('kv_cache_usage_perc', 'gauge', 'KV-cache usage. 1 is all of it.', Math.min(1, all / room)),
    ...metric('prefix_cache_queries_total', 'counter', 'Prefix cache queries, in tokens.', promptTokens),
    ...metric('prefix_cache_hits_total', 'counter', 'Prefix cache hits, in tokens.', cachedTokens),
    ...metric(
      'num_preemptions_total',
      'counter',
      'Cumulative number of preemptions.',
      preemptEvery === 0 ? 0 : Math.floor(requests / preemptEvery),
    ),
    ...metric('prompt_tokens_total', 'counter', 'Number of prefill tokens processed.', promptTokens),
    ...metric('generation_tokens_total', 'counter', 'Number of generation tokens processed.', outputTokens),
    ...(predictedShare === 0
      ? []
      : [
          ...metric('spec_decode_num_drafts_total', 'counter', 'Number of spec decoding drafts.', drafts),
          ...metric('spec_decode_num_draft_tokens_total', 'counter', 'Number of draft tokens.', outputTokens),
          ...metric(
            'spec_decode_num_accepted_tokens_total',
            'counter',
            'Number of accepted tokens.',
            accepted,
          ),
          ...Array.from(
            { length: Math.min(ACCEPTED_AT.length, Math.ceil(accepted / Math.max(1, drafts))) },
            (_, position) =>
              `vllm:spec_decode_num_accepted_tokens_per_pos_total${label.slice(0, -1)},position="${position}"} ${Math.min(drafts, accepted - position * drafts)}`,
          ),
        ]),
    '',
  ];
  const page = lines.join('\n');
  const missing = settings.metricsBytes - page.length;
  return missing <= 0 ? page : `# ${'x'.repeat(Math.max(0, missing - 3))}\n${page}`;
};

/** Requests that fill the cache of a server without a limit of requests. */
const ROOM = 256;
