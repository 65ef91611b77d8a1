// A prompt of one text, as an API takes it: a ranking needs a document next to its query.

import { type Prompt, userPrompt } from '../../src/bench/dataset/prompt.ts';

export const promptOfApi = (api: string, content: string, maxTokens?: number): Prompt => ({
  ...userPrompt(content, maxTokens),
  ...(api === 'rerank' ? { documents: [''] } : {}),
});
