// OpenAI's embeddings: a short vector for each text of the input, the same for equal ones.

import type { MockApi } from './mock-api.ts';
import { stampedJson } from './openai-json.ts';

export const mockEmbeddings: MockApi = {
  path: '/v1/embeddings',
  framing: 'events',
  placed: 'no',
  isEmbedding: true,
  done: undefined,
  plain: ({ model, plimsoll }) => ({ model, plimsoll }),
  promptText: ({ input }) => textsOf(input)?.join('\n'),
  messageCount: () => 0,
  inputCount: ({ input }) => textsOf(input)?.length ?? 0,
  noPrompt: 'input must be a text or a list of texts',
  messages: undefined,
  // It never streams.
  speech: () => [],
  closing: () => [],
  whole: ({ model, isStamped }, { content, inputs, usage }) => {
    const count = content === '' ? 0 : inputs;
    const json = {
      object: 'list',
      data: Array.from({ length: count }, (_, index) => ({ object: 'embedding', index, embedding: VECTOR })),
      model,
      ...(usage === undefined
        ? {}
        : { usage: { prompt_tokens: usage.promptTokens, total_tokens: usage.promptTokens } }),
    };
    return stampedJson(json, { isStamped });
  },
};

const textsOf = (input: unknown): readonly string[] | undefined => {
  if (typeof input === 'string') return [input];
  if (!Array.isArray(input) || input.length === 0) return undefined;
  return input.every(text => typeof text === 'string') ? input : undefined;
};

/** Of length 1, as those of real models are. */
const VECTOR: readonly number[] = [0.5, -0.5, 0.5, -0.5];
