// OpenAI's chat completions, with reasoning as vLLM names it and calls of one made-up tool.

import { isJsonObject } from '../../core/json.ts';
import type { MockApi, WholeAnswer } from './mock-api.ts';
import { chunkJson, closingJson, wholeJson } from './openai-json.ts';

export const mockChat: MockApi = {
  path: '/v1/chat/completions',
  framing: 'events',
  placed: 'no',
  done: '[DONE]',
  promptText: ({ messages }) => textOfMessages(messages),
  messageCount: ({ messages }) => (Array.isArray(messages) ? messages.length : 0),
  noPrompt: 'messages must be a list of messages',
  messages: {
    role: shape => chunkJson(NAMES, shape, { delta: { role: 'assistant', content: '' } }, null),
    toolCall: (shape, { index, isFirst, argumentsText }) => {
      const call = isFirst
        ? { index, ...toolCall(index, argumentsText) }
        : { index, function: { arguments: argumentsText } };
      return [chunkJson(NAMES, shape, { delta: { tool_calls: [call] } }, null)];
    },
  },
  speech: (shape, speech, text) => {
    const delta = { [speech === 'content' ? 'content' : 'reasoning_content']: text };
    return [chunkJson(NAMES, shape, { delta }, null)];
  },
  closing: (shape, answer) => closingJson(NAMES, shape, { delta: {} }, answer),
  whole: (shape, answer) => wholeJson(NAMES, shape, { message: messageOf(answer) }, answer),
};

/** Of a conversation; undefined: it is none. */
export const textOfMessages = (messages: unknown): string | undefined => {
  if (!Array.isArray(messages) || messages.length === 0 || !messages.every(isJsonObject)) return undefined;
  return messages.map(({ content }) => `${textOfContent(content)}\n`).join('');
};

/** A text, or of a list of parts the texts. */
const textOfContent = (content: unknown): string => {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map(part => (isJsonObject(part) && typeof part['text'] === 'string' ? part['text'] : ''))
    .join(' ');
};

const messageOf = ({ content, reasoning, toolArguments }: WholeAnswer): object => ({
  role: 'assistant',
  ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
  content: toolArguments.length > 0 ? null : content,
  ...(toolArguments.length === 0
    ? {}
    : { tool_calls: toolArguments.map((text, index) => toolCall(index, text)) }),
});

const toolCall = (index: number, argumentsText: string): object => ({
  id: `call_mock_${index}`,
  type: 'function',
  function: { name: TOOL_NAME, arguments: argumentsText },
});

/** The mock's only tool. */
export const TOOL_NAME = 'load_cargo';
const NAMES = { id: 'chatcmpl-mock', chunk: 'chat.completion.chunk', whole: 'chat.completion' };
