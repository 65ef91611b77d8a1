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
    const results = ranked(content === '' ? 0 : inputs);
    const json = {
      model,
      object: 'list',
      results: results.map(([index, score]) => ({ index, relevance_score: score })),
      ...(usage === undefined
        ? {}
        : { usage: { prompt_tokens: usage.promptTokens, total_tokens: usage.promptTokens } }),
    };
    return stampedJson(json, { isStamped });
  },
};

/** In the form of Text Embeddings Inference, whose list has no count of tokens. */
export const mockTeiRerank: MockApi = {
  ...mockRerank,
  path: '/rerank',
  promptText: body => mockRerank.promptText(withDocuments(body)),
  inputCount: body => documentsOf(withDocuments(body))?.length ?? 0,
  noPrompt: 'query must be a text and texts a list of texts',
  whole: (_, { content, inputs }) =>
    JSON.stringify(ranked(content === '' ? 0 : inputs).map(([index, score]) => ({ index, score }))),
};

const withDocuments = ({ texts, ...body }: JsonObject): JsonObject => ({ ...body, documents: texts });

/** Index and score, the best first. */
const ranked = (count: number): readonly (readonly [number, number])[] =>
  Array.from({ length: count }, (_, place) => [count - 1 - place, 1 / (place + 1)]);

const documentsOf = ({ documents }: JsonObject): readonly string[] | undefined =>
  Array.isArray(documents) && documents.length > 0 && documents.every(text => typeof text === 'string')
    ? documents
    : undefined;
