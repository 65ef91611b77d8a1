// OpenAI's legacy completions, which continue a text. The server applies no chat template, so a prompt is sent as
// plain text, and conversations are not supported.

import { type Parsed, parsed } from '../../../core/figure/parse-figure.ts';
import type { Prompt } from '../../dataset/prompt.ts';
import { textOf } from './json-reply.ts';
import { between, markedPrompt } from './marked-messages.ts';
import { bodyEnd, OPENAI, OpenAiReply } from './openai-api.ts';
import { reasoningCarries } from './reasoning-fields.ts';
import type { BodySettings, BodyText, ServerApi } from './server-api.ts';

export const completionsApi: ServerApi = {
  ...OPENAI,
  name: 'completions',
  endpoint: '/completions',
  body: (prompt, settings) => bodyOf(prompt, settings),
  newReply: () =>
    new OpenAiReply(
      (choice, _isWhole, reported) =>
        reported.text(textOf(choice['text'])) | reasoningCarries(choice, reported),
      ({ text }) => textOf(text),
    ),
};

const bodyOf = (prompt: Prompt, settings: BodySettings): Parsed<BodyText> => {
  const text = markedPrompt(prompt, settings.nonce, completionsApi);
  const head = `{"model":${JSON.stringify(settings.model)},"prompt":`;
  return text.kind === 'wrong'
    ? text
    : parsed(between(head, text.value, bodyEnd(prompt.maxTokens, settings)));
};
