// What OpenAI's completion endpoints have in common: where they stand, the list of models, the end of a body, and replies.
// Servers differ in much: usage comes last, with the finish chunk or in every chunk, errors in three shapes.

import type { JsonObject } from '../../../../core/json.ts';
import { isJsonObject } from '../../../../core/json.ts';
import { NO_FIGURE } from '../../../../core/run/event-record.ts';
import { isFinishReason } from '../../../../core/run/outcome.ts';
import { type Unknown, unknown } from '../../../../core/unknown.ts';
import { lengthFieldsJson, merged } from '../../request-fields.ts';
import type { AnswerHash } from '../answer-hash.ts';
import { JsonReply, textOf, tokenCount } from '../json-reply.ts';
import type { BodySettings, ModelList, ServerApi } from '../server-api.ts';
import { CARRIES_NOTHING } from '../server-api.ts';

export const OPENAI: Pick<
  ServerApi,
  'root' | 'canStream' | 'framing' | 'writesAnswers' | 'lengthFields' | 'models' | 'withoutEnd'
> = {
  root: '/v1',
  canStream: true,
  framing: 'events',
  writesAnswers: true,
  lengthFields: ['min_tokens', 'ignore_eos'],
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

/** What a choice of a chunk, or of a whole reply, carries: CARRIES_…. Its texts go into the hash. */
export type ChoiceContent = (choice: JsonObject, isWhole: boolean, hash: AnswerHash) => number;

/** What the choice says in words, without reasoning. */
export type ChoiceText = (choice: JsonObject, isWhole: boolean) => string;

/** What has come of a reply: the endpoints differ only in where a choice keeps its text. */
export class OpenAiReply extends JsonReply {
  readonly #contentOf: ChoiceContent;
  readonly #answerOf: ChoiceText;
  /** Choice to whether it has finished. */
  readonly #choices: Map<number, boolean> = new Map();

  constructor(contentOf: ChoiceContent, answerOf: ChoiceText) {
    super();
    this.#contentOf = contentOf;
    this.#answerOf = answerOf;
  }

  override reset(): void {
    super.reset();
    this.#choices.clear();
  }

  override get hasFinished(): boolean {
    if (this.#choices.size === 0) return false;
    for (const hasFinished of this.#choices.values()) if (!hasFinished) return false;
    return true;
  }

  protected read({ choices, usage, timings }: JsonObject, isWhole: boolean): number {
    if (isJsonObject(usage)) this.#usage(usage);
    if (isJsonObject(timings)) this.timed(timings);
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
    const cached = isJsonObject(ofInput) ? ofInput['cached_tokens'] : usage['prompt_cache_hit_tokens'];
    const predicted = isJsonObject(ofOutput) ? ofOutput['accepted_prediction_tokens'] : undefined;
    if (tokenCount(input) !== NO_FIGURE) this.inputTokens = tokenCount(input);
    if (tokenCount(output) !== NO_FIGURE) this.outputTokens = tokenCount(output);
    if (tokenCount(cached) !== NO_FIGURE) this.cachedTokens = tokenCount(cached);
    if (tokenCount(predicted) !== NO_FIGURE) this.predictedTokens = tokenCount(predicted);
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
    // A conversation goes on with the first of several answers.
    if (this.keptAnswer.isKept && number === 0) this.keptAnswer.add(this.#answerOf(choice, isWhole));
    if (this.parts.isKept && number === 0) this.#keepParts(choice[isWhole ? 'message' : 'delta']);
    return this.#contentOf(choice, isWhole, this.answer);
  }

  #keepParts(piece: unknown): void {
    if (!isJsonObject(piece)) return;
    this.parts.addText(textOf(piece['content']));
    const { tool_calls: calls } = piece;
    if (!Array.isArray(calls)) return;
    for (const [at, call] of calls.entries()) {
      const called = isJsonObject(call) ? call['function'] : undefined;
      if (!isJsonObject(call) || !isJsonObject(called)) continue;
      const index = typeof call['index'] === 'number' ? call['index'] : at;
      this.parts.addCall(index, textOf(called['name']), textOf(called['arguments']));
    }
  }
}

/** What servers write into `owned_by` of their models. */
const SERVER_KINDS: ReadonlyMap<string, string> = new Map([
  ['vllm', 'vLLM'],
  ['sglang', 'SGLang'],
  ['llamacpp', 'llama.cpp'],
  ['library', 'Ollama'],
  ['plimsoll-mock', 'Plimsoll mock'],
]);
