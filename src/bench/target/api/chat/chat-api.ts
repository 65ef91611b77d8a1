// OpenAI's chat completions, which most servers understand. Reasoning has two names, calls of tools may be of the old kind,
// and a content may be a text or a list of parts.

import { parsed } from '../../../../core/figure/parse-figure.ts';
import type { JsonObject } from '../../../../core/json.ts';
import { isJsonObject } from '../../../../core/json.ts';
import type { Prompt } from '../../../dataset/prompt.ts';
import type { AnswerHash } from '../answer-hash.ts';
import { textOf } from '../json-reply.ts';
import { ASSISTANT_ENTRY, between, markedMessages } from '../marked-messages.ts';
import type { ChoiceContent } from '../openai/openai-api.ts';
import { bodyEnd, OPENAI, OpenAiReply } from '../openai/openai-api.ts';
import type { BodySettings, BodyText, ServerApi } from '../server-api.ts';
import { CARRIES_ANSWER, CARRIES_NOTHING, CARRIES_REASONING } from '../server-api.ts';

export const chatApi: ServerApi = {
  ...OPENAI,
  name: 'chat',
  endpoint: '/chat/completions',
  body: (prompt, settings) => parsed(bodyOf(prompt, settings)),
  conversation: {
    before: settings => parsed(before(settings)),
    after: (maxTokens, settings) => after(maxTokens, settings),
    entries: (messages, { nonce }) => parsed(markedMessages({ messages }, nonce)),
    answer: ASSISTANT_ENTRY,
  },
  newReply: () => new OpenAiReply(contentOf, answerOf),
};

const before = ({ model }: BodySettings): string => `{"model":${JSON.stringify(model)},"messages":[`;

const after = (maxTokens: number | undefined, settings: BodySettings): string =>
  `]${bodyEnd(maxTokens, settings)}`;

const bodyOf = (prompt: Prompt, settings: BodySettings): BodyText =>
  between(before(settings), markedMessages(prompt, settings.nonce), after(prompt.maxTokens, settings));

/** Of a content in parts, the texts that are no thinking. */
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
const contentOf: ChoiceContent = (choice, isWhole, hash) => {
  let carries = hash.add(textOf(choice['text'])) ? CARRIES_ANSWER : CARRIES_NOTHING;
  const piece = choice[isWhole ? 'message' : 'delta'];
  if (!isJsonObject(piece)) return carries;
  if (hash.add(textOf(piece['reasoning_content']) || textOf(piece['reasoning'])))
    carries |= CARRIES_REASONING;
  if (hash.add(textOf(piece['refusal']))) carries |= CARRIES_ANSWER;
  carries |= contentCarries(piece['content'], hash);
  const calls = piece['tool_calls'];
  if (Array.isArray(calls)) {
    for (const call of calls)
      if (isJsonObject(call) && hasFunctionPiece(call['function'], hash)) carries |= CARRIES_ANSWER;
  }
  if (hasFunctionPiece(piece['function_call'], hash)) carries |= CARRIES_ANSWER;
  return carries;
};

/** A text, or a list of parts: texts, and what the model thinks, which is a text or a list again (Mistral's and Anthropic's). */
const contentCarries = (content: unknown, hash: AnswerHash): number => {
  if (!Array.isArray(content)) return hash.add(textOf(content)) ? CARRIES_ANSWER : CARRIES_NOTHING;
  let carries = CARRIES_NOTHING;
  for (const part of content) {
    if (hash.add(textOf(part))) carries |= CARRIES_ANSWER;
    if (!isJsonObject(part)) continue;
    const { type, text, thinking } = part;
    const isThinking = type === 'thinking' || type === 'reasoning';
    if (hash.add(textOf(text))) carries |= isThinking ? CARRIES_REASONING : CARRIES_ANSWER;
    if (hasThought(thinking, hash)) carries |= CARRIES_REASONING;
  }
  return carries;
};

const hasThought = (thinking: unknown, hash: AnswerHash): boolean => {
  if (!Array.isArray(thinking)) return hash.add(textOf(thinking));
  let has = false;
  for (const part of thinking) if (isJsonObject(part) && hash.add(textOf(part['text']))) has = true;
  return has;
};

const hasFunctionPiece = (piece: unknown, hash: AnswerHash): boolean => {
  if (!isJsonObject(piece)) return false;
  const hasName = hash.add(textOf(piece['name']));
  return hash.add(textOf(piece['arguments'])) || hasName;
};
