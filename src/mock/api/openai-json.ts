// The JSON that OpenAI's endpoints have in common, as its API reference and vLLM write it: chunks and whole completions
// around a choice, usage, errors.

import type { JsonObject } from '../../core/json.ts';
import { STAMP_FIELD } from '../reply/framing.ts';
import type { ChunkShape, ClosedAnswer, TokenCounts } from './mock-api.ts';

/** The endpoint's names for itself and its objects. */
interface ObjectNames {
  readonly id: string;
  readonly chunk: string;
  readonly whole: string;
}

/** `choice` is the endpoint-specific part: a delta, a text. */
export const chunkJson = (
  names: ObjectNames,
  { model, isStamped }: ChunkShape,
  choice: JsonObject,
  finishReason: string | null,
): string =>
  `{${opening(names.id, names.chunk, model)},"choices":[${choiceJson(choice, finishReason)}]${isStamped ? `,${STAMP_FIELD}` : ''}}`;

/** The finish chunk, and the one with usage if it is requested. */
export const closingJson = (
  names: ObjectNames,
  shape: ChunkShape,
  choice: JsonObject,
  { finishReason, usage }: Pick<ClosedAnswer, 'finishReason' | 'usage'>,
): readonly string[] => [
  chunkJson(names, { ...shape, isStamped: false }, choice, finishReason),
  ...(usage === undefined ? [] : [usageJson(names, shape, usage)]),
];

/** Any object of an API, with room for stamps at its end if they are requested. */
export const stampedJson = (json: object, { isStamped }: Pick<ChunkShape, 'isStamped'>): string =>
  isStamped ? `${JSON.stringify(json).slice(0, -1)},${STAMP_FIELD}}` : JSON.stringify(json);

const usageJson = ({ id, chunk }: ObjectNames, { model }: ChunkShape, counts: TokenCounts): string =>
  `{${opening(id, chunk, model)},"choices":[],"usage":${JSON.stringify(usageOf(counts))}}`;

export const wholeJson = (
  { id, whole }: ObjectNames,
  { model, isStamped }: ChunkShape,
  choice: JsonObject,
  { finishReason, usage }: { readonly finishReason: string; readonly usage: TokenCounts | undefined },
): string => {
  const reported = usage === undefined ? '' : `,"usage":${JSON.stringify(usageOf(usage))}`;
  const stamp = isStamped ? `,${STAMP_FIELD}` : '';
  return `{${opening(id, whole, model)},"choices":[${choiceJson(choice, finishReason)}]${reported}${stamp}}`;
};

/** An error in OpenAI's shape, as a body or as an event in a stream. */
export const errorJson = (message: string, type: string, code: number): string =>
  JSON.stringify({ error: { message, type, param: null, code } });

const opening = (id: string, object: string, model: string): string =>
  `"id":"${id}","object":"${object}","created":${CREATED},"model":${JSON.stringify(model)}`;

const choiceJson = (choice: JsonObject, finishReason: string | null): string =>
  JSON.stringify({ index: 0, ...choice, logprobs: null, finish_reason: finishReason });

const usageOf = (counts: TokenCounts): object => {
  const { promptTokens, outputTokens, reasoningTokens, cachedTokens, predictedTokens } = counts;
  const details = {
    ...(reasoningTokens > 0 ? { reasoning_tokens: reasoningTokens } : {}),
    ...(predictedTokens > 0 ? { accepted_prediction_tokens: predictedTokens } : {}),
  };
  return {
    prompt_tokens: promptTokens,
    completion_tokens: outputTokens,
    total_tokens: promptTokens + outputTokens,
    ...(cachedTokens > 0 ? { prompt_tokens_details: { cached_tokens: cachedTokens } } : {}),
    ...(Object.keys(details).length > 0 ? { completion_tokens_details: details } : {}),
  };
};

/** Constant: a reply is a function of its request, and no clock is part of that. */
export const CREATED = 1_767_225_600;
