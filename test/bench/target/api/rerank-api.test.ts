import { expect, test } from 'vitest';
import { userPrompt } from '../../../../src/bench/dataset/prompt.ts';
import { rerankApi, teiRerankApi } from '../../../../src/bench/target/api/rerank-api.ts';
import { apiOfPath } from '../../../../src/bench/target/api/server-apis.ts';
import { NO_REQUEST_FIELDS } from '../../../../src/bench/target/request-fields.ts';
import { NO_FIGURE } from '../../../../src/core/run/event-record.ts';

const SETTINGS = { model: 'm', isStreaming: false, nonce: undefined, fields: NO_REQUEST_FIELDS };
const QUERY = { ...userPrompt('red fruit'), documents: ['an apple', 'a leek'] };

test('a query is sent with its documents, and the nonce is in the query, after a shared prefix', () => {
  const body = rerankApi.body(
    { ...QUERY, prefix: 'Shared.' },
    { ...SETTINGS, nonce: '01', fields: { lengthFields: [], added: { top_n: 1 } } },
  );
  if (body.kind === 'wrong') throw new Error(body.problem);
  const { before, after } = body.value;
  expect(after.startsWith('01] red fruit')).toBe(true);
  expect(JSON.parse(before + after)).toEqual({
    model: 'm',
    query: 'Shared.\n\n[01] red fruit',
    documents: ['an apple', 'a leek'],
    top_n: 1,
  });
});

test('Text Embeddings Inference gets them as texts', () => {
  const body = teiRerankApi.body(QUERY, SETTINGS);
  if (body.kind === 'wrong') throw new Error(body.problem);
  expect(JSON.parse(body.value.before + body.value.after)).toEqual({
    model: 'm',
    query: 'red fruit',
    texts: ['an apple', 'a leek'],
  });
});

test('a prompt without documents is refused, with what to write', () => {
  expect(rerankApi.body(userPrompt('red fruit'), SETTINGS)).toMatchObject({
    kind: 'wrong',
    advice: expect.stringContaining('"documents"'),
  });
});

test('a conversation is refused, which is no query', () => {
  const messages = [...QUERY.messages, { role: 'assistant', content: 'an apple' }];
  expect(rerankApi.body({ ...QUERY, messages }, SETTINGS)).toMatchObject({
    kind: 'wrong',
    problem: 'it is a conversation, but rerank takes a single prompt text',
  });
});

const RESULTS = [
  { index: 1, relevance_score: 0.9 },
  { index: 0, relevance_score: -3.5 },
];

test.each([
  ["vLLM's", { id: 'a', model: 'm', usage: { total_tokens: 56 }, results: RESULTS }, 56],
  ["Jina's", { model: 'm', object: 'list', usage: { total_tokens: 15 }, results: RESULTS }, 15],
  ["llama.cpp's", { model: 'm', usage: { prompt_tokens: 9, total_tokens: 9 }, results: RESULTS }, 9],
  ["Voyage's", { object: 'list', data: RESULTS, model: 'm', usage: { total_tokens: 26 } }, 26],
  [
    "SGLang's",
    RESULTS.map(({ index, relevance_score: score }) => ({ index, score, document: 'an apple' })),
    NO_FIGURE,
  ],
  [
    "Text Embeddings Inference's",
    RESULTS.map(({ index, relevance_score: score }) => ({ index, score })),
    NO_FIGURE,
  ],
  ["Cohere's", { id: 'a', results: RESULTS, meta: { billed_units: { search_units: 1 } } }, NO_FIGURE],
  ["Cohere's with tokens", { results: RESULTS, meta: { tokens: { input_tokens: 7 } } }, 7],
])('a reply in %s form is read', (_, json, inputTokens) => {
  const reply = rerankApi.newReply();
  reply.document(JSON.stringify(json));
  expect(reply).toMatchObject({
    hasEnded: true,
    finishReason: 'other',
    inputTokens,
    outputTokens: NO_FIGURE,
    rankedDocuments: 2,
    defect: undefined,
  });
});

test.each([{}, [], { results: [] }, { results: [{ index: 0 }] }, { results: 'none' }])(
  '%j ranks nothing',
  json => {
    const reply = rerankApi.newReply();
    expect(reply.document(JSON.stringify(json))).toBe(0);
    expect(reply.rankedDocuments).toBe(NO_FIGURE);
  },
);

test.each(['/v1/rerank', '/v2/rerank', '/rerank', '/gateway/rerank'])('%s is its endpoint', path => {
  expect(apiOfPath(path)).toBe(rerankApi);
});
