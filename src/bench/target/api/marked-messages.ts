// A conversation as the JSON of its messages, split where its nonce begins: as near to its start as its first text
// is.

import { type Parsed, parsed, wrong } from '../../../core/figure/parse-figure.ts';
import type { Message } from '../../dataset/message.ts';
import type { Prompt } from '../../dataset/prompt.ts';
import type { BodyText, ServerApi } from './server-api.ts';

/** The messages separated by commas, without the list's brackets. `partType` is the API's name of a text part. */
export const markedMessages = (
  { prefix, messages }: Pick<Prompt, 'prefix' | 'messages'>,
  nonce: string | undefined,
  partType: 'text' | 'input_text' = 'text',
): BodyText => {
  const shared = prefix === undefined ? '' : `${jsonOf({ role: 'system', content: prefix })},`;
  if (nonce === undefined) return { before: '', after: `${shared}${messages.map(jsonOf).join(',')}` };
  const at = messages.findIndex(({ content }) => typeof content === 'string' || Array.isArray(content));
  const marked = messages[at];
  if (marked === undefined) throw new RangeError('a prompt without content');
  const { content, ...others } = marked;
  const opening = `${jsonOf(others).slice(0, -1)},"content":`;
  const [quote, rest] =
    typeof content === 'string'
      ? ['"[', `${nonce}] ${JSON.stringify(content).slice(1)}}`]
      : [
          `[{"type":"${partType}","text":"[`,
          `${nonce}]"},${JSON.stringify(content).slice(1)}}`.replace(/,\]\}$/, ']}'),
        ];
  const earlier = messages.slice(0, at).map(message => `${jsonOf(message)},`);
  const later = messages.slice(at + 1).map(message => `,${jsonOf(message)}`);
  return { before: `${shared}${earlier.join('')}${opening}${quote}`, after: `${rest}${later.join('')}` };
};

/** A text in quotes, with the nonce at its start. */
export const markedText = (text: string, nonce: string | undefined): BodyText =>
  nonce === undefined
    ? { before: '', after: JSON.stringify(text) }
    : { before: '"[', after: `${nonce}] ${JSON.stringify(text).slice(1)}` };

/** The split text between a head and an end; without a nonce all of it is after the split. */
export const between = (head: string, { before, after }: BodyText, end: string): BodyText =>
  before === ''
    ? { before: '', after: `${head}${after}${end}` }
    : { before: head + before, after: after + end };

/** An answer in the list of messages, around its fields but the role. */
export const ASSISTANT_ENTRY = { before: '{"role":"assistant",', after: '}' } as const;

const jsonOf = (message: Message | Omit<Message, 'content'>): string => JSON.stringify(message);

// A prompt for an API that takes a plain text: a single message. Conversations are not supported, because no chat
// template is applied.
export const noTokenIds = (name: string): Parsed<never> =>
  wrong(`it is a list of token ids, which ${name} does not take`, 'Write: --api completions');

/** In quotes; a shared prefix precedes the nonce. */
export const markedPrompt = (
  { prefix, messages, tokenIds }: Prompt,
  nonce: string | undefined,
  { name }: Pick<ServerApi, 'name'>,
): Parsed<BodyText> => {
  if (tokenIds !== undefined)
    return name === 'completions' || name === 'llama.cpp'
      ? parsed({ before: '', after: JSON.stringify(tokenIds) })
      : noTokenIds(name);
  const [message, ...others] = messages;
  const text = message?.content;
  if (others.length > 0 || typeof text !== 'string') {
    return wrong(
      `it is a conversation, but ${name === 'completions' ? 'completions take' : `${name} takes`} a single prompt text`,
      `Use lines such as {"prompt": "Once upon a time"}, or leave out --api ${name}.`,
    );
  }
  if (prefix === undefined) return parsed(markedText(text, nonce));
  const shared = JSON.stringify(`${prefix}\n\n`).slice(0, -1);
  const { before, after } = markedText(text, nonce);
  return parsed(
    between(shared, { before: before.slice(1), after: before === '' ? after.slice(1) : after }, ''),
  );
};
