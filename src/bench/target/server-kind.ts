// Recognizes the kind of a server by a path that only that kind serves. Requested once before a run, and only if the
// list of models did not show it; for people to read, nothing depends on it.

import { isJsonObject, type JsonObject, parseAnyJson } from '../../core/json.ts';
import { type Unknown, unknown } from '../../core/unknown.ts';

export type KindAnswer =
  | { readonly kind: 'no-connection' | 'no-answer' }
  | { readonly kind: 'answer'; readonly status: number; readonly text: string; readonly server: string };

/** @param get requests a path of the server; rejects only for an abort. */
export const findServerKind = async (
  get: (path: string) => Promise<KindAnswer>,
): Promise<string | Unknown> => {
  const found = await Promise.all(
    SIGNS.map(async ({ path, name, isOurs }) => {
      const answer = await get(path);
      if (answer.kind !== 'answer') return undefined;
      const header = SERVER_HEADERS.find(({ start }) => answer.server.toLowerCase().startsWith(start));
      if (header !== undefined) return header.name;
      if (answer.status !== 200) return undefined;
      const json = parseAnyJson(answer.text);
      return isJsonObject(json) && isOurs(json) ? name : undefined;
    }),
  );
  // In the order of the table: the more specific ones come first.
  return found.find(name => name !== undefined) ?? unknown('the server does not report it');
};

const has = (json: JsonObject, ...names: readonly string[]): boolean => names.every(name => name in json);

interface Sign {
  readonly path: string;
  readonly name: string;
  readonly isOurs: (json: JsonObject) => boolean;
}

/** From the servers' own documentation of their endpoints. */
const SIGNS: readonly Sign[] = [
  { path: '/get_model_info', name: 'SGLang', isOurs: json => has(json, 'model_path') },
  { path: '/props', name: 'llama.cpp', isOurs: json => has(json, 'default_generation_settings') },
  { path: '/api/v0/models', name: 'LM Studio', isOurs: json => isLmStudioList(json['data']) },
  { path: '/info', name: 'TGI', isOurs: json => has(json, 'model_id', 'max_concurrent_requests') },
  { path: '/api/version', name: 'Ollama', isOurs: json => has(json, 'version') },
  { path: '/version', name: 'vLLM', isOurs: json => has(json, 'version') && Object.keys(json).length === 1 },
];

const isLmStudioList = (data: unknown): boolean =>
  Array.isArray(data) &&
  data.length > 0 &&
  data.every(model => isJsonObject(model) && has(model, 'arch', 'state'));

/** Server header of Python's http.server, which only mlx_lm.server among these is built on. */
const SERVER_HEADERS = [
  { start: 'llama.cpp', name: 'llama.cpp' },
  { start: 'basehttp/', name: 'MLX' },
] as const;
