// The table of server APIs: a row each. The first is the one that is asked where neither a person nor a URL says another.

import { chatApi } from './chat/chat-api.ts';
import { completionsApi } from './completions/completions-api.ts';
import { embeddingsApi } from './embeddings/embeddings-api.ts';
import { llamaCppApi } from './llama-cpp/llama-cpp-api.ts';
import { messagesApi } from './messages/messages-api.ts';
import { ollamaApi, ollamaGenerateApi } from './ollama/ollama-api.ts';
import { OPENAI } from './openai/openai-api.ts';
import { responsesApi } from './responses/responses-api.ts';
import type { ServerApi } from './server-api.ts';
import { sglangApi } from './sglang/sglang-api.ts';

export const SERVER_APIS: readonly [ServerApi, ...ServerApi[]] = [
  chatApi,
  completionsApi,
  responsesApi,
  embeddingsApi,
  messagesApi,
  ollamaApi,
  ollamaGenerateApi,
  llamaCppApi,
  sglangApi,
];

/**
 * The one whose endpoint a URL's path is. Of several the longest: '/chat/completions' ends with '/completions' too. Where OpenAI's
 * stand, gateways choose; a server's own endpoint is only known with all of its path.
 */
export const apiOfPath = (path: string): ServerApi | undefined =>
  SERVER_APIS.map(api => ({ api, length: matchedLength(path, api) }))
    .filter(({ length }) => length > 0)
    .toSorted((a, b) => b.length - a.length)[0]?.api;

const matchedLength = (path: string, { root, endpoint }: ServerApi): number => {
  if (path.endsWith(root + endpoint)) return root.length + endpoint.length;
  return root === OPENAI.root && path.endsWith(endpoint) ? endpoint.length : 0;
};

/** @throws RangeError for a name that is not in the table. */
export const serverApi = (name: string): ServerApi => {
  const api = SERVER_APIS.find(candidate => candidate.name === name);
  if (api === undefined) throw new RangeError(`there is no server API ${name}`);
  return api;
};
