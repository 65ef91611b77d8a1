// OpenAI's chat completions, which most servers support. Reasoning has many names, tool calls may have the old form,
// and a content may be a text or a list of parts.

import { parsed } from '../../../core/figure/parse-figure.ts';
import { isJsonObject, type JsonObject } from '../../../core/json.ts';
import type { Prompt } from '../../dataset/prompt.ts';
import { textOf } from './json-reply.ts';
import { ASSISTANT_ENTRY, between, markedMessages, noTokenIds } from './marked-messages.ts';
import { bodyEnd, type ChoiceContent, OPENAI, OpenAiReply } from './openai-api.ts';
import { reasoningCarries, thoughtCarries } from './reasoning-fields.ts';
import type { ReplyText } from './reply-text.ts';
import {
  type BodySettings,
  type BodyText,
  CARRIES_ANSWER,
  CARRIES_NOTHING,
  type ServerApi,
} from './server-api.ts';

export const chatApi: ServerApi = {
  ...OPENAI,
  name: 'chat',
  endpoint: '/chat/completions',
  body: (prompt, settings) =>
    prompt.tokenIds === undefined ? parsed(bodyOf(prompt, settings)) : noTokenIds('chat'),
  conversation: {
    before: settings => parsed(before(settings)),
    after: (maxTokens, settings) => after(maxTokens, settings),
    entries: (messages, { nonce }) => parsed(markedMessages({ messages }, nonce)),
    takesCalls: true,
    answer: ASSISTANT_ENTRY,
  },
  newReply: () => new OpenAiReply(contentOf, answerOf),
};

const before = ({ model }: BodySettings): string => `{"model":${JSON.stringify(model)},"messages":[`;

const after = (maxTokens: number | undefined, settings: BodySettings): string =>
  `]${bodyEnd(maxTokens, settings)}`;

const bodyOf = (prompt: Prompt, settings: BodySettings): BodyText =>
  between(before(settings), markedMessages(prompt, settings.nonce), after(prompt.maxTokens, settings));

/** The texts of a content in parts that are not reasoning. */
const answerOf = (choice: JsonObject, isWhole: boolean): string => {
  const piece = choice[isWhole ? 'message' : 'delta'];
  if (!isJsonObject(piece)) return textOf(choice['text']);
  const { content } = piece;
  if (!Array.isArray(content)) return textOf(content);
  return content
    .map(part => {
      if (!isJsonObject(part)) return textOf(part);
      return part['type'] === 'thinking' || part['type'] === 'reasoning' ? '' : textOf(part['text']);
    })
    .join('');
};

/** A stream has its text in the choice's delta, a whole reply in its message. */
const contentOf: ChoiceContent = (choice, isWhole, reported) => {
  let carries = reported.text(textOf(choice['text']));
  const piece = choice[isWhole ? 'message' : 'delta'];
  if (!isJsonObject(piece)) return carries;
  carries |= reasoningCarries(piece, reported);
  carries |= reported.other(textOf(piece['refusal']));
  carries |= contentCarries(piece['content'], reported);
  carries |= audioCarries(piece['audio'], reported);
  const calls = piece['tool_calls'];
  if (Array.isArray(calls)) {
    for (const call of calls) if (isJsonObject(call)) carries |= functionCarries(call['function'], reported);
  }
  return carries | functionCarries(piece['function_call'], reported);
};

/** A text, or a list of parts: texts, and reasoning, which is a text or a list again (Mistral's and Anthropic's). */
const contentCarries = (content: unknown, reported: ReplyText): number => {
  if (!Array.isArray(content)) return reported.text(textOf(content));
  let carries = CARRIES_NOTHING;
  for (const part of content) {
    carries |= reported.text(textOf(part));
    if (!isJsonObject(part)) continue;
    const { type, text, thinking } = part;
    const isThinking = type === 'thinking' || type === 'reasoning';
    carries |= isThinking ? reported.thought(textOf(text)) : reported.text(textOf(text));
    carries |= thoughtCarries(thinking, reported);
  }
  return carries;
};

/** Sound in base64, which is no text to hash or to count, and its transcript. */
const audioCarries = (audio: unknown, reported: ReplyText): number => {
  if (!isJsonObject(audio)) return CARRIES_NOTHING;
  const sound = textOf(audio['data']) === '' ? CARRIES_NOTHING : CARRIES_ANSWER;
  return sound | reported.text(textOf(audio['transcript']));
};

const functionCarries = (piece: unknown, reported: ReplyText): number =>
  isJsonObject(piece)
    ? reported.other(textOf(piece['name'])) | reported.other(textOf(piece['arguments']))
    : CARRIES_NOTHING;
