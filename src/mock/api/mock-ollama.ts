// Ollama's chat and completion, by its docs/api.md: lines of JSON, and times in nanoseconds in the last one. It
// streams unless `stream` is false. Times follow from the tokens, at one microsecond each: a reply is a function of
// its request.

import { isJsonObject, type JsonObject } from '../../core/json.ts';
import type { ChunkShape, MockApi, TokenCounts, WholeAnswer } from './mock-api.ts';
import { TOOL_NAME, textOfMessages } from './mock-chat.ts';
import { stampedJson } from './openai-json.ts';

export const mockOllama: MockApi = {
  path: '/api/chat',
  framing: 'lines',
  placed: 'no',
  hasWholeCalls: true,
  done: undefined,
  plain: body => plainOf(body),
  promptText: ({ messages }) => textOfMessages(messages),
  messageCount: ({ messages }) => (Array.isArray(messages) ? messages.length : 0),
  noPrompt: 'messages must be a list of messages',
  messages: {
    toolCall: (shape, { argumentsText }) => [
      lineJson(shape, { message: { role: 'assistant', content: '', tool_calls: [callOf(argumentsText)] } }),
    ],
  },
  speech: (shape, speech, text) => [
    lineJson(shape, {
      message: {
        role: 'assistant',
        content: speech === 'content' ? text : '',
        ...(speech === 'reasoning' ? { thinking: text } : {}),
      },
    }),
  ],
  closing: (shape, { finishReason, usage }) => [
    endJson(shape, { message: { role: 'assistant', content: '' } }, { finishReason, usage }),
  ],
  whole: (shape, answer) => endJson(shape, { message: messageOf(answer) }, answer),
};

export const mockOllamaGenerate: MockApi = {
  ...mockOllama,
  path: '/api/generate',
  promptText: ({ system, prompt }) => {
    if (typeof prompt !== 'string') return undefined;
    return typeof system === 'string' ? `${system}\n${prompt}` : prompt;
  },
  messageCount: () => 1,
  noPrompt: 'prompt must be text',
  messages: undefined,
  speech: (shape, _, text) => [lineJson(shape, { response: text })],
  closing: (shape, { finishReason, usage }) => [endJson(shape, { response: '' }, { finishReason, usage })],
  whole: (shape, answer) => endJson(shape, { response: answer.content }, answer),
};

const plainOf = (body: JsonObject): JsonObject => {
  const { model, stream = true, options, plimsoll } = body;
  const limit = isJsonObject(options) ? options['num_predict'] : undefined;
  return {
    model,
    stream,
    plimsoll,
    ...(typeof limit === 'number' && limit > 0 ? { max_tokens: limit } : {}),
    stream_options: { include_usage: true },
  };
};

const lineJson = (shape: ChunkShape, more: object): string =>
  stampedJson({ model: shape.model, created_at: CREATED_AT, ...more, done: false }, shape);

/** Ollama has no other reasons than these two: a call ends by itself. */
const endJson = (
  shape: ChunkShape,
  more: object,
  { finishReason, usage }: { readonly finishReason: string; readonly usage: TokenCounts | undefined },
): string =>
  stampedJson(
    {
      model: shape.model,
      created_at: CREATED_AT,
      ...more,
      done: true,
      done_reason: finishReason === 'tool_calls' ? 'stop' : finishReason,
      ...(usage === undefined ? {} : timesOf(usage)),
    },
    shape,
  );

const timesOf = ({ promptTokens, cachedTokens, outputTokens }: TokenCounts): object => {
  const promptNs = (promptTokens - cachedTokens) * NS_PER_TOKEN;
  const evalNs = outputTokens * NS_PER_TOKEN;
  return {
    total_duration: promptNs + evalNs,
    load_duration: 0,
    prompt_eval_count: promptTokens,
    prompt_eval_duration: promptNs,
    eval_count: outputTokens,
    eval_duration: evalNs,
  };
};

const messageOf = ({ content, reasoning, toolArguments }: WholeAnswer): object => ({
  role: 'assistant',
  content,
  ...(reasoning === '' ? {} : { thinking: reasoning }),
  ...(toolArguments.length === 0 ? {} : { tool_calls: toolArguments.map(callOf) }),
});

const callOf = (argumentsText: string): object => ({
  function: { name: TOOL_NAME, arguments: JSON.parse(argumentsText) },
});

const CREATED_AT = '2026-01-01T00:00:00Z';
export const NS_PER_TOKEN = 1_000;
