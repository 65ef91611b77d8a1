// What OpenAI's endpoints have in common beside their replies: where they stand, the list of models, the end of a body.

import { isJsonObject } from '../../../../core/json.ts';
import { type Unknown, unknown } from '../../../../core/unknown.ts';
import type { BodySettings, ModelList, ServerApi } from '../server-api.ts';

export const OPENAI: Pick<ServerApi, 'root' | 'canStream' | 'models' | 'withoutEnd'> = {
  root: '/v1',
  canStream: true,
  models: {
    path: '/models',
    read: (json): ModelList | Unknown => {
      const data = isJsonObject(json) ? json['data'] : undefined;
      if (!Array.isArray(data)) return unknown('its list of models has no "data"');
      const models = data.filter(isJsonObject);
      const ids = models.map(({ id }) => id).filter(id => typeof id === 'string');
      const owners = models.map(({ owned_by: owner }) => (typeof owner === 'string' ? owner : ''));
      const kinds = owners.map(owner => SERVER_KINDS.get(owner.toLowerCase()));
      return {
        ids,
        serverKind: kinds.find(kind => kind !== undefined) ?? unknown('the server does not say'),
      };
    },
  },
  withoutEnd: 'the reply ended without [DONE] and without a finish reason',
};

/** The fields behind the prompt, with the object's end. */
export const bodyEnd = (maxTokens: number | undefined, { isStreaming }: BodySettings): string =>
  (maxTokens === undefined ? '' : `,"max_tokens":${maxTokens}`) +
  // Without usage nobody knows how many tokens came.
  (isStreaming ? ',"stream":true,"stream_options":{"include_usage":true}}' : ',"stream":false}');

/** What servers write into `owned_by` of their models. */
const SERVER_KINDS: ReadonlyMap<string, string> = new Map([
  ['vllm', 'vLLM'],
  ['sglang', 'SGLang'],
  ['llamacpp', 'llama.cpp'],
  ['library', 'Ollama'],
  ['plimsoll-mock', 'Plimsoll mock'],
]);
