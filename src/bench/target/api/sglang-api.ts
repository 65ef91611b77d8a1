// SGLang's own /generate: each event of a stream has the whole text so far, unless the server was started to send
// pieces, and `meta_info` with its counts. Shapes: SGLang's "native APIs" and io_struct.py.

import { type Parsed, parsed } from '../../../core/figure/parse-figure.ts';
import { isJsonObject, type JsonObject } from '../../../core/json.ts';
import { NO_FIGURE } from '../../../core/run/event-record.ts';
import type { Prompt } from '../../dataset/prompt.ts';
import { merged } from '../request-fields.ts';
import { JsonReply, reasoningOf, textOf, tokenCount } from './json-reply.ts';
import { between, markedPrompt } from './marked-messages.ts';
import { OPENAI, SGLANG_DRAFTS } from './openai-api.ts';
import { type BodySettings, type BodyText, CARRIES_NOTHING, type ServerApi } from './server-api.ts';

export const sglangApi: ServerApi = {
  ...OPENAI,
  name: 'sglang',
  root: '',
  endpoint: '/generate',
  models: { ...OPENAI.models, path: '/v1/models' },
  withoutEnd: 'the reply ended without [DONE] and without a finish reason',
  body: (prompt, settings) => bodyOf(prompt, settings),
  newReply: () => new SglangReply(),
};

const bodyOf = (prompt: Prompt, settings: BodySettings): Parsed<BodyText> => {
  const text = markedPrompt(prompt, settings.nonce, sglangApi);
  if (text.kind === 'wrong') return text;
  const { maxTokens } = prompt;
  const { lengthFields, added } = settings.fields;
  const { sampling_params: given, ...rest } = added;
  const sampling = Object.entries(rest).filter(([name]) => SAMPLING.has(name));
  const outer = Object.entries(rest).filter(([name]) => !SAMPLING.has(name));
  const own = {
    sampling_params: {
      ...(maxTokens === undefined ? {} : { max_new_tokens: maxTokens }),
      ...(maxTokens !== undefined && lengthFields.includes('min_tokens')
        ? { min_new_tokens: maxTokens }
        : {}),
      ...(maxTokens !== undefined && lengthFields.includes('ignore_eos') ? { ignore_eos: true } : {}),
      ...Object.fromEntries(sampling),
      ...(isJsonObject(given) ? given : {}),
    },
    stream: settings.isStreaming,
  };
  return parsed(
    between(
      `{"model":${JSON.stringify(settings.model)},"text":`,
      text.value,
      `,${JSON.stringify(merged(own, Object.fromEntries(outer))).slice(1)}`,
    ),
  );
};

class SglangReply extends JsonReply {
  #text = '';

  override reset(): void {
    super.reset();
    this.#text = '';
  }

  protected read({ text, meta_info: meta }: JsonObject): number {
    if (isJsonObject(meta)) this.#meta(meta);
    const now = textOf(text);
    // The same text again is not content: the server had tokens that are not a whole character yet.
    const isNew = now !== '' && now !== this.#text;
    // Each event has the whole text so far, unless the server streams only what is new.
    const piece = now.startsWith(this.#text) ? now.slice(this.#text.length) : now;
    this.#text = now;
    return isNew ? this.reported.text(piece) : CARRIES_NOTHING;
  }

  #meta(meta: JsonObject): void {
    const { prompt_tokens: input, completion_tokens: output, cached_tokens: cached } = meta;
    this.counted({ input: tokenCount(input), output: tokenCount(output) });
    if (reasoningOf(meta) !== NO_FIGURE) this.reasoningTokens = reasoningOf(meta);
    if (tokenCount(cached) !== NO_FIGURE) this.cachedTokens = tokenCount(cached);
    this.speculated(meta, SGLANG_DRAFTS);
    const { finish_reason: finish } = meta;
    const kind = isJsonObject(finish) ? textOf(finish['type']) : textOf(finish);
    if (kind === '') return;
    this.finished(kind, isJsonObject(finish) ? textOf(finish['message']) : '');
  }
}

/** Fields that are top-level in other APIs and in `sampling_params` here. */
const SAMPLING: ReadonlySet<string> = new Set([
  'temperature',
  'top_p',
  'top_k',
  'min_p',
  'stop',
  'seed',
  'frequency_penalty',
  'presence_penalty',
  'repetition_penalty',
]);
