// The table of the mock's APIs.

import type { MockApi } from './mock-api.ts';
import { mockChat } from './mock-chat.ts';
import { mockEmbeddings } from './mock-embeddings.ts';
import { mockLlamaCpp } from './mock-llama-cpp.ts';
import { mockMessages } from './mock-messages.ts';
import { mockOllama, mockOllamaGenerate } from './mock-ollama.ts';
import { mockRerank, mockTeiRerank } from './mock-rerank.ts';
import { mockResponses } from './mock-responses.ts';
import { mockSglang } from './mock-sglang.ts';
import { chunkJson, closingJson, wholeJson } from './openai-json.ts';

// OpenAI's legacy completions, for a text instead of a chat.
const mockCompletions: MockApi = {
  path: '/v1/completions',
  framing: 'events',
  placed: 'no',
  done: '[DONE]',
  promptText: ({ prompt }) => {
    if (typeof prompt === 'string') return prompt;
    const isList = Array.isArray(prompt) && prompt.every(part => typeof part === 'string');
    return isList ? prompt.join('\n') : undefined;
  },
  messageCount: () => 0,
  noPrompt: 'prompt must be text',
  messages: undefined,
  speech: (shape, _, text) => [chunkJson(NAMES, shape, { text }, null)],
  closing: (shape, answer) => closingJson(NAMES, shape, { text: '' }, answer),
  whole: (shape, answer) => wholeJson(NAMES, shape, { text: answer.content }, answer),
};

const NAMES = { id: 'cmpl-mock', chunk: 'text_completion', whole: 'text_completion' };

export const MOCK_APIS: readonly MockApi[] = [
  mockChat,
  mockCompletions,
  mockResponses,
  mockEmbeddings,
  mockRerank,
  mockTeiRerank,
  mockMessages,
  mockOllama,
  mockOllamaGenerate,
  mockLlamaCpp,
  mockSglang,
];
