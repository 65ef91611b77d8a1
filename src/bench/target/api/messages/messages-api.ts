// Messages as Anthropic has them, which vLLM, llama.cpp and Ollama serve too: blocks that begin, grow and end, usage told in
// two halves, and a prompt's tokens without those that came from a cache. Shapes: Anthropic's "Messages" and "Streaming".

import type { Parsed } from '../../../../core/figure/parse-figure.ts';
import { parsed, wrong } from '../../../../core/figure/parse-figure.ts';
import type { JsonObject } from '../../../../core/json.ts';
import { isJsonObject } from '../../../../core/json.ts';
import { NO_FIGURE } from '../../../../core/run/event-record.ts';
import type { FinishReason } from '../../../../core/run/outcome.ts';
import type { Message } from '../../../dataset/message.ts';
import type { Prompt } from '../../../dataset/prompt.ts';
import { merged } from '../../request-fields.ts';
import type { AnswerHash } from '../answer-hash.ts';
import { JsonReply, textOf, tokenCount } from '../json-reply.ts';
import { between, markedMessages } from '../marked-messages.ts';
import { OPENAI } from '../openai/openai-api.ts';
import type { BodySettings, BodyText, ServerApi } from '../server-api.ts';
import { CARRIES_ANSWER, CARRIES_NOTHING, CARRIES_REASONING } from '../server-api.ts';

export const messagesApi: ServerApi = {
  ...OPENAI,
  name: 'messages',
  endpoint: '/messages',
  lengthFields: [],
  headers: [{ name: 'anthropic-version', value: '2023-06-01' }],
  withoutEnd: 'the reply ended without message_stop and without a stop reason',
  body: (prompt, settings) => bodyOf(prompt, settings),
  newReply: () => new MessagesReply(),
};

const bodyOf = ({ prefix, messages, maxTokens }: Prompt, settings: BodySettings): Parsed<BodyText> => {
  const systems = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  const others = messages.filter(({ role }) => role !== 'system').map(withImages);
  const texts = [prefix, ...systems].filter(text => text !== undefined && text !== null);
  if (!texts.every(text => typeof text === 'string') || others.length === 0) {
    return wrong(
      'its system prompt is no text, or it has nothing else, but messages take both apart',
      'Give it a text as the system message, and a message of a user.',
    );
  }
  const system = texts.length === 0 ? '' : `"system":${JSON.stringify(texts.join('\n\n'))},`;
  const own = {
    // The API has no default for it.
    max_tokens: maxTokens ?? TOKENS_WITHOUT_LIMIT,
    stream: settings.isStreaming,
  };
  return parsed(
    between(
      `{"model":${JSON.stringify(settings.model)},${system}"messages":[`,
      markedMessages({ messages: others }, settings.nonce),
      `],${JSON.stringify(merged(own, settings.fields.added)).slice(1)}`,
    ),
  );
};

/** A picture in a data URL, as chat has it, is a source in base64 here. */
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
        return blockCarries(block, this.answer);
      case 'content_block_delta':
        return deltaCarries(delta, this.answer);
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
    if (Array.isArray(content)) for (const block of content) carries |= blockCarries(block, this.answer);
    return carries;
  }

  #stopped(reason: unknown): void {
    if (typeof reason === 'string' && reason !== '') this.finishReason = STOP_REASONS.get(reason) ?? 'other';
  }

  /** Cumulative: what comes later replaces what came before. */
  #usage(usage: JsonObject): void {
    const output = tokenCount(usage['output_tokens']);
    if (output !== NO_FIGURE) this.outputTokens = output;
    const fresh = tokenCount(usage['input_tokens']);
    if (fresh === NO_FIGURE) return;
    const read = tokenCount(usage['cache_read_input_tokens']);
    const written = tokenCount(usage['cache_creation_input_tokens']);
    this.inputTokens = fresh + Math.max(0, read) + Math.max(0, written);
    if (read !== NO_FIGURE) this.cachedTokens = read;
  }
}

const blockCarries = (block: unknown, answer: AnswerHash): number => {
  if (!isJsonObject(block)) return CARRIES_NOTHING;
  const { type, name, input, text, thinking } = block;
  if (type === 'tool_use') {
    answer.add(`${textOf(name)} ${isJsonObject(input) ? JSON.stringify(input) : ''}`);
    return CARRIES_ANSWER;
  }
  if (type === 'thinking') return answer.add(textOf(thinking)) ? CARRIES_REASONING : CARRIES_NOTHING;
  return answer.add(textOf(text)) ? CARRIES_ANSWER : CARRIES_NOTHING;
};

const deltaCarries = (delta: unknown, answer: AnswerHash): number => {
  if (!isJsonObject(delta)) return CARRIES_NOTHING;
  const { text, thinking, partial_json: json } = delta;
  if (answer.add(textOf(text) || textOf(json))) return CARRIES_ANSWER;
  return answer.add(textOf(thinking)) ? CARRIES_REASONING : CARRIES_NOTHING;
};

const STOP_REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['refusal', 'content_filter'],
]);
/** Where neither a person nor the data set limits an answer. */
const TOKENS_WITHOUT_LIMIT = 4_096;
