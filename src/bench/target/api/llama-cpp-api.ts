// llama.cpp's own completion, which continues a text in server-sent events without [DONE]; the last of them has the
// server's timings. Shapes: tools/server/README.md and server-task.cpp of ggml-org/llama.cpp.

import { type Parsed, parsed } from '../../../core/figure/parse-figure.ts';
import { isJsonObject, type JsonObject } from '../../../core/json.ts';
import type { Prompt } from '../../dataset/prompt.ts';
import { lengthFieldsJson, merged } from '../request-fields.ts';
import { JsonReply, textOf, tokenCount } from './json-reply.ts';
import { between, markedPrompt } from './marked-messages.ts';
import { OPENAI } from './openai-api.ts';
import type { BodySettings, BodyText, ServerApi } from './server-api.ts';

export const llamaCppApi: ServerApi = {
  ...OPENAI,
  name: 'llama.cpp',
  root: '',
  endpoint: '/completion',
  lengthFields: ['ignore_eos'],
  models: { ...OPENAI.models, path: '/v1/models' },
  withoutEnd: 'the reply ended without an event that says "stop"',
  body: (prompt, settings) => bodyOf(prompt, settings),
  newReply: () => new LlamaCppReply(),
};

const bodyOf = (prompt: Prompt, settings: BodySettings): Parsed<BodyText> => {
  const text = markedPrompt(prompt, settings.nonce, llamaCppApi);
  if (text.kind === 'wrong') return text;
  const { maxTokens } = prompt;
  const { lengthFields, added } = settings.fields;
  const own = {
    ...(maxTokens === undefined
      ? {}
      : { n_predict: maxTokens, ...lengthFieldsJson(lengthFields, maxTokens) }),
    stream: settings.isStreaming,
  };
  return parsed(
    between(
      `{"model":${JSON.stringify(settings.model)},"prompt":`,
      text.value,
      `,${JSON.stringify(merged(own, added)).slice(1)}`,
    ),
  );
};

class LlamaCppReply extends JsonReply {
  protected read(json: JsonObject): number {
    const { content, stop } = json;
    if (stop === true) this.#end(json);
    return this.reported.text(textOf(content));
  }

  #end(json: JsonObject): void {
    const { tokens_evaluated: input, tokens_predicted: output, timings } = json;
    this.counted({ input: tokenCount(input), output: tokenCount(output) });
    if (isJsonObject(timings)) this.timed(timings);
    this.finished(finishOf(json));
    this.isDone = true;
  }
}

/** `stop_type`; earlier versions of llama.cpp had one field for each. */
const finishOf = (json: JsonObject): string => {
  const type = textOf(json['stop_type']);
  if (type !== '') return type;
  if (json['stopped_eos'] === true || json['stopped_word'] === true) return 'stop';
  return json['stopped_limit'] === true ? 'length' : 'other';
};
