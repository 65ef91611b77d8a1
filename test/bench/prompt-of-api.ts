// A prompt of one text, as an API takes it: a ranking needs a document next to its query.

import { type Prompt, userPrompt } from '../../src/bench/dataset/prompt.ts';
import { serverApi } from '../../src/bench/target/api/server-apis.ts';

export const promptOfApi = (api: string, content: string, maxTokens?: number): Prompt => ({
  ...userPrompt(content, maxTokens),
  ...(serverApi(api).ranksDocuments === true ? { documents: [''] } : {}),
});
