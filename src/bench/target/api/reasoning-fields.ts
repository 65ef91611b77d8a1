// Where a delta or a message has its reasoning: each server and gateway has its own field, and some have the same
// text in two of them, which counts once.

import { isJsonObject, type JsonObject } from '../../../core/json.ts';
import { textOf } from './json-reply.ts';
import type { ReplyText } from './reply-text.ts';
import { CARRIES_NOTHING, CARRIES_REASONING } from './server-api.ts';

/** @returns CARRIES_… */
export const reasoningCarries = (piece: JsonObject, reported: ReplyText): number => {
  for (const field of REASONING_TEXTS) {
    const carries = thoughtCarries(piece[field], reported);
    if (carries !== CARRIES_NOTHING) return carries;
  }
  let carries = CARRIES_NOTHING;
  for (const field of REASONING_LISTS) {
    const details = piece[field];
    for (const detail of Array.isArray(details) ? details : []) carries |= detailCarries(detail, reported);
    if (carries !== CARRIES_NOTHING) return carries;
  }
  return carries;
};

/** A text, an object around one, or a list of such objects (Mistral's). */
export const thoughtCarries = (thinking: unknown, reported: ReplyText): number => {
  if (!Array.isArray(thinking)) return reported.thought(textIn(thinking));
  let carries = CARRIES_NOTHING;
  for (const part of thinking) carries |= reported.thought(textIn(part));
  return carries;
};

const textIn = (value: unknown): string =>
  isJsonObject(value) ? textOf(value['text']) || textOf(value['content']) : textOf(value);

/**
 * OpenRouter's `reasoning.text`, `reasoning.summary` and `reasoning.encrypted`, and Anthropic's blocks as LiteLLM
 * passes them on. Encrypted reasoning counts as reasoning without text.
 */
const detailCarries = (detail: unknown, reported: ReplyText): number => {
  if (!isJsonObject(detail)) return CARRIES_NOTHING;
  const text = DETAIL_TEXTS.map(field => textOf(detail[field])).find(each => each !== '');
  if (text !== undefined) return reported.thought(text);
  return textOf(detail['data']) === '' ? CARRIES_NOTHING : CARRIES_REASONING;
};

/**
 * DeepSeek, vLLM before 0.12, SGLang and llama.cpp; vLLM, Ollama's OpenAI endpoint, OpenRouter and Groq; Ollama's own and gateways
 * that keep Anthropic's name; GitHub Copilot.
 */
const REASONING_TEXTS = ['reasoning_content', 'reasoning', 'thinking', 'reasoning_text'] as const;
const REASONING_LISTS = ['reasoning_details', 'thinking_blocks'] as const;
const DETAIL_TEXTS = ['text', 'summary', 'thinking', 'content'] as const;
