// One request as GuideLLM stores it (guidellm/schemas/request_stats.py): stamps in seconds since 1970, from which
// everything else is derived. Its figures are computed from the rounded stamps, as its own reader computes them from
// the file.

import { type EndedSample, lastContentNs } from '../../core/run/ended-sample.ts';
import { NO_FIGURE } from '../../core/run/event-record.ts';
import type { Weighted } from './guidellm-statistics.ts';

export type GuidellmStatus = (typeof GUIDELLM_STATUSES)[number];

export const GUIDELLM_STATUSES = ['successful', 'errored', 'incomplete'] as const;

/** Seconds since 1970, tokens and content chunks. */
export interface GuidellmRequest {
  readonly status: GuidellmStatus;
  readonly targeted: number;
  readonly start: number;
  readonly end: number;
  readonly first: number | undefined;
  readonly firstAnswer: number | undefined;
  readonly last: number | undefined;
  readonly iterations: number;
  readonly inputTokens: number | undefined;
  readonly outputTokensReported: number | undefined;
  /** As the server reported it, else one for each chunk. */
  readonly outputTokens: number | undefined;
}

export const guidellmRequest = (sample: EndedSample, zeroMs: number): GuidellmRequest => {
  const at = (ns: number): number => (zeroMs + ns / 1e6) / 1e3;
  const known = (ns: number): number | undefined => (ns === NO_FIGURE ? undefined : at(ns));
  const first = known(sample.firstContentNs);
  const iterations = first === undefined ? 0 : sample.chunkCount;
  const outputTokensReported = tokens(sample.outputTokens);
  return {
    status: STATUSES[sample.outcome],
    targeted: at(sample.intendedNs),
    start: at(sample.sentNs),
    end: at(sample.endNs),
    first,
    firstAnswer: known(sample.firstAnswerNs) ?? first,
    last: first === undefined ? undefined : at(lastContentNs(sample)),
    iterations,
    inputTokens: tokens(sample.inputTokens),
    outputTokensReported,
    outputTokens: outputTokensReported ?? (iterations === 0 ? undefined : iterations),
  };
};

const tokens = (count: number): number | undefined => (count === NO_FIGURE ? undefined : count);

export interface GuidellmFigures {
  readonly latency: number;
  readonly ttftMs: number | undefined;
  readonly firstAnswerMs: number | undefined;
  /** Includes the time to the first token. */
  readonly perTokenMs: number | undefined;
  readonly betweenTokensMs: number | undefined;
  readonly totalTokens: number | undefined;
  readonly perIteration: number | undefined;
  /** Without the first token and chunk. */
  readonly laterPerIteration: number | undefined;
}

export const guidellmFigures = (request: GuidellmRequest): GuidellmFigures => {
  const { start, end, first, firstAnswer, last, iterations, inputTokens, outputTokens } = request;
  const since = (at: number | undefined): number | undefined =>
    at === undefined ? undefined : 1_000 * (at - start);
  return {
    latency: end - start,
    ttftMs: since(first),
    firstAnswerMs: since(firstAnswer),
    perTokenMs:
      outputTokens === undefined || outputTokens === 0
        ? undefined
        : (1_000 * ((last ?? end) - start)) / outputTokens,
    betweenTokensMs:
      first === undefined || last === undefined || outputTokens === undefined || outputTokens <= 1
        ? undefined
        : (1_000 * (last - first)) / (outputTokens - 1),
    totalTokens:
      inputTokens === undefined && outputTokens === undefined
        ? undefined
        : (inputTokens ?? 0) + (outputTokens ?? 0),
    perIteration: outputTokens === undefined || iterations < 1 ? undefined : outputTokens / iterations,
    laterPerIteration:
      outputTokens === undefined || outputTokens <= 1 || iterations <= 1
        ? undefined
        : (outputTokens - 1) / (iterations - 1),
  };
};

/**
 * Arrival times of tokens: GuideLLM spreads those after the first evenly, because it stores no times of single
 * chunks.
 */
export const outputTokenTimes = (request: GuidellmRequest): readonly Weighted[] => {
  const { first, last, end, iterations, outputTokens } = request;
  if (first === undefined || last === undefined || iterations <= 1) return [[last ?? end, outputTokens ?? 0]];
  return [[first, outputTokens ? 1 : 0], ...laterTokenTimes(request)];
};

export const laterTokenTimes = (request: GuidellmRequest): readonly Weighted[] => {
  const { first, last, iterations } = request;
  const { laterPerIteration } = guidellmFigures(request);
  if (first === undefined || last === undefined || laterPerIteration === undefined) return [];
  const step = (last - first) / (iterations - 1);
  return Array.from(
    { length: iterations - 1 },
    (_, index): Weighted => [index === iterations - 2 ? last : first + (index + 1) * step, laterPerIteration],
  );
};

export const inputTokenTime = ({ first, end, inputTokens }: GuidellmRequest): Weighted => [
  first ?? end,
  inputTokens ?? 0,
];

/** As a line of `requests`; texts are not kept. */
export const guidellmRequestJson = (
  request: GuidellmRequest,
  { id, error }: { readonly id: string; readonly error: string | undefined },
): unknown => {
  const { status, targeted, start, end, first, firstAnswer, last, iterations } = request;
  const figures = guidellmFigures(request);
  const { latency, totalTokens } = figures;
  const perSecond = (count: number | undefined): number | null =>
    count === undefined || latency === 0 ? null : count / latency;
  return {
    type_: 'generative_request_stats',
    request_id: id,
    response_id: null,
    request_args: null,
    output: null,
    info: {
      request_id: id,
      status: INFO_STATUSES[status],
      scheduler_node_id: 0,
      scheduler_process_id: 0,
      scheduler_start_time: start,
      timings: {
        targeted_start: targeted,
        resolve_start: start,
        request_start: start,
        first_request_iteration: first ?? null,
        first_token_iteration: first ?? null,
        first_output_token_iteration: firstAnswer ?? null,
        last_token_iteration: last ?? null,
        last_request_iteration: last ?? null,
        request_iterations: iterations,
        token_iterations: iterations,
        request_end: end,
        resolve_end: end,
      },
      error: error ?? null,
      started_at: start,
      completed_at: end,
    },
    input_metrics: usageJson(request.inputTokens),
    output_metrics: usageJson(request.outputTokensReported),
    request_start_time: start,
    request_end_time: end,
    request_latency: latency,
    prompt_tokens: request.inputTokens ?? null,
    output_tokens: request.outputTokens ?? null,
    total_tokens: totalTokens ?? null,
    time_to_first_token_ms: figures.ttftMs ?? null,
    time_to_first_output_token_ms: figures.firstAnswerMs ?? null,
    time_per_output_token_ms: figures.perTokenMs ?? null,
    inter_token_latency_ms: figures.betweenTokensMs ?? null,
    tokens_per_second: perSecond(totalTokens),
    output_tokens_per_second: perSecond(request.outputTokens),
    iter_tokens_per_iteration: figures.laterPerIteration ?? null,
    output_tokens_per_iteration: figures.perIteration ?? null,
  };
};

const usageJson = (count: number | undefined): Record<string, number | null> => ({
  text_tokens: count ?? null,
  total_tokens: count ?? null,
});

const STATUSES = { completed: 'successful', failed: 'errored', cancelled: 'incomplete' } as const;
const INFO_STATUSES = { successful: 'completed', errored: 'errored', incomplete: 'cancelled' } as const;
