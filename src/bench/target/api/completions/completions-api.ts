// OpenAI's legacy completions: a text goes on. The server lays no template of a chat around it, so that a prompt is asked as
// the text that it is, and a conversation cannot be.

import type { Parsed } from '../../../../core/figure/parse-figure.ts';
import { parsed, wrong } from '../../../../core/figure/parse-figure.ts';
import type { Prompt } from '../../../dataset/prompt.ts';
import { bodyEnd, OPENAI, OpenAiReply, textOf } from '../openai/openai-api.ts';
import type { BodySettings, BodyText, ServerApi } from '../server-api.ts';
import { CARRIES_ANSWER, CARRIES_NOTHING } from '../server-api.ts';

export const completionsApi: ServerApi = {
  ...OPENAI,
  name: 'completions',
  endpoint: '/completions',
  body: (prompt, settings) => bodyOf(prompt, settings),
  newReply: () => new OpenAiReply(({ text }) => (textOf(text) === '' ? CARRIES_NOTHING : CARRIES_ANSWER)),
};

const bodyOf = ({ prefix, messages, maxTokens }: Prompt, settings: BodySettings): Parsed<BodyText> => {
  const [message, ...others] = messages;
  const text = message?.content;
  if (others.length > 0 || typeof text !== 'string') {
    return wrong(
      'it is a conversation, but completions take a single prompt text',
      'Use lines such as {"prompt": "Once upon a time"}, or leave out --api completions.',
    );
  }
  const { model, nonce } = settings;
  const shared = prefix === undefined ? '' : JSON.stringify(`${prefix}\n\n`).slice(1, -1);
  const head = `{"model":${JSON.stringify(model)},"prompt":"${shared}`;
  const rest = `${JSON.stringify(text).slice(1)}${bodyEnd(maxTokens, settings)}`;
  return parsed(
    nonce === undefined
      ? { before: '', after: `${head}${rest}` }
      : { before: `${head}[`, after: `${nonce}] ${rest}` },
  );
};
