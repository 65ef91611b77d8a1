// What OpenAI's completion endpoints have in common: where they stand, the list of models, the end of a body, and replies.
// Servers differ in much: usage comes last, with the finish chunk or in every chunk, errors in three shapes.

import type { JsonObject } from '../../../../core/json.ts';
import { isJsonObject, parseAnyJson } from '../../../../core/json.ts';
import { NO_FIGURE } from '../../../../core/run/event-record.ts';
import type { FinishReason } from '../../../../core/run/outcome.ts';
import { isFinishReason } from '../../../../core/run/outcome.ts';
import { type Unknown, unknown } from '../../../../core/unknown.ts';
import { lengthFieldsJson, merged } from '../../request-fields.ts';
import type { ApiReply, BodySettings, ModelList, ReplyDefect, ServerApi } from '../server-api.ts';
import { CARRIES_NOTHING } from '../server-api.ts';

export const OPENAI: Pick<ServerApi, 'root' | 'canStream' | 'models' | 'withoutEnd'> = {
  root: '/v1',
  canStream: true,
  models: {
    path: '/models',
    read: (json): ModelList | Unknown => {
      const data = isJsonObject(json) ? json['data'] : undefined;
      if (!Array.isArray(data)) return unknown('its list of models has no "data"');
      const models = data.filter(isJsonObject);
      const ids = models.map(({ id }) => id).filter(id => typeof id === 'string');
      const owners = models.map(({ owned_by: owner }) => (typeof owner === 'string' ? owner : ''));
      const kinds = owners.map(owner => SERVER_KINDS.get(owner.toLowerCase()));
      return {
        ids,
        serverKind: kinds.find(kind => kind !== undefined) ?? unknown('the server does not report it'),
      };
    },
  },
  withoutEnd: 'the reply ended without [DONE] and without a finish reason',
};

/** The fields behind the prompt, with the object's end. */
export const bodyEnd = (
  maxTokens: number | undefined,
  { isStreaming, fields: { lengthFields, added } }: BodySettings,
): string => {
  const own = {
    ...(maxTokens === undefined
      ? {}
      : { max_tokens: maxTokens, ...lengthFieldsJson(lengthFields, maxTokens) }),
    stream: isStreaming,
    // Without usage nobody knows how many tokens came.
    ...(isStreaming ? { stream_options: { include_usage: true } } : {}),
  };
  return `,${JSON.stringify(merged(own, added)).slice(1)}`;
};

/** What a choice of a chunk, or of a whole reply, carries: CARRIES_…. */
export type ChoiceContent = (choice: JsonObject, isWhole: boolean) => number;

/** What has come of a reply: the endpoints differ only in where a choice keeps its text. */
export class OpenAiReply implements ApiReply {
  isDone = false;
  finishReason: FinishReason = 'missing';
  inputTokens: number = NO_FIGURE;
  outputTokens: number = NO_FIGURE;
  cachedTokens: number = NO_FIGURE;
  predictedTokens: number = NO_FIGURE;
  model = '';
  defect: ReplyDefect | undefined;
  readonly #contentOf: ChoiceContent;
  /** Choice to whether it has finished. */
  readonly #choices: Map<number, boolean> = new Map();

  constructor(contentOf: ChoiceContent) {
    this.#contentOf = contentOf;
  }

  reset(): void {
    this.isDone = false;
    this.finishReason = 'missing';
    this.inputTokens = NO_FIGURE;
    this.outputTokens = NO_FIGURE;
    this.cachedTokens = NO_FIGURE;
    this.predictedTokens = NO_FIGURE;
    this.model = '';
    this.defect = undefined;
    this.#choices.clear();
  }

  get hasEnded(): boolean {
    return this.isDone || this.hasFinished;
  }

  get hasFinished(): boolean {
    if (this.#choices.size === 0) return false;
    for (const hasFinished of this.#choices.values()) if (!hasFinished) return false;
    return true;
  }

  event(bytes: Buffer, start: number, end: number, isErrorEvent: boolean): number {
    if (this.isDone || this.defect !== undefined) return CARRIES_NOTHING;
    if (isDoneMark(bytes, start, end)) {
      this.isDone = true;
      return CARRIES_NOTHING;
    }
    return this.#read(bytes.toString('utf8', start, end), false, isErrorEvent);
  }

  document(text: string): number {
    const carries = this.#read(text, true, false);
    if (this.defect === undefined) this.isDone = true;
    return carries;
  }

  #read(text: string, isWhole: boolean, isErrorEvent: boolean): number {
    const json = parseAnyJson(text);
    if (!isJsonObject(json)) {
      this.defect = isErrorEvent
        ? { kind: 'error-frame', detail: text.slice(0, DETAIL_LENGTH_MAX) }
        : { kind: 'malformed', detail: `not a JSON object: ${text.slice(0, DETAIL_LENGTH_MAX)}` };
      return CARRIES_NOTHING;
    }
    const error = errorOf(json);
    if (error !== '' || isErrorEvent) {
      this.defect = { kind: 'error-frame', detail: error || text.slice(0, DETAIL_LENGTH_MAX) };
      return CARRIES_NOTHING;
    }
    const { choices, usage, model } = json;
    if (this.model === '' && typeof model === 'string') this.model = model;
    if (isJsonObject(usage)) this.#usage(usage);
    let carries = CARRIES_NOTHING;
    if (Array.isArray(choices)) {
      for (const choice of choices) if (isJsonObject(choice)) carries |= this.#choice(choice, isWhole);
    }
    return carries;
  }

  #usage(usage: JsonObject): void {
    const {
      prompt_tokens: input,
      completion_tokens: output,
      prompt_tokens_details: ofInput,
      completion_tokens_details: ofOutput,
    } = usage;
    if (isTokenCount(input)) this.inputTokens = input;
    if (isTokenCount(output)) this.outputTokens = output;
    const cached = isJsonObject(ofInput) ? ofInput['cached_tokens'] : usage['prompt_cache_hit_tokens'];
    if (isTokenCount(cached)) this.cachedTokens = cached;
    const predicted = isJsonObject(ofOutput) ? ofOutput['accepted_prediction_tokens'] : undefined;
    if (isTokenCount(predicted)) this.predictedTokens = predicted;
  }

  #choice(choice: JsonObject, isWhole: boolean): number {
    const { index, finish_reason: reason } = choice;
    const number = typeof index === 'number' ? index : 0;
    const hasFinished = typeof reason === 'string' && reason !== '';
    // A chunk after the finish chunk does not open the choice again.
    if (!this.#choices.get(number)) this.#choices.set(number, hasFinished);
    if (hasFinished && this.finishReason === 'missing') {
      this.finishReason = isFinishReason(reason) && reason !== 'missing' ? reason : 'other';
    }
    return this.#contentOf(choice, isWhole);
  }
}

/** '' for what is no text. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** `error` may be null, a text or an object with a message; vLLM also sends `object: "error"` with the message beside it. */
const errorOf = (json: JsonObject): string => {
  const { error } = json;
  if (isJsonObject(error)) {
    const { message, code } = error;
    return textOf(message) || textOf(code) || JSON.stringify(error).slice(0, 300);
  }
  if (typeof error === 'string' && error !== '') return error;
  if (json['object'] === 'error') return textOf(json['message']) || 'an error without a message';
  return '';
};

const isTokenCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

/** "[DONE]", white space around it allowed. */
const isDoneMark = (bytes: Buffer, start: number, end: number): boolean => {
  if (bytes[start] !== DONE[0] && bytes[start] !== 0x20) return false;
  return end - start < 32 && bytes.toString('latin1', start, end).trim() === '[DONE]';
};

/** What servers write into `owned_by` of their models. */
const SERVER_KINDS: ReadonlyMap<string, string> = new Map([
  ['vllm', 'vLLM'],
  ['sglang', 'SGLang'],
  ['llamacpp', 'llama.cpp'],
  ['library', 'Ollama'],
  ['plimsoll-mock', 'Plimsoll mock'],
]);
const DONE = Buffer.from('[DONE]');
const DETAIL_LENGTH_MAX = 200;
