// Ollama's own endpoints: a chat and a completion, streamed as lines of JSON. The last line has the server's timings,
// in nanoseconds. Shapes: docs/api.md of ollama/ollama.

import { type Parsed, parsed, wrong } from '../../../core/figure/parse-figure.ts';
import { isJsonObject, type JsonObject } from '../../../core/json.ts';
import { type Unknown, unknown } from '../../../core/unknown.ts';
import type { Message } from '../../dataset/message.ts';
import type { Prompt } from '../../dataset/prompt.ts';
import { merged } from '../request-fields.ts';
import { JsonReply, nanoseconds, textOf, tokenCount } from './json-reply.ts';
import { ASSISTANT_ENTRY, between, markedMessages, markedPrompt, noTokenIds } from './marked-messages.ts';
import type { ReplyText } from './reply-text.ts';
import {
  type BodySettings,
  type BodyText,
  CARRIES_NOTHING,
  type ModelList,
  type ServerApi,
} from './server-api.ts';

const OLLAMA: Omit<ServerApi, 'name' | 'endpoint' | 'body' | 'newReply'> = {
  root: '/api',
  canStream: true,
  framing: 'lines',
  writesAnswers: true,
  lengthFields: [],
  headers: [{ name: 'accept', value: 'application/x-ndjson' }],
  models: { path: '/tags', read: json => modelsOf(json) },
  withoutEnd: 'the reply ended without a line that is "done"',
};

export const ollamaApi: ServerApi = {
  ...OLLAMA,
  name: 'ollama',
  endpoint: '/chat',
  body: (prompt, settings) =>
    prompt.tokenIds === undefined ? chatBody(prompt, settings) : noTokenIds('ollama'),
  conversation: {
    before: settings => parsed(chatHead(settings)),
    after: (maxTokens, settings) => `]${endOf({ maxTokens }, settings)}`,
    entries: (messages, { nonce }) => {
      const plain = plainMessages(messages);
      return plain.kind === 'wrong' ? plain : parsed(markedMessages({ messages: plain.value }, nonce));
    },
    answer: ASSISTANT_ENTRY,
  },
  newReply: () => new OllamaReply(({ message }, reported) => messageCarries(message, reported)),
};

export const ollamaGenerateApi: ServerApi = {
  ...OLLAMA,
  name: 'ollama-generate',
  endpoint: '/generate',
  body: (prompt, settings) => generateBody(prompt, settings),
  newReply: () =>
    new OllamaReply(
      ({ response, thinking }, reported) =>
        reported.thought(textOf(thinking)) | reported.text(textOf(response)),
    ),
};

const modelsOf = (json: unknown): ModelList | Unknown => {
  const models = isJsonObject(json) ? json['models'] : undefined;
  if (!Array.isArray(models)) return unknown('its list of models has no "models"');
  const entries = models.filter(isJsonObject);
  const isMock = entries.some(
    ({ details }) => isJsonObject(details) && details['family'] === 'plimsoll-mock',
  );
  return {
    ids: entries.map(({ name }) => name).filter(name => typeof name === 'string'),
    serverKind: isMock ? 'Plimsoll mock' : 'Ollama',
  };
};

const chatBody = (prompt: Prompt, settings: BodySettings): Parsed<BodyText> => {
  const messages = plainMessages(prompt.messages);
  if (messages.kind === 'wrong') return messages;
  const { prefix } = prompt;
  const marked = markedMessages(
    { messages: messages.value, ...(prefix === undefined ? {} : { prefix }) },
    settings.nonce,
  );
  return parsed(between(chatHead(settings), marked, `]${endOf(prompt, settings)}`));
};

const chatHead = ({ model }: BodySettings): string => `{"model":${JSON.stringify(model)},"messages":[`;

const plainMessages = (given: readonly Message[]): Parsed<readonly Message[]> => {
  const messages: Message[] = [];
  for (const message of given) {
    const plain = plainMessage(message);
    if (plain === undefined) {
      return wrong(
        'it has a part that is neither a text nor an image in a data URL, and Ollama takes no other',
        'Use lines such as {"prompt": "…"} or {"messages": […]} with texts.',
      );
    }
    messages.push(plain);
  }
  return parsed(messages);
};

/** Ollama has the images of a message in a separate field, in base64. */
const plainMessage = (message: Message): Message | undefined => {
  const { content } = message;
  if (!Array.isArray(content)) return message;
  const texts: string[] = [];
  const images: string[] = [];
  for (const part of content) {
    if (!isJsonObject(part)) return undefined;
    const { type, text, image_url: image } = part;
    const url = isJsonObject(image) ? textOf(image['url']) : '';
    const [, picture] = /^data:image\/[\w.+-]+;base64,(.*)$/s.exec(url) ?? [];
    if (type === 'text' && typeof text === 'string') texts.push(text);
    else if (picture !== undefined) images.push(picture);
    else return undefined;
  }
  return { ...message, content: texts.join('\n'), ...(images.length === 0 ? {} : { images }) };
};

const generateBody = ({ prefix, ...prompt }: Prompt, settings: BodySettings): Parsed<BodyText> => {
  const text = markedPrompt(prompt, settings.nonce, ollamaGenerateApi);
  if (text.kind === 'wrong') return text;
  const system = prefix === undefined ? '' : `"system":${JSON.stringify(prefix)},`;
  const head = `{"model":${JSON.stringify(settings.model)},${system}"prompt":`;
  return parsed(between(head, text.value, endOf(prompt, settings)));
};

/** Sampling and length are in `options`. */
const endOf = (
  { maxTokens }: Pick<Prompt, 'maxTokens'>,
  { isStreaming, fields }: Pick<BodySettings, 'isStreaming' | 'fields'>,
): string => {
  const { options: given, ...added } = fields.added;
  const outer = Object.entries(added).filter(([name]) => !OPTIONS.has(name));
  const inner = Object.entries(added).filter(([name]) => OPTIONS.has(name));
  const options = {
    ...(maxTokens === undefined ? {} : { num_predict: maxTokens }),
    ...Object.fromEntries(inner),
    ...(isJsonObject(given) ? given : {}),
  };
  const own = { stream: isStreaming, options };
  return `,${JSON.stringify(merged(own, Object.fromEntries(outer))).slice(1)}`;
};

class OllamaReply extends JsonReply {
  readonly #contentOf: (json: JsonObject, reported: ReplyText) => number;

  constructor(contentOf: (json: JsonObject, reported: ReplyText) => number) {
    super();
    this.#contentOf = contentOf;
  }

  protected read(json: JsonObject): number {
    const carries = this.#contentOf(json, this.reported);
    const { message } = json;
    if (isJsonObject(message)) this.keptAnswer.add(textOf(message['content']));
    if (json['done'] === true) this.#end(json);
    return carries;
  }

  #end(json: JsonObject): void {
    const { done_reason: reason, prompt_eval_count: input, eval_count: output } = json;
    this.counted({ input: tokenCount(input), output: tokenCount(output) });
    this.loadNs = nanoseconds(json['load_duration'], 1);
    this.promptNs = nanoseconds(json['prompt_eval_duration'], 1);
    this.decodeNs = nanoseconds(json['eval_duration'], 1);
    // Older versions send no reason, and end only by themselves or at the limit.
    if (textOf(reason) === '') this.finishReason = 'other';
    else this.finished(textOf(reason));
    this.isDone = true;
  }
}

const messageCarries = (message: unknown, reported: ReplyText): number => {
  if (!isJsonObject(message)) return CARRIES_NOTHING;
  const { content, thinking, tool_calls: calls } = message;
  const hasCalls = Array.isArray(calls) && calls.some(isJsonObject);
  return (
    (hasCalls ? reported.other(JSON.stringify(calls)) : CARRIES_NOTHING) |
    reported.thought(textOf(thinking)) |
    reported.text(textOf(content))
  );
};

/** Model parameters that are top-level fields in other APIs. */
const OPTIONS: ReadonlySet<string> = new Set([
  'temperature',
  'top_p',
  'top_k',
  'min_p',
  'seed',
  'stop',
  'num_ctx',
  'repeat_penalty',
  'presence_penalty',
  'frequency_penalty',
]);
