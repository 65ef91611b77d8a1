// Rankings of documents in Jina's form: the later a document is in the request, the better it fits.

import type { JsonObject } from '../../core/json.ts';
import type { MockApi } from './mock-api.ts';
import { stampedJson } from './openai-json.ts';

export const mockRerank: MockApi = {
  path: '/v1/rerank',
  framing: 'events',
  placed: 'no',
  isEmbedding: true,
  done: undefined,
  plain: ({ model, plimsoll }) => ({ model, plimsoll }),
  promptText: body => {
    const documents = documentsOf(body);
    const { query } = body;
    return typeof query === 'string' && documents !== undefined
      ? [query, ...documents].join('\n')
      : undefined;
  },
  messageCount: () => 0,
  inputCount: body => {
    const count = documentsOf(body)?.length ?? 0;
    const { top_n: most } = body;
    return typeof most === 'number' && most >= 0 ? Math.min(most, count) : count;
  },
  noPrompt: 'query must be a text and documents a list of texts',
  messages: undefined,
  // It never streams.
  speech: () => [],
  closing: () => [],
  whole: ({ model, isStamped }, { content, inputs, usage }) => {
    const count = content === '' ? 0 : inputs;
    const json = {
      model,
      object: 'list',
      results: Array.from({ length: count }, (_, place) => ({
        index: count - 1 - place,
        relevance_score: 1 / (place + 1),
      })),
      ...(usage === undefined
        ? {}
        : { usage: { prompt_tokens: usage.promptTokens, total_tokens: usage.promptTokens } }),
    };
    return stampedJson(json, { isStamped });
  },
};

const documentsOf = ({ documents }: JsonObject): readonly string[] | undefined =>
  Array.isArray(documents) && documents.length > 0 && documents.every(text => typeof text === 'string')
    ? documents
    : undefined;
