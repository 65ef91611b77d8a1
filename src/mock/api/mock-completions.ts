// OpenAI's legacy completions, for a text instead of a chat.

import type { MockApi } from './mock-api.ts';
import { chunkJson, closingJson, wholeJson } from './openai-json.ts';

export const mockCompletions: MockApi = {
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
