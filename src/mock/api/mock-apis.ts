// The table of the mock's APIs.

import type { MockApi } from './mock-api.ts';
import { mockChat } from './mock-chat.ts';
import { mockCompletions } from './mock-completions.ts';
import { mockEmbeddings } from './mock-embeddings.ts';
import { mockLlamaCpp } from './mock-llama-cpp.ts';
import { mockMessages } from './mock-messages.ts';
import { mockOllama, mockOllamaGenerate } from './mock-ollama.ts';
import { mockResponses } from './mock-responses.ts';
import { mockSglang } from './mock-sglang.ts';

export const MOCK_APIS: readonly MockApi[] = [
  mockChat,
  mockCompletions,
  mockResponses,
  mockEmbeddings,
  mockMessages,
  mockOllama,
  mockOllamaGenerate,
  mockLlamaCpp,
  mockSglang,
];
