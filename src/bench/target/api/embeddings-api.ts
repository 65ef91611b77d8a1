// OpenAI's embeddings: texts become vectors. There is no stream, no output token and no finish reason; each message
// of a prompt is one text of the input, so a request may have several.

import { type Parsed, parsed, wrong } from '../../../core/figure/parse-figure.ts';
import { isJsonObject, type JsonObject } from '../../../core/json.ts';
import type { Prompt } from '../../dataset/prompt.ts';
import { merged } from '../request-fields.ts';
import { JsonReply, textOf, tokenCount } from './json-reply.ts';
import { between, markedText, noTokenIds } from './marked-messages.ts';
import { OPENAI } from './openai-api.ts';
import {
  type BodySettings,
  type BodyText,
  CARRIES_ANSWER,
  CARRIES_NOTHING,
  type ServerApi,
} from './server-api.ts';

export const embeddingsApi: ServerApi = {
  ...OPENAI,
  name: 'embeddings',
  endpoint: '/embeddings',
  canStream: false,
  writesAnswers: false,
  lengthFields: [],
  withoutEnd: 'the reply ended without its list of vectors',
  body: (prompt, settings) =>
    prompt.tokenIds === undefined ? bodyOf(prompt, settings) : noTokenIds('embeddings'),
  newReply: () => new EmbeddingsReply(),
};

const bodyOf = ({ prefix, messages }: Prompt, settings: BodySettings): Parsed<BodyText> => {
  const texts = messages.map(({ content }) => (typeof content === 'string' ? content : undefined));
  const whole = texts.filter(text => text !== undefined);
  const [first, ...others] = whole;
  if (first === undefined || whole.length < texts.length) {
    return wrong(
      'it has a message that is no text, but embeddings take texts',
      'Use lines such as {"prompt": "Once upon a time"}.',
    );
  }
  // A shared prefix precedes the nonce here, too.
  const shared = prefix === undefined ? '' : JSON.stringify(`${prefix}\n\n`).slice(1, -1);
  const marked = markedText(first, settings.nonce);
  const text =
    marked.before === ''
      ? { before: '', after: `"${shared}${marked.after.slice(1)}` }
      : { before: `"${shared}${marked.before.slice(1)}`, after: marked.after };
  const isList = others.length > 0;
  const rest = others.map(other => `,${JSON.stringify(other)}`).join('');
  const own = { encoding_format: 'float' };
  return parsed(
    between(
      `{"model":${JSON.stringify(settings.model)},"input":${isList ? '[' : ''}`,
      text,
      `${rest}${isList ? ']' : ''},${JSON.stringify(merged(own, settings.fields.added)).slice(1)}`,
    ),
  );
};

class EmbeddingsReply extends JsonReply {
  /** Every reply is whole, and finished when it is read. */
  override get hasFinished(): boolean {
    return this.isDone;
  }

  protected read({ data, usage }: JsonObject): number {
    if (isJsonObject(usage)) this.inputTokens = tokenCount(usage['prompt_tokens']);
    if (!Array.isArray(data) || data.length === 0 || !data.every(hasVector)) return CARRIES_NOTHING;
    // A vector has no finish reason, and is whole.
    this.finishReason = 'other';
    return CARRIES_ANSWER;
  }
}

/** Numbers, or their form with `encoding_format: "base64"`. */
const hasVector = (entry: unknown): boolean => {
  if (!isJsonObject(entry)) return false;
  const { embedding } = entry;
  return Array.isArray(embedding) ? embedding.length > 0 : textOf(embedding) !== '';
};
