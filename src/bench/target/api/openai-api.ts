// What OpenAI's completion endpoints share: their paths, the list of models, the end of a body, and replies. Servers
// differ widely: usage comes last, with the finish chunk or in every chunk; errors have three shapes.

import { engineOfOwner } from '../../../core/engine/server-engines.ts';
import { isJsonObject, type JsonObject } from '../../../core/json.ts';
import { NO_FIGURE } from '../../../core/run/event-record.ts';
import { type Unknown, unknown } from '../../../core/unknown.ts';
import { lengthFieldsJson, merged } from '../request-fields.ts';
import { type DraftNames, JsonReply, reasoningOf, textOf, tokenCount } from './json-reply.ts';
import { ReplyText } from './reply-text.ts';
import { type BodySettings, CARRIES_NOTHING, type ModelList, type ServerApi } from './server-api.ts';

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
      const kinds = owners.map(engineOfOwner);
      return {
        ids,
        serverKind: kinds.find(kind => kind !== undefined) ?? unknown('the server does not report it'),
      };
    },
  },
  withoutEnd: 'the reply ended without [DONE] and without a finish reason',
};

/**
 * Names of SGLang, the newest first (tokenizer_manager.py): in `meta_info` of its own API, and of a choice of a whole reply to a request
 * with `return_meta_info`; in `sglext` of a reply or a stream to one with `return_spec_tokens_details` (openai/utils.py).
 */
export const SGLANG_DRAFTS: readonly DraftNames[] = [
  { drafted: 'spec_num_proposed_drafts', accepted: 'spec_num_correct_drafts' },
  { drafted: 'spec_proposed_drafts', accepted: 'spec_accepted_drafts' },
  { drafted: 'spec_draft_token_num', accepted: 'spec_accept_token_num' },
];

/** The fields after the prompt, with the object's end. */
export const bodyEnd = (
  maxTokens: number | undefined,
  { isStreaming, fields: { lengthFields, added } }: BodySettings,
): string => {
  const own = {
    ...(maxTokens === undefined
      ? {}
      : { max_tokens: maxTokens, ...lengthFieldsJson(lengthFields, maxTokens) }),
    stream: isStreaming,
    // Without usage the number of tokens is unknown.
    ...(isStreaming ? { stream_options: { include_usage: true } } : {}),
  };
  return `,${JSON.stringify(merged(own, added)).slice(1)}`;
};

/** What a choice of a chunk, or of a whole reply, carries: CARRIES_…. */
export type ChoiceContent = (choice: JsonObject, isWhole: boolean, reported: ReplyText) => number;

/** Text of the choice, without reasoning. */
type ChoiceText = (choice: JsonObject, isWhole: boolean) => string;

/** The state of a reply: the endpoints differ only in where a choice has its text. */
export class OpenAiReply extends JsonReply {
  readonly #contentOf: ChoiceContent;
  readonly #answerOf: ChoiceText;
  readonly #choices: Map<number, Choice> = new Map();
  override readonly carried: number[] = [];
  /**
   * All tokens by all iterations (TensorRT-LLM, llmRequest.h getAvgDecodedTokensPerIter); 1: without speculative decoding, or not
   * reported.
   */
  #tokensPerIteration = 1;

  constructor(contentOf: ChoiceContent, answerOf: ChoiceText) {
    super();
    this.#contentOf = contentOf;
    this.#answerOf = answerOf;
  }

  override reset(): void {
    super.reset();
    this.#choices.clear();
    this.#tokensPerIteration = 1;
  }

  override get hasFinished(): boolean {
    if (this.#choices.size === 0) return false;
    for (const { hasFinished } of this.#choices.values()) if (!hasFinished) return false;
    return true;
  }

  protected read({ choices, usage, timings, sglext }: JsonObject, isWhole: boolean): number {
    let carries = CARRIES_NOTHING;
    this.carried.length = 0;
    if (Array.isArray(choices)) {
      for (const choice of choices) if (isJsonObject(choice)) carries |= this.#choice(choice, isWhole);
    }
    if (isJsonObject(usage)) this.#usage(usage);
    if (isJsonObject(timings)) this.timed(timings);
    const details = isJsonObject(sglext) ? sglext['spec_tokens_details'] : undefined;
    if (isJsonObject(details)) this.speculated(details, SGLANG_DRAFTS);
    // The mean may come before the count that it is the mean of.
    if (this.#tokensPerIteration > 1 && this.choices === 1 && this.outputTokens > 0)
      this.predictedTokens = this.outputTokens - Math.round(this.outputTokens / this.#tokensPerIteration);
    return carries;
  }

  #usage(usage: JsonObject): void {
    const {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: total,
      prompt_tokens_details: ofInput,
      completion_tokens_details: ofOutput,
    } = usage;
    const cached = isJsonObject(ofInput) ? ofInput['cached_tokens'] : usage['prompt_cache_hit_tokens'];
    const predicted = isJsonObject(ofOutput) ? ofOutput['accepted_prediction_tokens'] : undefined;
    // SGLang and some gateways have it next to the details.
    const reasoning = Math.max(
      isJsonObject(ofOutput) ? reasoningOf(ofOutput) : NO_FIGURE,
      reasoningOf(usage),
    );
    this.counted({ input: tokenCount(input), output: tokenCount(output), total: tokenCount(total) });
    if (reasoning !== NO_FIGURE) this.reasoningTokens = reasoning;
    this.audioInputTokens = Math.max(this.audioInputTokens, audioTokens(ofInput));
    this.audioOutputTokens = Math.max(this.audioOutputTokens, audioTokens(ofOutput));
    if (tokenCount(cached) !== NO_FIGURE) this.cachedTokens = tokenCount(cached);
    if (tokenCount(predicted) !== NO_FIGURE) this.predictedTokens = tokenCount(predicted);
  }

  #choice(choice: JsonObject, isWhole: boolean): number {
    const { index, finish_reason: reason } = choice;
    const number = typeof index === 'number' ? index : 0;
    const hasFinished = typeof reason === 'string' && reason !== '';
    const known = this.#choices.get(number) ?? {
      hasFinished: false,
      reported: this.#choices.size === 0 ? this.reported : new ReplyText(this.answer),
    };
    // A chunk after the finish chunk does not open the choice again.
    this.#choices.set(number, { ...known, hasFinished: known.hasFinished || hasFinished });
    this.choices = this.#choices.size;
    if (hasFinished) this.finished(reason);
    // A conversation continues with the first of several answers.
    if (this.keptAnswer.isKept && number === 0) this.keptAnswer.add(this.#answerOf(choice, isWhole));
    if (this.parts.isKept && number === 0) this.#keepParts(choice[isWhole ? 'message' : 'delta']);
    const carries = this.#contentOf(choice, isWhole, known.reported);
    if (carries !== CARRIES_NOTHING) this.carried.push(number);
    // Moonshot has it here.
    if (isJsonObject(choice['usage'])) this.#usage(choice['usage']);
    if (isJsonObject(choice['meta_info'])) this.speculated(choice['meta_info'], SGLANG_DRAFTS);
    const mean = choice['avg_decoded_tokens_per_iter'];
    if (typeof mean === 'number') this.#tokensPerIteration = mean;
    return carries;
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
      this.parts.addCall(index, textOf(called['name']), textOf(called['arguments']), textOf(call['id']));
    }
  }
}

/** Servers report 0 for every request without sound. */
const audioTokens = (details: unknown): number => {
  const tokens = isJsonObject(details) ? tokenCount(details['audio_tokens']) : NO_FIGURE;
  return tokens === 0 ? NO_FIGURE : tokens;
};

interface Choice {
  readonly hasFinished: boolean;
  readonly reported: ReplyText;
}
