// The table of server APIs, one row each. The first is the default if neither the user nor the URL determines
// another.

import { chatApi } from './chat-api.ts';
import { completionsApi } from './completions-api.ts';
import { embeddingsApi } from './embeddings-api.ts';
import { llamaCppApi } from './llama-cpp-api.ts';
import { messagesApi } from './messages-api.ts';
import { ollamaApi, ollamaGenerateApi } from './ollama-api.ts';
import { OPENAI } from './openai-api.ts';
import { rerankApi, teiRerankApi } from './rerank-api.ts';
import { responsesApi } from './responses-api.ts';
import type { ServerApi } from './server-api.ts';
import { sglangApi } from './sglang-api.ts';

export const SERVER_APIS: readonly [ServerApi, ...ServerApi[]] = [
  chatApi,
  completionsApi,
  responsesApi,
  embeddingsApi,
  rerankApi,
  teiRerankApi,
  messagesApi,
  ollamaApi,
  ollamaGenerateApi,
  llamaCppApi,
  sglangApi,
];

/**
 * The APIs whose endpoint matches a URL's path, the default first: servers give '/rerank' to two. Of several matches the longest counts:
 * '/chat/completions' ends with '/completions' too. Gateways may place OpenAI's endpoints under any prefix; a server's own endpoint must
 * match the whole path.
 */
export const apisOfPath = (path: string): readonly ServerApi[] => {
  const matches = SERVER_APIS.map(api => ({ api, length: matchedLength(path, api) }));
  const longest = matches.reduce((most, { length }) => (length > most ? length : most), 1);
  return matches.filter(({ length }) => length === longest).map(({ api }) => api);
};

export const apiOfPath = (path: string): ServerApi | undefined => apisOfPath(path)[0];

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
