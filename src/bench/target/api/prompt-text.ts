// A prompt for an API that takes a plain text: a single message. Conversations are not supported, because no chat
// template is applied.

import { type Parsed, parsed, wrong } from '../../../core/figure/parse-figure.ts';
import type { Prompt } from '../../dataset/prompt.ts';
import { between, markedText } from './marked-messages.ts';
import type { BodyText, ServerApi } from './server-api.ts';

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
