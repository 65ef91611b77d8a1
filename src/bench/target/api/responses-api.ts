// OpenAI's responses: a stream of events with a type each, the last of which has the whole response and its usage.
// There is no [DONE]. Shapes: OpenAI's reference of "responses" and of its streaming events; vLLM and llama.cpp write
// the same.

import { parsed } from '../../../core/figure/parse-figure.ts';
import { isJsonObject, type JsonObject } from '../../../core/json.ts';
import type { Message } from '../../dataset/message.ts';
import type { Prompt } from '../../dataset/prompt.ts';
import { merged } from '../request-fields.ts';
import { errorOf } from './error-message.ts';
import { JsonReply, reasoningOf, textOf, tokenCount } from './json-reply.ts';
import { between, markedMessages, noTokenIds } from './marked-messages.ts';
import { OPENAI } from './openai-api.ts';
import { thoughtCarries } from './reasoning-fields.ts';
import type { ReplyText } from './reply-text.ts';
import {
  type BodySettings,
  type BodyText,
  CARRIES_ANSWER,
  CARRIES_NOTHING,
  CARRIES_REASONING,
  type ServerApi,
} from './server-api.ts';

export const responsesApi: ServerApi = {
  ...OPENAI,
  name: 'responses',
  endpoint: '/responses',
  lengthFields: [],
  withoutEnd: 'the reply ended without response.completed or response.incomplete',
  body: (prompt, settings) =>
    prompt.tokenIds === undefined ? parsed(bodyOf(prompt, settings)) : noTokenIds('responses'),
  conversation: {
    before: settings => parsed(before(settings)),
    after: (maxTokens, settings) => after(maxTokens, settings, false),
    kept: {
      before: ({ model }) => `{"model":${JSON.stringify(model)},`,
      previous: { before: '"previous_response_id":"', after: '",' },
      list: '"input":[',
      after: (maxTokens, settings) => after(maxTokens, settings, true),
    },
    entries: (messages, { nonce }) =>
      parsed(markedMessages({ messages: messages.map(typed) }, nonce, 'input_text')),
    answer: { before: '{"type":"message","role":"assistant",', after: '}' },
  },
  newReply: () => new ResponsesReply(),
};

const before = ({ model }: BodySettings): string => `{"model":${JSON.stringify(model)},"input":[`;

const after = (
  maxTokens: number | undefined,
  { isStreaming, fields }: BodySettings,
  isStored: boolean,
): string => {
  const own = {
    ...(maxTokens === undefined ? {} : { max_output_tokens: maxTokens }),
    stream: isStreaming,
    // Unless the next turn refers to it, it is not needed again, and a server need not store it.
    store: isStored,
  };
  return `],${JSON.stringify(merged(own, fields.added)).slice(1)}`;
};

const bodyOf = (prompt: Prompt, settings: BodySettings): BodyText =>
  between(
    before(settings),
    markedMessages({ ...prompt, messages: prompt.messages.map(typed) }, settings.nonce, 'input_text'),
    after(prompt.maxTokens, settings, false),
  );

/** An earlier answer of the model needs the type "message": llama.cpp refuses it without, OpenAI accepts both. */
const typed = (message: Message): Message =>
  message.role === 'assistant' ? { type: 'message', ...message } : message;

class ResponsesReply extends JsonReply {
  #id = '';

  get keptId(): string {
    return this.#id;
  }

  override reset(): void {
    super.reset();
    this.#id = '';
  }

  protected read(json: JsonObject, isWhole: boolean): number {
    if (isWhole) return this.#response(json, true);
    const { type, delta, response } = json;
    switch (type) {
      case 'response.created':
      case 'response.in_progress':
        if (isJsonObject(response)) this.#named(response);
        return CARRIES_NOTHING;
      case 'response.output_text.delta':
        this.keptAnswer.add(textOf(delta));
        return this.reported.text(textOf(delta));
      case 'response.refusal.delta':
      case 'response.function_call_arguments.delta':
        return this.reported.other(textOf(delta));
      case 'response.reasoning_text.delta':
      case 'response.reasoning_summary_text.delta':
      // vLLM and others before the names were final.
      case 'response.reasoning.delta':
      case 'response.reasoning_summary.delta':
        return thoughtCarries(delta, this.reported);
      case 'response.output_item.done':
        return encryptedCarries(json['item']);
      case 'response.output_item.added': {
        // The name of a function is the first visible part of a call, as in chat.
        const { item } = json;
        if (!isJsonObject(item) || item['type'] !== 'function_call') return CARRIES_NOTHING;
        this.reported.other(textOf(item['name']));
        return CARRIES_ANSWER;
      }
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        if (isJsonObject(response)) this.#response(response, false);
        else this.defect = { kind: 'malformed', detail: `${type} has no response` };
        if (this.defect === undefined) this.isDone = true;
        return CARRIES_NOTHING;
      default:
        return CARRIES_NOTHING;
    }
  }

  /** The whole response, which ends a stream too. */
  #response(response: JsonObject, isContent: boolean): number {
    const { status, usage, output, incomplete_details: incomplete } = response;
    this.#named(response);
    if (isJsonObject(usage)) this.#usage(usage);
    if (status === 'failed') {
      this.defect = { kind: 'error-frame', detail: errorOf(response) || 'the response is failed' };
      return CARRIES_NOTHING;
    }
    const items = Array.isArray(output) ? output.filter(isJsonObject) : [];
    const why = isJsonObject(incomplete) ? textOf(incomplete['reason']) : '';
    this.finished(finishOf(textOf(status), why, items), errorOf(response));
    if (this.defect !== undefined) return CARRIES_NOTHING;
    if (!isContent) return CARRIES_NOTHING;
    let carries = CARRIES_NOTHING;
    for (const item of items) {
      carries |= itemCarries(item, this.reported);
      if (item['type'] === 'message') this.keptAnswer.add(outputText(item['content']));
    }
    return carries;
  }

  #named({ id, model }: JsonObject): void {
    this.model ||= textOf(model);
    this.#id ||= textOf(id);
  }

  #usage(usage: JsonObject): void {
    const { input_tokens: input, output_tokens: output, input_tokens_details: ofInput } = usage;
    const { total_tokens: total, output_tokens_details: ofOutput } = usage;
    this.counted({ input: tokenCount(input), output: tokenCount(output), total: tokenCount(total) });
    if (isJsonObject(ofInput)) this.cachedTokens = tokenCount(ofInput['cached_tokens']);
    if (isJsonObject(ofOutput)) this.reasoningTokens = reasoningOf(ofOutput);
  }
}

const finishOf = (status: string, why: string, items: readonly JsonObject[]): string => {
  if (status === 'incomplete') return why === 'max_output_tokens' ? 'length' : why || status;
  if (status === 'cancelled') return status;
  return items.some(({ type }) => type === 'function_call') ? 'tool_calls' : 'stop';
};

const itemCarries = (item: JsonObject, reported: ReplyText): number => {
  const { type, content, summary } = item;
  if (type === 'function_call') {
    reported.other(textOf(item['name']));
    reported.other(textOf(item['arguments']));
    return CARRIES_ANSWER;
  }
  if (type === 'message') {
    let carries = CARRIES_NOTHING;
    for (const part of partsOf(content))
      carries |= reported.text(textOf(part['text'])) | reported.other(textOf(part['refusal']));
    return carries;
  }
  if (type !== 'reasoning') return CARRIES_NOTHING;
  let carries = encryptedCarries(item);
  for (const part of [...partsOf(content), ...partsOf(summary)])
    carries |= reported.thought(textOf(part['text']));
  return carries;
};

/** Encrypted reasoning counts, too. */
const encryptedCarries = (item: unknown): number =>
  isJsonObject(item) && item['type'] === 'reasoning' && textOf(item['encrypted_content']) !== ''
    ? CARRIES_REASONING
    : CARRIES_NOTHING;

const partsOf = (parts: unknown): readonly JsonObject[] =>
  Array.isArray(parts) ? parts.filter(isJsonObject) : [];

const outputText = (parts: unknown): string =>
  partsOf(parts)
    .map(({ text }) => textOf(text))
    .join('');
