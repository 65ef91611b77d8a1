// Anthropic's Messages, which vLLM, llama.cpp and Ollama serve too: blocks that begin, grow and end, usage in two
// halves, and prompt tokens that exclude those from a cache. Shapes: Anthropic's "Messages" and "Streaming".

import { type Parsed, parsed, wrong } from '../../../core/figure/parse-figure.ts';
import { isJsonObject, type JsonObject } from '../../../core/json.ts';
import { NO_FIGURE } from '../../../core/run/event-record.ts';
import type { Message } from '../../dataset/message.ts';
import type { Prompt } from '../../dataset/prompt.ts';
import { merged } from '../request-fields.ts';
import { JsonReply, reasoningOf, textOf, tokenCount } from './json-reply.ts';
import { ASSISTANT_ENTRY, between, markedMessages, noTokenIds } from './marked-messages.ts';
import { OPENAI } from './openai-api.ts';
import type { ReplyText } from './reply-text.ts';
import {
  type BodySettings,
  type BodyText,
  CARRIES_ANSWER,
  CARRIES_NOTHING,
  CARRIES_REASONING,
  type ConversationStart,
  type ServerApi,
} from './server-api.ts';

export const messagesApi: ServerApi = {
  ...OPENAI,
  name: 'messages',
  endpoint: '/messages',
  lengthFields: [],
  headers: [{ name: 'anthropic-version', value: '2023-06-01' }],
  withoutEnd: 'the reply ended without message_stop and without a stop reason',
  body: (prompt, settings) =>
    prompt.tokenIds === undefined ? bodyOf(prompt, settings) : noTokenIds('messages'),
  conversation: {
    before: (settings, start) => before(settings, start),
    after: (maxTokens, settings) => after(maxTokens, settings),
    isSystemApart: true,
    entries: (messages, { isFirst, nonce }) => entries(messages, isFirst, nonce),
    answer: ASSISTANT_ENTRY,
  },
  newReply: () => new MessagesReply(),
};

const bodyOf = (prompt: Prompt, settings: BodySettings): Parsed<BodyText> => {
  const head = before(settings, prompt);
  if (head.kind === 'wrong') return head;
  const own = entries(prompt.messages, true, settings.nonce);
  return own.kind === 'wrong'
    ? own
    : parsed(between(head.value, own.value, after(prompt.maxTokens, settings)));
};

const before = ({ model }: BodySettings, { prefix, messages }: ConversationStart): Parsed<string> => {
  const systems = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  const texts = [prefix, ...systems].filter(text => text !== undefined && text !== null);
  if (!texts.every(text => typeof text === 'string') || messages.every(({ role }) => role === 'system')) {
    return wrong(
      'its system prompt is no text, or it has nothing else, but messages take both apart',
      'Give it a text as the system message, and a message of a user.',
    );
  }
  const system = texts.length === 0 ? '' : `"system":${JSON.stringify(texts.join('\n\n'))},`;
  return parsed(`{"model":${JSON.stringify(model)},${system}"messages":[`);
};

/** Without system messages, which precede them all. */
const entries = (
  messages: readonly Message[],
  isFirst: boolean,
  nonce: string | undefined,
): Parsed<BodyText> => {
  const others = messages.filter(({ role }) => role !== 'system').map(withImages);
  if (!isFirst && others.length < messages.length)
    return wrong(
      'it has a system prompt in the middle of a conversation, and messages take one at its start only',
      'Put it before the first message of a user, or use --api chat.',
    );
  return parsed(markedMessages({ messages: others }, nonce));
};

const after = (maxTokens: number | undefined, { isStreaming, fields }: BodySettings): string => {
  const own = {
    // The API requires it.
    max_tokens: maxTokens ?? TOKENS_WITHOUT_LIMIT,
    stream: isStreaming,
  };
  return `],${JSON.stringify(merged(own, fields.added)).slice(1)}`;
};

/** A data URL of chat becomes a base64 source here. */
const withImages = (message: Message): Message =>
  Array.isArray(message.content) ? { ...message, content: message.content.map(imagePart) } : message;

const imagePart = (part: object): object => {
  const image = isJsonObject(part) ? part['image_url'] : undefined;
  const url = isJsonObject(image) ? textOf(image['url']) : '';
  const [, type, data] = /^data:(image\/[\w.+-]+);base64,(.*)$/s.exec(url) ?? [];
  if (type !== undefined) return { type: 'image', source: { type: 'base64', media_type: type, data } };
  return url === '' ? part : { type: 'image', source: { type: 'url', url } };
};

class MessagesReply extends JsonReply {
  protected read(json: JsonObject, isWhole: boolean): number {
    if (isWhole) return this.#message(json);
    const { type, message, content_block: block, delta, usage } = json;
    switch (type) {
      case 'message_start':
        return isJsonObject(message) ? this.#message(message) : CARRIES_NOTHING;
      case 'content_block_start':
        this.#keep(block);
        return blockCarries(block, this.reported);
      case 'content_block_delta':
        this.#keep(delta);
        return deltaCarries(delta, this.reported);
      case 'message_delta':
        if (isJsonObject(usage)) this.#usage(usage);
        if (isJsonObject(delta)) this.#stopped(delta['stop_reason']);
        return CARRIES_NOTHING;
      case 'message_stop':
        this.isDone = true;
        return CARRIES_NOTHING;
      default:
        return CARRIES_NOTHING;
    }
  }

  #message(message: JsonObject): number {
    const { usage, content, stop_reason: reason } = message;
    this.model ||= textOf(message['model']);
    if (isJsonObject(usage)) this.#usage(usage);
    this.#stopped(reason);
    let carries = CARRIES_NOTHING;
    for (const block of Array.isArray(content) ? content : []) {
      this.#keep(block);
      carries |= blockCarries(block, this.reported);
    }
    return carries;
  }

  /** A block of text, or a piece of one: nothing else has a `text`. */
  #keep(part: unknown): void {
    if (isJsonObject(part)) this.keptAnswer.add(textOf(part['text']));
  }

  #stopped(reason: unknown): void {
    if (typeof reason === 'string' && reason !== '') this.finished(reason);
  }

  /** Cumulative: later values replace earlier ones. */
  #usage(usage: JsonObject): void {
    const fresh = tokenCount(usage['input_tokens']);
    const read = tokenCount(usage['cache_read_input_tokens']);
    const written = tokenCount(usage['cache_creation_input_tokens']);
    this.counted({
      input: fresh === NO_FIGURE ? NO_FIGURE : fresh + Math.max(0, read) + Math.max(0, written),
      output: tokenCount(usage['output_tokens']),
    });
    const { output_tokens_details: ofOutput } = usage;
    if (isJsonObject(ofOutput)) this.reasoningTokens = reasoningOf(ofOutput);
    if (fresh !== NO_FIGURE && read !== NO_FIGURE) this.cachedTokens = read;
  }
}

const blockCarries = (block: unknown, reported: ReplyText): number => {
  if (!isJsonObject(block)) return CARRIES_NOTHING;
  const { type, name, input, text, thinking, data } = block;
  if (type === 'tool_use') {
    reported.other(`${textOf(name)} ${isJsonObject(input) ? JSON.stringify(input) : ''}`);
    return CARRIES_ANSWER;
  }
  // Redacted reasoning is encrypted: it counts, but cannot be read.
  if (type === 'redacted_thinking') return textOf(data) === '' ? CARRIES_NOTHING : CARRIES_REASONING;
  if (type === 'thinking') return reported.thought(textOf(thinking));
  return reported.text(textOf(text));
};

const deltaCarries = (delta: unknown, reported: ReplyText): number => {
  if (!isJsonObject(delta)) return CARRIES_NOTHING;
  const { text, thinking, partial_json: json } = delta;
  return reported.text(textOf(text)) | reported.other(textOf(json)) | reported.thought(textOf(thinking));
};

/** If neither the user nor the data set limits an answer. */
const TOKENS_WITHOUT_LIMIT = 4_096;
