// OpenAI's chat completions, which most servers understand. Reasoning has two names, calls of tools may be of the old kind,
// and a content may be a text or a list of parts.

import { parsed } from '../../../../core/figure/parse-figure.ts';
import type { JsonObject } from '../../../../core/json.ts';
import { isJsonObject } from '../../../../core/json.ts';
import type { Message } from '../../../dataset/message.ts';
import type { Prompt } from '../../../dataset/prompt.ts';
import { bodyEnd, OPENAI, OpenAiReply, textOf } from '../openai/openai-api.ts';
import type { BodySettings, BodyText, ServerApi } from '../server-api.ts';
import { CARRIES_ANSWER, CARRIES_NOTHING, CARRIES_REASONING } from '../server-api.ts';

export const chatApi: ServerApi = {
  ...OPENAI,
  name: 'chat',
  endpoint: '/chat/completions',
  body: (prompt, settings) => parsed(bodyOf(prompt, settings)),
  newReply: () => new OpenAiReply(contentOf),
};

const bodyOf = ({ prefix, messages, maxTokens }: Prompt, settings: BodySettings): BodyText => {
  const { model, nonce } = settings;
  const shared = prefix === undefined ? '' : `${jsonOf({ role: 'system', content: prefix })},`;
  const head = `{"model":${JSON.stringify(model)},"messages":[${shared}`;
  const end = `]${bodyEnd(maxTokens, settings)}`;
  if (nonce === undefined) return { before: '', after: `${head}${messages.map(jsonOf).join(',')}${end}` };
  const at = messages.findIndex(({ content }) => typeof content === 'string' || Array.isArray(content));
  const marked = messages[at];
  if (marked === undefined) throw new RangeError('a prompt without content');
  const { content, ...others } = marked;
  const opening = `${jsonOf(others).slice(0, -1)},"content":`;
  const [quote, rest] =
    typeof content === 'string'
      ? ['"[', `${nonce}] ${JSON.stringify(content).slice(1)}}`]
      : [
          '[{"type":"text","text":"[',
          `${nonce}]"},${JSON.stringify(content).slice(1)}}`.replace(/,\]\}$/, ']}'),
        ];
  const earlier = messages.slice(0, at).map(message => `${jsonOf(message)},`);
  const later = messages.slice(at + 1).map(message => `,${jsonOf(message)}`);
  return { before: `${head}${earlier.join('')}${opening}${quote}`, after: `${rest}${later.join('')}${end}` };
};

const jsonOf = (message: Message | Omit<Message, 'content'>): string => JSON.stringify(message);

/** A stream has its text in the choice's delta, a whole reply in its message. */
const contentOf = (choice: JsonObject, isWhole: boolean): number => {
  let carries = textOf(choice['text']) === '' ? CARRIES_NOTHING : CARRIES_ANSWER;
  const piece = choice[isWhole ? 'message' : 'delta'];
  if (!isJsonObject(piece)) return carries;
  if (textOf(piece['reasoning_content']) !== '' || textOf(piece['reasoning']) !== '') {
    carries |= CARRIES_REASONING;
  }
  if (textOf(piece['refusal']) !== '') carries |= CARRIES_ANSWER;
  carries |= contentCarries(piece['content']);
  const calls = piece['tool_calls'];
  if ((Array.isArray(calls) && calls.some(hasCallPiece)) || hasFunctionPiece(piece['function_call'])) {
    carries |= CARRIES_ANSWER;
  }
  return carries;
};

/** A text, or a list of parts: texts, and what the model thinks, which is a text or a list again (Mistral's and Anthropic's). */
const contentCarries = (content: unknown): number => {
  if (!Array.isArray(content)) return textOf(content) === '' ? CARRIES_NOTHING : CARRIES_ANSWER;
  let carries = CARRIES_NOTHING;
  for (const part of content) {
    if (textOf(part) !== '') carries |= CARRIES_ANSWER;
    if (!isJsonObject(part)) continue;
    const { type, text, thinking } = part;
    const isThinking = type === 'thinking' || type === 'reasoning';
    if (textOf(text) !== '') carries |= isThinking ? CARRIES_REASONING : CARRIES_ANSWER;
    if (hasThought(thinking)) carries |= CARRIES_REASONING;
  }
  return carries;
};

const hasThought = (thinking: unknown): boolean =>
  Array.isArray(thinking)
    ? thinking.some(part => isJsonObject(part) && textOf(part['text']) !== '')
    : textOf(thinking) !== '';

const hasCallPiece = (call: unknown): boolean => isJsonObject(call) && hasFunctionPiece(call['function']);

const hasFunctionPiece = (piece: unknown): boolean =>
  isJsonObject(piece) && (textOf(piece['name']) !== '' || textOf(piece['arguments']) !== '');
